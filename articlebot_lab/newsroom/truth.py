"""What the newsroom says about itself: the truth, a job file for its sites, its status."""

from __future__ import annotations

import json
from typing import Any

from articlebot_lab.newsroom.plot import EDITED, SETTLED
from articlebot_lab.newsroom.sites import Site
from articlebot_lab.newsroom.world import Story, World

# What the job file asks for, seconds; the score reads them back from the truth.
INTERVAL, MIN_INTERVAL, MAX_INTERVAL, DELAY = 2.0, 1.0, 6.0, 0.05


def truth(world: World, now: float, *, everything: bool = False) -> dict[str, Any]:
    """All that has happened by ``now``; ``everything`` adds what is still to come."""
    stories = [story for story in world.stories if everything or story.visible_at <= now]
    return {
        "seed": world.seed,
        "rate": world.rate,
        "seconds": world.seconds,
        "started_at": world.started_at,
        "asked_at": now,
        "edits_end_at": world.started_at + EDITED * world.seconds,
        "settled_at": world.started_at + SETTLED * world.seconds,
        "ends_at": world.ends_at,
        "interval": INTERVAL,
        "max_interval": MAX_INTERVAL,
        "sites": [_site(site) for site in world.sites],
        "articles": [_story(story, None if everything else now) for story in stories],
    }


def _site(site: Site) -> dict[str, Any]:
    return {
        "key": site.key,
        "name": site.name,
        "language": site.language,
        "hosts": list(site.hosts),
        "list_pages": list_pages(site),
        "feeds": feeds(site),
        "sitemaps": sitemaps(site),
        "timezone": site.zone,
        "encoding": site.encoding,
        "validators": site.validators,
        "crawl_delay": site.crawl_delay,
        "latency": site.latency,
        "disallow": site.disallow,
    }


def _story(story: Story, now: float | None) -> dict[str, Any]:
    site = story.site
    versions = [v for v in story.versions if now is None or v.at <= now]
    last = versions[-1]
    gone = story.deleted_at is not None and (now is None or story.deleted_at <= now)
    paths = [*story.page_paths(), *([link] if (link := story.redirect_path()) else [])]
    coarse = site.date_style == "relative" and story.published_at < story.visible_at
    return {
        "id": story.id,
        "site": site.key,
        "host": story.host,
        "url": story.url,
        "urls": [f"http://{story.host}{path}" for path in paths],
        "canonical_url": story.url,
        "title": last.title,
        "body": last.body,
        "author": story.author,
        "published_at": story.published_at,
        "date_precision_s": 3600 if coarse else 60,
        "visible_at": story.visible_at,
        "deleted_at": story.deleted_at if gone else None,
        "language": site.language,
        "category": story.category,
        "kind": story.kind,
        "pages": story.pages,
        "reprint_of": story.reprint_of,
        "quote_of": story.quote_of,
        "disallowed": story.disallowed,
        "versions": [{"at": v.at, "kind": v.kind, "title": v.title, "body": v.body} for v in versions],
    }


def list_pages(site: Site) -> list[str]:
    """The list pages that a job follows; none on a site with feeds or sitemaps only."""
    return [f"http://{host}/" for host in site.hosts] if site.discovery == "list" else []


def feeds(site: Site) -> list[str]:
    """The feeds that a job follows."""
    return [f"http://{site.hosts[0]}/{site.discovery}.xml"] if site.discovery in ("rss", "atom") else []


def sitemaps(site: Site) -> list[str]:
    """The sitemaps that a job follows."""
    return [f"http://{site.hosts[0]}/news-sitemap.xml"] if site.discovery == "sitemap" else []


def job_file(world: World) -> str:
    """A job file for the crawler, one block per site.

    Two sites say what their article addresses look like; the others' articles have to be judged by the crawler.
    """
    return "\n".join(_job(site) for site in world.sites)


def _job(site: Site) -> str:
    values: dict[str, Any] = {
        "name": site.key,
        "list_pages": list_pages(site),
        "feeds": feeds(site),
        "sitemaps": sitemaps(site),
        "allowed_domains": list(site.hosts),
        "language": site.language,
        "timezone": site.zone,
        "interval": INTERVAL,
        "min_interval": MIN_INTERVAL,
        "max_interval": MAX_INTERVAL,
        "delay": DELAY,
        "depth": 1,
        "regions": list(site.regions),
        "article_pattern": [site.article_pattern] if site.article_pattern else [],
    }
    # A JSON string or list of strings is also one of TOML: both escape the same way.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value != []]
    return "\n".join(["[[site]]", *lines, ""])
