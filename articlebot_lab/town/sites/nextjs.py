"""A news site on Next.js: the document links a third of what ``__NEXT_DATA__`` names."""

from __future__ import annotations

import json
from typing import Any

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut, slug


class NextJs(Site):
    """Each list holds thirty stories as data, of which ten are links; older ones come from /api/stories?page=2."""

    name, build = "nextjs", "Next.js: __NEXT_DATA__ with three times the links of the document"
    domain, size, days = "northline.test", 60, 25.0
    sections = {"world": "World", "climate": "Climate"}

    def link(self, story: Story) -> str:
        return f"/story/{slug(story.title, 6)}-{story.number + 0xA31F:x}"

    def answer(self, request: Request) -> Reply | str | None:
        path, key = request.path, request.path.strip("/")
        if path == "/":
            return self._page(
                "Northline",
                {"stories": self._rows(self.stories[:12]), "sections": dict(self.sections)},
                self._cards(self.stories[:6]),
                "/",
            )
        if key in self.sections:
            stories = self.of(key)
            data = {"section": key, "stories": self._rows(stories[:40]), "nextPage": None, "total": len(stories)}
            return self._page(
                self.sections[key],
                data,
                self._cards(stories[:10]) + '<button class="css-1x2 load" type="button">Show more</button>',
                "/[section]",
            )
        if path == "/api/stories":
            pages = pages_of(self.stories, 20)
            at = number_of(request.args.get("page"), len(pages))
            return Reply(json.dumps({"items": self._rows(pages[at - 1]) if at else []}), type="application/json")
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _rows(self, stories: list[Story]) -> list[dict[str, Any]]:
        return [
            {
                "id": 41759 + s.number,
                "slug": self.link(s).removeprefix("/story/"),
                "href": self.link(s),
                "headline": s.title,
                "publishedAt": s.at.isoformat(),
                "dek": cut(s.paragraphs, 80),
                "byline": {"name": s.author},
            }
            for s in stories
        ]

    def _cards(self, stories: list[Story]) -> str:
        return "".join(
            f'<div class="css-k3v"><a class="css-9qa" href="{self.link(s)}"><span class="css-h">{esc(s.title)}</span></a><p class="css-p">{esc(cut(s.paragraphs, 80))}</p></div>'
            for s in stories
        )

    def _single(self, s: Story) -> str:
        blocks = "".join(f'<div class="css-body"><p class="css-txt">{esc(p)}</p></div>' for p in s.paragraphs)
        data = {
            "story": {
                "headline": s.title,
                "publishedAt": s.at.isoformat(),
                "body": [{"type": "paragraph", "text": p} for p in s.paragraphs],
                "author": s.author,
            },
            "related": self._rows(self.near(s, 3)),
        }
        main = f'<div class="css-art"><h1 class="css-hl">{esc(s.title)}</h1><div class="css-by">By <b>{s.author}</b></div><div class="css-dt"><time>{s.at:%B %-d, %Y}</time></div>{blocks}<div class="css-rel"><h2>More from Northline</h2>{self._cards(self.near(s, 3))}</div></div>'
        return self._page(
            esc(s.title),
            data,
            main,
            "/story/[slug]",
            f'<meta property="og:type" content="article"/><meta property="og:title" content="{esc(s.title)}"/>',
        )

    def _page(self, title: str, props: dict[str, Any], main: str, page: str, head: str = "") -> str:
        data = json.dumps(
            {
                "props": {"pageProps": props, "__N_SSP": True},
                "page": page,
                "query": {},
                "buildId": "kX2vT9pLq",
                "isFallback": False,
            }
        ).replace("<", "\\u003c")
        menu = "".join(f'<a class="css-nav" href="/{key}">{name}</a>' for key, name in self.sections.items())
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/><meta name="viewport" content="width=device-width"/><title>{title} | Northline</title>{head}<link rel="preload" href="/_next/static/css/3f1.css" as="style"/><noscript data-n-css=""></noscript></head>'
            f'<body><div id="__next"><header class="css-top"><a href="/">Northline</a>{menu}<a href="/search?q=">Search</a></header><main>{main}</main><footer class="css-f"><a href="/privacy">Privacy</a><a href="/terms">Terms</a></footer></div><script id="__NEXT_DATA__" type="application/json">{data}</script><script src="/_next/static/chunks/main-8d1.js" defer=""></script></body></html>'
        )
