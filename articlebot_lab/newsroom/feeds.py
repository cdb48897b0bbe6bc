"""RSS, Atom, sitemaps and robots.txt of the sites."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import formatdate
from xml.sax.saxutils import escape

from articlebot_lab.newsroom.sites import Site
from articlebot_lab.newsroom.world import Story, World, local_time

FEED_SIZE = 25
_NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


def rss(world: World, site: Site, now: float) -> str:
    """The newest stories as RSS 2.0, with the first paragraph's beginning only."""
    items = "".join(
        f"<item><title>{escape(s.version_at(now).title)}</title><link>{escape(s.url)}</link>"
        f"<guid isPermaLink='false'>{s.id}</guid><pubDate>{formatdate(s.published_at)}</pubDate>"
        f"<description>{escape(s.version_at(now).paragraphs[0][:80])}</description></item>"
        for s in _newest(world, site, now)
    )
    return (
        f"<?xml version='1.0' encoding='UTF-8'?><rss version='2.0'><channel><title>{escape(site.name)}</title>"
        f"<link>http://{site.hosts[0]}/</link><description>{escape(site.name)}</description>{items}</channel></rss>"
    )


def atom(world: World, site: Site, now: float) -> str:
    """The newest stories as Atom; ``updated`` follows the edits."""
    stories = _newest(world, site, now)
    entries = "".join(
        f"<entry><id>tag:{s.host},{s.number}</id><title>{escape(s.version_at(now).title)}</title>"
        f"<link rel='alternate' href='{escape(s.url)}'/><published>{_iso(site, s.published_at)}</published>"
        f"<updated>{_iso(site, max(s.published_at, s.version_at(now).at))}</updated>"
        f"<author><name>{escape(s.author)}</name></author>"
        f"<summary>{escape(s.version_at(now).paragraphs[0][:160])}</summary></entry>"
        for s in stories
    )
    updated = max((s.version_at(now).at for s in stories), default=world.started_at)
    return (
        f"<?xml version='1.0' encoding='utf-8'?><feed xmlns='http://www.w3.org/2005/Atom'><title>{escape(site.name)}</title>"
        f"<id>http://{site.hosts[0]}/</id><link href='http://{site.hosts[0]}/'/>"
        f"<updated>{_iso(site, updated)}</updated>{entries}</feed>"
    )


def sitemap_index(site: Site) -> str:
    """The index that names the news sitemap."""
    return (
        f"<?xml version='1.0' encoding='UTF-8'?><sitemapindex xmlns='{_SITEMAP}'>"
        f"<sitemap><loc>http://{site.hosts[0]}/news-sitemap.xml</loc></sitemap></sitemapindex>"
    )


def news_sitemap(world: World, site: Site, now: float) -> str:
    """The newest stories of all hosts of a site, with their titles and dates."""
    entries = "".join(
        f"<url><loc>{escape(s.url)}</loc><lastmod>{_iso(site, s.version_at(now).at)}</lastmod>"
        f"<news:news><news:publication><news:name>{escape(site.name)}</news:name><news:language>{site.language}</news:language></news:publication>"
        f"<news:publication_date>{_iso(site, s.published_at)}</news:publication_date>"
        f"<news:title>{escape(s.version_at(now).title)}</news:title></news:news></url>"
        for s in _newest(world, site, now, 100)
    )
    return f"<?xml version='1.0' encoding='UTF-8'?><urlset xmlns='{_SITEMAP}' xmlns:news='{_NEWS}'>{entries}</urlset>"


def robots(site: Site) -> str:
    """A site's robots.txt."""
    lines = ["User-agent: *", f"Disallow: {site.disallow}" if site.disallow else "Disallow: /login"]
    if site.crawl_delay is not None:
        lines.append(f"Crawl-delay: {site.crawl_delay:g}")
    if site.discovery == "sitemap":
        lines.append(f"Sitemap: http://{site.hosts[0]}/sitemap.xml")
    return "\n".join(lines) + "\n"


def _newest(world: World, site: Site, now: float, count: int = FEED_SIZE) -> Sequence[Story]:
    return [story for story in world.shown(site, now)[: count + 10] if story.kind != "document"][:count]


def _iso(site: Site, at: float) -> str:
    return local_time(site, at).isoformat(timespec="seconds")
