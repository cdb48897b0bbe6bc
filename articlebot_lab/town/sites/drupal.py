"""A paper on Drupal whose archive only sitemaps name: robots.txt declares an index, its parts are gzipped."""

from __future__ import annotations

import datetime as dt

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, zipped
from articlebot_lab.town.words import cut, slug


class Drupal(Site):
    """The home page shows eight stories and no list goes on; three gzipped sitemaps and a news sitemap name all."""

    name, build = "drupal", "Drupal: nothing but sitemaps; index in robots.txt, .gz parts, news sitemap"
    domain, size, days = "chronicle.test", 120, 200.0
    sections = {"politics": "Politics", "economy": "Economy", "science": "Science"}
    disallowed = ("/user/", "/search/", "/admin/", "/node/add/")

    def robots(self) -> str:
        return super().robots() + f"\nSitemap: {self.home}sitemaps/index.xml\nSitemap: {self.home}news-sitemap.xml\n"

    def link(self, story: Story) -> str:
        return f"/{story.section}/{slug(story.title, 7)}"

    def twins(self, story: Story) -> list[str]:
        return [f"{self.home}node/{8800 + story.number}"]

    def answer(self, request: Request) -> Reply | str | None:
        path = request.path
        if path == "/":
            return self._front()
        if path == "/sitemaps/index.xml":
            return Reply(self._index(), type="application/xml")
        if path.startswith("/sitemaps/part-") and path.endswith(".xml.gz"):
            at = path.removeprefix("/sitemaps/part-").removesuffix(".xml.gz")
            return zipped(self._part(int(at))) if at in ("1", "2", "3") else None
        if path == "/news-sitemap.xml":
            return Reply(self._news(), type="application/xml")
        if path in ("/about-us", "/contact", "/newsletter"):
            return self._page(path[1:].title(), f"<h1>{path[1:].title()}</h1><p>The Chronicle, founded 1911.</p>")
        if path.startswith("/node/") and path[6:].isdigit():
            story = next((s for s in self.stories if 8800 + s.number == int(path[6:])), None)
            return self._single(story) if story else None
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _front(self) -> str:
        rows = "".join(
            f'<div class="views-row"><div class="views-field views-field-title"><span class="field-content"><a href="{self.link(s)}" hreflang="en">{esc(s.title)}</a></span></div><div class="views-field-body">{esc(cut(s.paragraphs, 110))}</div></div>'
            for s in self.stories[:8]
        )
        return self._page(
            "The Chronicle",
            f'<div class="view view-frontpage">{rows}</div><div class="block-newsletter"><a href="/newsletter">Get our weekly letter</a></div>',
        )

    def _single(self, s: Story) -> str:
        text = "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        head = (
            f'<link rel="canonical" href="{self.url(s)}"><link rel="shortlink" href="{self.twins(s)[0]}"><meta property="og:title" content="{esc(s.title)}">'
            f'<meta property="article:published_time" content="{s.at:%Y-%m-%dT%H:%M:%S+0000}"><meta property="article:modified_time" content="{s.at + dt.timedelta(hours=2):%Y-%m-%dT%H:%M:%S+0000}">'
        )
        main = (
            f'<nav class="breadcrumb"><ol><li><a href="/">Home</a></li><li>{self.sections[s.section]}</li></ol></nav><article role="article" about="{self.link(s)}" class="node node--type-article node--view-mode-full"><h1 class="page-title"><span class="field field--name-title">{esc(s.title)}</span></h1>'
            f'<footer class="node__meta"><div class="node__submitted">Submitted by <span lang="" typeof="schema:Person">{s.author}</span> on <time datetime="{s.at:%Y-%m-%dT%H:%M:%SZ}">{s.at:%a, %m/%d/%Y - %H:%M}</time></div></footer>'
            f'<div class="node__content"><div class="clearfix text-formatted field field--name-body field__item">{text}</div><div class="node__links"><ul class="links inline"><li><a href="/user/login?destination={self.link(s)}">Log in</a> to post comments</li></ul></div></div></article>'
        )
        return self._page(esc(s.title) + " | The Chronicle", main, head)

    def _page(self, title: str, main: str, head: str = "") -> str:
        return (
            f'<!DOCTYPE html><html lang="en" dir="ltr" prefix="og: https://ogp.me/ns#"><head><meta charset="utf-8" /><meta name="Generator" content="Drupal 10 (https://www.drupal.org)" />{head}<title>{title}</title></head><body class="path-node">'
            '<a href="#main-content" class="visually-hidden focusable">Skip to main content</a><header class="header"><a href="/" rel="home">The Chronicle</a><ul class="menu"><li><a href="/about-us">About us</a></li><li><a href="/contact">Contact</a></li><li><a href="/user/login">Log in</a></li></ul></header>'
            f'<main role="main"><a id="main-content"></a>{main}</main><footer class="site-footer"><a href="/contact">Feedback</a><span>Powered by <a href="https://www.drupal.org">Drupal</a></span></footer></body></html>'
        )

    def _index(self) -> str:
        rows = "".join(
            f"<sitemap><loc>{self.home}sitemaps/part-{n}.xml.gz</loc><lastmod>{self.now:%Y-%m-%d}</lastmod></sitemap>"
            for n in (1, 2, 3)
        )
        return f'<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'

    def _part(self, at: int) -> str:
        stories = self.stories[40 * (at - 1) : 40 * at]
        plain = f"<url><loc>{self.home}about-us</loc></url><url><loc>{self.home}contact</loc></url>" if at == 1 else ""
        rows = "".join(
            f"<url><loc>{self.url(s)}</loc><lastmod>{s.at.isoformat()}</lastmod><changefreq>monthly</changefreq></url>"
            for s in stories
        )
        return f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{plain}{rows}</urlset>'

    def _news(self) -> str:
        rows = "".join(
            f"<url><loc>{self.url(s)}</loc><news:news><news:publication><news:name>The Chronicle</news:name><news:language>en</news:language></news:publication><news:publication_date>{s.at.isoformat()}</news:publication_date><news:title>{esc(s.title)}</news:title></news:news></url>"
            for s in self.stories[:4]
        )
        return f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">{rows}</urlset>'
