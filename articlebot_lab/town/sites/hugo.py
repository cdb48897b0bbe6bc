"""A magazine made by Hugo: static pages, an Atom feed of excerpts, pages of ten."""

from __future__ import annotations

import datetime as dt

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut, slug


class Hugo(Site):
    """The Atom feed names twenty stories with an excerpt each; older ones stand on /posts/page/2/."""

    name, build = "hugo", "Hugo: Atom of excerpts, /posts/page/2/, terms"
    domain, www, size, days = "fieldnotes.example.org", "", 60, 90.0
    zone = dt.timezone(dt.timedelta(hours=1))
    sections = {"rivers": "Rivers", "towns": "Towns", "people": "People"}

    def link(self, story: Story) -> str:
        return f"/posts/{slug(story.title, 6)}/"

    def answer(self, request: Request) -> Reply | str | None:
        path = request.path
        if path == "/":
            rows = "".join(self._card(s) for s in self.stories[:6])
            return self._page(
                "Field Notes",
                f'<section class="hero"><p>Slow journalism from the river country.</p></section><div class="grid">{rows}</div><a class="btn" href="/posts/">All posts &rarr;</a>',
            )
        if path == "/atom.xml":
            return Reply(self._atom(), type="application/atom+xml")
        if path == "/categories/":
            return self._page(
                "Categories", "".join(f'<li><a href="/categories/{k}/">{n}</a></li>' for k, n in self.sections.items())
            )
        if path == "/about/":
            return self._page("About", "<h1>About</h1><p>Two editors, one bicycle.</p>")
        base, _, page = path.partition("page/")
        key = base.strip("/").removeprefix("categories/")
        stories = self.stories if base == "/posts/" else self.of(key) if base == f"/categories/{key}/" else []
        if stories:
            pages = pages_of(stories, 10)
            at = number_of(page.strip("/"), len(pages))
            return self._list(base, pages[at - 1], at, len(pages)) if at else None
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _card(self, s: Story) -> str:
        return f'<div class="card"><a href="{self.link(s)}"><h3>{esc(s.title)}</h3></a><small>{s.at:%-d %b %Y} · {len(s.body) // 1200 + 1} min read</small><p>{esc(cut(s.paragraphs, 120))}</p></div>'

    def _list(self, base: str, stories: list[Story], at: int, count: int) -> str:
        back = (
            f'<li class="page-item"><a href="{base if at == 2 else f"{base}page/{at - 1}/"}" aria-label="Previous">&laquo;</a></li>'
            if at > 1
            else ""
        )
        forth = (
            f'<li class="page-item"><a href="{base}page/{at + 1}/" aria-label="Next">&raquo;</a></li>'
            if at < count
            else ""
        )
        return self._page(
            "Posts",
            f'{"".join(self._card(s) for s in stories)}<ul class="pagination">{back}<li class="page-item active">{at} / {count}</li>{forth}</ul>',
        )

    def _single(self, s: Story) -> str:
        ld = (
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":"BlogPosting",'
            f'"headline":"{s.title.replace(chr(34), "")}","datePublished":"{s.at.isoformat()}","author":{{"@type":"Person","name":"{s.author}"}}}}</script>'
        )
        text = "\n".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        toc = '<details class="toc"><summary>Table of contents</summary><nav><ul><li><a href="#notes">Notes</a></li></ul></nav></details>'
        main = (
            f'<article><header><h1>{esc(s.title)}</h1><div class="meta"><span>{s.at:%-d %B %Y}</span> · <span>{s.author}</span> · <a href="/categories/{s.section}/">{self.sections[s.section]}</a></div></header>'
            f'{toc}<div class="post-content">{text}</div><footer><ul class="see-also">{"".join(f"<li><a href={chr(34)}{self.link(o)}{chr(34)}>{esc(o.title)}</a></li>" for o in self.near(s, 4))}</ul></footer></article>'
        )
        return self._page(esc(s.title), main, ld + f'<link rel="canonical" href="{self.url(s)}">')

    def _page(self, title: str, main: str, head: str = "") -> str:
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="generator" content="Hugo 0.121.1"><title>{title}</title>'
            f'<link rel="alternate" type="application/atom+xml" href="/atom.xml" title="Field Notes">{head}</head><body><header class="site"><a href="/">Field Notes</a>'
            '<nav><a href="/posts/">Posts</a><a href="/categories/">Categories</a><a href="/about/">About</a></nav></header>'
            f"<main>{main}</main><footer>&copy; {self.now.year} Field Notes · <a href='/atom.xml'>Atom</a> · Made with Hugo</footer></body></html>"
        )

    def _atom(self) -> str:
        rows = "".join(
            f'<entry><title>{esc(s.title)}</title><link href="{self.url(s)}"/><id>{self.url(s)}</id><published>{s.at.isoformat()}</published><updated>{s.at.isoformat()}</updated><summary>{esc(cut(s.paragraphs, 140))}</summary></entry>'
            for s in self.stories[:20]
        )
        return f'<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Field Notes</title><id>{self.home}</id><updated>{self.now.isoformat()}</updated>{rows}</feed>'
