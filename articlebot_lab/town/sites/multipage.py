"""A Chinese magazine of long reads: articles of one to four pages, a print view, lists index_2.html."""

from __future__ import annotations

import math

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class MultiPage(Site):
    """The text of an article goes on at 123_2.html; its further pages and its print view are no articles of their own."""

    name, build = "multipage", "articles of up to four pages 123_2.html, print views, index_2.html"
    domain, size, days, language, zone = "changpian.test", 44, 60.0, "zh", CHINA
    sections = {"shendu": "深度", "renwu": "人物", "lishi": "历史"}

    def _stories(self) -> list[Story]:
        return [
            Story(
                s.number,
                s.title,
                self.write.paragraphs(4 + 4 * (s.number % 4), 6 + 4 * (s.number % 4)),
                s.author,
                s.section,
                s.at,
            )
            for s in super()._stories()
        ]

    def _base(self, s: Story) -> str:
        return f"/{s.section}/{s.at:%Y-%m}/{9100 + s.number}"

    def link(self, story: Story) -> str:
        return self._base(story) + ".html"

    def _parts(self, s: Story) -> list[tuple[str, ...]]:
        size = math.ceil(len(s.paragraphs) / (s.number % 4 + 1))
        return [s.paragraphs[at : at + size] for at in range(0, len(s.paragraphs), size)]

    def pages_of(self, story: Story) -> int:
        return len(self._parts(story))

    def twins(self, story: Story) -> list[str]:
        return [f"{self.home[:-1]}{self._base(story)}_{n + 1}.html" for n in range(1, len(self._parts(story)))] + [
            f"{self.home}print/{9100 + story.number}.html"
        ]

    def answer(self, request: Request) -> Reply | str | None:
        path = request.path
        if path in ("/", "/index.html"):
            rows = "".join(
                f'<div class="big"><a href="{self.link(s)}"><img src="/p/{s.number}.jpg"></a><h3><a href="{self.link(s)}">{esc(s.title)}</a></h3></div>'
                for s in self.stories[:9]
            )
            return self._page("长篇", f'<div class="focus">{rows}</div>')
        parts = path.strip("/").split("/")
        if parts[0] in self.sections and len(parts) <= 2 and (len(parts) == 1 or parts[1].startswith("index")):
            name = parts[1] if len(parts) == 2 else "index.html"
            pages = pages_of(self.of(parts[0]), 6)
            at = number_of(name.removeprefix("index").removeprefix("_").removesuffix(".html"), len(pages))
            return self._list(parts[0], pages, at) if at else None
        if parts[0] == "print":
            story = next((s for s in self.stories if path == f"/print/{9100 + s.number}.html"), None)
            return (
                f"<html><head><title>打印 {esc(story.title)}</title></head><body onload='print()'><h1>{esc(story.title)}</h1><p>{story.at:%Y-%m-%d %H:%M}</p>{''.join(f'<p>{esc(p)}</p>' for p in story.paragraphs)}</body></html>"
                if story
                else None
            )
        for s in self.stories:
            for n, part in enumerate(self._parts(s)):
                if path == (f"{self._base(s)}_{n + 1}.html" if n else self.link(s)):
                    return self._single(s, n, part)
        return None

    def _list(self, key: str, pages: list[list[Story]], at: int) -> str:
        rows = "".join(
            f'<li><h4><a href="{self.link(s)}">{esc(s.title)}</a></h4><p>{esc(cut(s.paragraphs, 70))}</p><i>{s.at:%Y/%m/%d}</i></li>'
            for s in pages[at - 1]
        )
        numbers = "".join(
            f"<em>{n}</em>" if n == at else f'<a href="/{key}/{"index" if n == 1 else f"index_{n}"}.html">{n}</a>'
            for n in range(1, len(pages) + 1)
        )
        return self._page(
            self.sections[key],
            f'<div class="cat-title">{self.sections[key]}</div><ul class="longlist">{rows}</ul><div class="pagenav">{numbers}</div>',
        )

    def _single(self, s: Story, at: int, part: tuple[str, ...]) -> str:
        parts = self._parts(s)
        names = [f"{9100 + s.number}{f'_{n + 1}' if n else ''}.html" for n in range(len(parts))]
        numbers = "".join(
            f"<strong>{n + 1}</strong>" if n == at else f'<a href="{names[n]}">{n + 1}</a>' for n in range(len(parts))
        )
        nav = (
            f'<div class="page_css">{f"<a href={chr(34)}{names[at - 1]}{chr(34)}>上一页</a>" if at else ""}{numbers}{f"<a href={chr(34)}{names[at + 1]}{chr(34)}>下一页</a>" if at + 1 < len(parts) else ""}</div>'
            if len(parts) > 1
            else ""
        )
        text = "".join(f"<p>　　{esc(p)}</p>" for p in part)
        main = (
            f'<div class="pos">您的位置：<a href="/">首页</a>&gt;<a href="/{s.section}/">{self.sections[s.section]}</a></div><h1 class="arti_title">{esc(s.title)}</h1><div class="arti_meta"><span>{s.at:%Y年%m月%d日 %H:%M}</span><span>文／{s.author}</span><a href="/print/{9100 + s.number}.html" target="_blank">打印</a></div>'
            f'<div class="arti_content">{text}</div>{nav}<div class="arti_more"><h5>延伸阅读</h5>{"".join(f"<a href={chr(34)}{self.link(o)}{chr(34)}>{esc(o.title)}</a>" for o in self.near(s, 4))}</div>'
        )
        return self._page(esc(s.title), main)

    def _page(self, title: str, main: str) -> str:
        menu = "".join(f'<a href="/{key}/">{name}</a>' for key, name in self.sections.items())
        return f'<!DOCTYPE html><html lang="zh-cmn-Hans"><head><meta charset="utf-8"><title>{title}_长篇</title></head><body><div class="hd"><a class="logo" href="/">长篇</a><nav>{menu}</nav></div><div class="bd">{main}</div><div class="ft">长篇编辑部 沪ICP备0000000号 <a href="/zhengwen.html">征稿</a></div></body></html>'
