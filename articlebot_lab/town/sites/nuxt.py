"""A Chinese portal on Nuxt 3: lists live in the payload ``__NUXT_DATA__``, a flat array of references."""

from __future__ import annotations

import json
from typing import Any

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc
from articlebot_lab.town.words import cut


def flat(value: Any) -> list[Any]:
    """A value as Nuxt keeps it: an array in which objects and lists hold the places of what they contain."""
    out: list[Any] = []

    def put(one: Any) -> int:
        at = len(out)
        out.append(None)
        if isinstance(one, dict):
            out[at] = {key: put(item) for key, item in one.items()}
        elif isinstance(one, list):
            out[at] = [put(item) for item in one]
        else:
            out[at] = one
        return at

    put(value)
    return out


class Nuxt(Site):
    """The document of a list has no links to stories: they are in its payload, all of a channel at once."""

    name, build = "nuxt", "Nuxt 3: lists only in __NUXT_DATA__"
    domain, size, days, language, zone = "xinkebao.test", 60, 20.0, "zh", CHINA
    sections = {"ai": "智能", "chip": "芯片", "space": "航天"}

    def link(self, story: Story) -> str:
        return f"/article/{70311 + story.number * 17}"

    def answer(self, request: Request) -> Reply | str | None:
        path, key = request.path, request.path.removeprefix("/channel/")
        if path == "/":
            return self._list("新科报", self.stories[:15])
        if path.startswith("/channel/") and key in self.sections:
            return self._list(self.sections[key], self.of(key))
        if path in ("/about", "/join"):
            return self._page("关于", '<div class="about">新科报关注科学与技术。</div>', {"page": "about"})
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _list(self, title: str, stories: list[Story]) -> str:
        rows = [
            {
                "id": 70311 + s.number * 17,
                "title": s.title,
                "url": self.link(s),
                "summary": cut(s.paragraphs, 40),
                "publishTime": s.at.isoformat(),
                "cover": f"/img/{s.number}.jpg",
            }
            for s in stories
        ]
        return self._page(
            title,
            '<div class="feed-list"><div class="skeleton"></div><div class="skeleton"></div><div class="skeleton"></div></div>',
            {"feed": {"list": rows, "total": len(rows), "hasMore": False}},
        )

    def _single(self, s: Story) -> str:
        text = "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        main = f'<article class="detail"><h1 class="detail-title">{esc(s.title)}</h1><div class="detail-info"><span class="author">{s.author}</span><span class="time">{s.at:%Y年%m月%d日 %H:%M}</span><span>阅读 {s.number * 31}</span></div><div class="detail-content">{text}</div><div class="copyright">本文系新科报原创，转载请注明出处。</div><div class="like-bar"><button>点赞</button><button>收藏</button></div></article>'
        return self._page(esc(s.title), main, {"article": {"id": s.number, "title": s.title}})

    def _page(self, title: str, main: str, state: dict[str, Any]) -> str:
        data = json.dumps(
            flat({"data": state, "state": {}, "once": [], "_errors": {}, "serverRendered": True, "path": "/"}),
            ensure_ascii=False,
        ).replace("<", "\\u003c")
        menu = "".join(f'<a href="/channel/{key}" class="nav-item">{name}</a>' for key, name in self.sections.items())
        return (
            f'<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8"><title>{title} - 新科报</title><link rel="modulepreload" as="script" crossorigin href="/_nuxt/entry.b1a.js"></head><body><div id="__nuxt"><div class="layout"><header><a href="/" class="logo">新科报</a>{menu}</header>{main}<footer><a href="/about">关于我们</a><a href="/join">加入我们</a></footer></div></div>'
            f'<script type="application/json" id="__NUXT_DATA__" data-ssr="true">{data}</script><script type="module" src="/_nuxt/entry.b1a.js" crossorigin></script></body></html>'
        )
