"""A magazine on Ghost with stories for members: RSS, sitemap-posts.xml, /page/2/, and a subscription wall."""

from __future__ import annotations

import dataclasses
import datetime as dt
from email.utils import format_datetime

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut, slug


class Ghost(Site):
    """Every sixth story shows its first paragraph and an offer to subscribe."""

    name, build = "ghost", "Ghost: sitemap-posts.xml, RSS of fifteen, stories for subscribers only"
    domain, size, days = "lamplight.example.com", 54, 120.0
    sections = {"essays": "Essays", "reporting": "Reporting", "letters": "Letters"}
    disallowed = ("/ghost/", "/email/", "/members/api/")

    def kind(self, story: Story) -> Story:
        return dataclasses.replace(story, wanted="no", why="subscription wall") if story.number % 6 == 4 else story

    def robots(self) -> str:
        return super().robots() + f"Sitemap: {self.home}sitemap.xml\n"

    def link(self, story: Story) -> str:
        return f"/{slug(story.title, 5)}-{story.number}/"

    def answer(self, request: Request) -> Reply | str | None:
        path = request.path
        if path == "/rss/":
            return Reply(self._rss(), type="text/xml; charset=utf-8")
        if path == "/sitemap.xml":
            parts = "".join(
                f"<sitemap><loc>{self.home}sitemap-{part}.xml</loc></sitemap>"
                for part in ("pages", "posts", "authors", "tags")
            )
            return Reply(
                f'<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{parts}</sitemapindex>',
                type="text/xml",
            )
        if path.startswith("/sitemap-"):
            return self._sitemap(path.removeprefix("/sitemap-").removesuffix(".xml"))
        if path in ("/about/", "/membership/"):
            return self._page(
                path.strip("/").title(),
                f"<h1>{path.strip('/').title()}</h1><p>Lamplight is paid for by its readers: $5 a month or $50 a year.</p>",
            )
        base, _, page = path.partition("page/")
        parts_ = base.strip("/").split("/")
        stories = (
            self.stories
            if base == "/"
            else self.of(parts_[1])
            if parts_[0] == "tag" and len(parts_) == 2
            else [s for s in self.stories if slug(s.author) == parts_[-1]]
            if parts_[0] == "author"
            else []
        )
        if stories:
            pages = pages_of(stories, 12)
            at = number_of(page.strip("/"), len(pages))
            return self._list(base, pages[at - 1], at, len(pages)) if at else None
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _card(self, s: Story) -> str:
        lock = '<span class="gh-card-access">Members only</span>' if s.wanted == "no" else ""
        return f'<article class="gh-card post"><a class="gh-card-link" href="{self.link(s)}"><div class="gh-card-wrapper">{lock}<h3 class="gh-card-title">{esc(s.title)}</h3><p class="gh-card-excerpt">{esc(cut(s.paragraphs, 100))}</p><footer class="gh-card-meta"><time datetime="{s.at:%Y-%m-%d}">{s.at:%b %d, %Y}</time></footer></div></a></article>'

    def _list(self, base: str, stories: list[Story], at: int, count: int) -> str:
        newer = (
            f'<a class="newer-posts" href="{base}{f"page/{at - 1}/" if at > 2 else ""}">&larr; Newer Posts</a>'
            if at > 1
            else ""
        )
        older = f'<a class="older-posts" href="{base}page/{at + 1}/">Older Posts &rarr;</a>' if at < count else ""
        head = f'<link rel="next" href="{self.home[:-1]}{base}page/{at + 1}/">' if at < count else ""
        return self._page(
            "Lamplight",
            f'<div class="gh-feed">{"".join(self._card(s) for s in stories)}</div><nav class="pagination">{newer}<span class="page-number">Page {at} of {count}</span>{older}</nav>',
            head,
        )

    def _single(self, s: Story) -> str:
        head = (
            f'<link rel="canonical" href="{self.url(s)}"><meta property="article:published_time" content="{s.at.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S.000Z}"><meta property="og:title" content="{esc(s.title)}">'
            f'<script type="application/ld+json">{{"@context": "https://schema.org","@type": "Article","headline": "{s.title.replace(chr(34), "")}","datePublished": "{s.at.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S.000Z}","author": {{"@type": "Person","name": "{s.author}"}}}}</script>'
        )
        text = "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        if s.wanted == "no":
            text = f'<p>{esc(s.paragraphs[0])}</p><aside class="gh-post-upgrade-cta"><div class="gh-post-upgrade-cta-content"><h2>This post is for paying subscribers only</h2><a class="gh-btn" data-portal="signup" href="#/portal/signup">Subscribe now</a><p><small>Already have an account? <a href="#/portal/signin">Sign in</a></small></p></div></aside>'
        main = (
            f'<article class="gh-article post tag-{s.section}"><header class="gh-article-header"><a class="gh-article-tag" href="/tag/{s.section}/">{self.sections[s.section]}</a><h1 class="gh-article-title">{esc(s.title)}</h1><div class="gh-article-meta"><h4><a href="/author/{slug(s.author)}/">{s.author}</a></h4><time datetime="{s.at:%Y-%m-%d}">{s.at:%d %b %Y}</time> <span>&bull; {len(s.body) // 1100 + 1} min read</span></div></header>'
            f'<section class="gh-content gh-canvas">{text}</section></article><section class="gh-subscribe"><h3>Sign up for more like this.</h3><a class="gh-subscribe-btn" href="#/portal/signup">Enter your email</a></section><footer class="gh-readmore">{"".join(self._card(o) for o in self.near(s, 3))}</footer>'
        )
        return self._page(esc(s.title), main, head)

    def _page(self, title: str, main: str, head: str = "") -> str:
        menu = "".join(
            f'<li class="nav-{key}"><a href="/tag/{key}/">{name}</a></li>' for key, name in self.sections.items()
        )
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><meta name="generator" content="Ghost 5.75"><link rel="alternate" type="application/rss+xml" title="Lamplight" href="/rss/">{head}</head><body>'
            f'<div class="gh-site"><header id="gh-head"><a class="gh-head-logo" href="/">Lamplight</a><ul class="nav">{menu}<li><a href="/about/">About</a></li></ul><a class="gh-head-button" href="#/portal/signup">Subscribe</a></header><main class="gh-main">{main}</main><footer class="gh-foot"><a href="/membership/">Membership</a> Powered by Ghost</footer></div></body></html>'
        )

    def _rss(self) -> str:
        rows = "".join(
            f"<item><title><![CDATA[{s.title}]]></title><link>{self.url(s)}</link><guid isPermaLink='false'>{65 + s.number:024x}</guid><pubDate>{format_datetime(s.at.astimezone(dt.UTC), usegmt=True)}</pubDate><description><![CDATA[{cut(s.paragraphs, 90)}]]></description></item>"
            for s in self.stories[:15]
        )
        return f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Lamplight</title><link>{self.home}</link>{rows}</channel></rss>'

    def _sitemap(self, part: str) -> Reply | None:
        urls = {
            "posts": [self.url(s) for s in self.stories],
            "pages": [f"{self.home}about/", f"{self.home}membership/"],
            "tags": [f"{self.home}tag/{key}/" for key in self.sections],
            "authors": [f"{self.home}author/{slug(one)}/" for one in self.staff],
        }.get(part)
        if urls is None:
            return None
        rows = "".join(f"<url><loc>{url}</loc><lastmod>{self.now.isoformat()}</lastmod></url>" for url in urls)
        return Reply(
            f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>',
            type="text/xml",
        )
