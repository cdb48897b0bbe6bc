"""A Chinese portal of articles, videos and galleries in one list."""

from __future__ import annotations

import dataclasses

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class Media(Site):
    """A third of the stories are videos or galleries; they may be published, as what they are."""

    name, build = "media", "videos and galleries among the articles; /page/2 in each channel"
    domain, size, days, language, zone = "guanchatai.test", 66, 22.0, "zh", CHINA
    sections = {"shizheng": "时政", "shenghuo": "生活", "tiyu": "体育"}

    def kind(self, story: Story) -> Story:
        why = {1: "video", 4: "gallery"}.get(story.number % 6)
        if why is None:
            return story
        return dataclasses.replace(
            story, wanted="may", why=why, paragraphs=story.paragraphs[:1] if why == "video" else story.paragraphs
        )

    def link(self, story: Story) -> str:
        folder = {"video": "v", "gallery": "pic"}.get(story.why, "c")
        return f"/{folder}/{story.at:%Y-%m-%d}/{880000 + story.number * 11}"

    def answer(self, request: Request) -> Reply | str | None:
        path = request.path
        if path == "/":
            tiles = "".join(self._row(s) for s in self.stories[:12])
            return self._page("观察台", f'<div class="slider">{tiles}</div>')
        base, _, page = path.partition("/page/")
        key = base.strip("/")
        if key in self.sections:
            pages = pages_of(self.of(key), 9)
            at = number_of(page.strip("/"), len(pages))
            return self._list(key, pages, at) if at else None
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _row(self, s: Story) -> str:
        badge = {"video": '<i class="play">视频</i>', "gallery": '<i class="pics">图集</i>'}.get(s.why, "")
        return f'<div class="item">{badge}<a href="{self.link(s)}" target="_blank"><img data-src="/cover/{s.number}.jpg">{esc(s.title)}</a><span>{s.at:%m月%d日}</span></div>'

    def _list(self, key: str, pages: list[list[Story]], at: int) -> str:
        nav = f'<a class="prev" href="/{key}/page/{at - 1}">上页</a>' if at > 1 else ""
        nav += f"<span>第{at}页/共{len(pages)}页</span>" + (
            f'<a class="next" href="/{key}/page/{at + 1}">下页</a>' if at < len(pages) else ""
        )
        return self._page(
            self.sections[key],
            f'<div class="ch">{self.sections[key]}</div>{"".join(self._row(s) for s in pages[at - 1])}<div class="turn">{nav}</div>',
        )

    def _single(self, s: Story) -> str:
        info = f'<div class="src"><span>{s.at:%Y-%m-%d %H:%M:%S}</span><span>观察台</span></div>'
        if s.why == "video":
            main = f'<div class="player"><video controls poster="/cover/{s.number}.jpg"><source src="/media/{s.number}.mp4" type="video/mp4"></video></div><h1>{esc(s.title)}</h1>{info}<div class="desc">{esc(cut(s.paragraphs, 60))}</div>'
        elif s.why == "gallery":
            pics = "".join(
                f'<li><img src="/big/{s.number}_{n}.jpg"><p>图{n + 1}：{esc(cut((p,), 36))}</p></li>'
                for n, p in enumerate(s.paragraphs)
            )
            main = f'<h1>{esc(s.title)}</h1>{info}<ul class="gallery" data-count="{len(s.paragraphs)}">{pics}</ul>'
        else:
            main = f'<h1>{esc(s.title)}</h1>{info}<div class="article-body">{"".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)}</div><div class="editor">责任编辑：{s.author}</div>'
        side = "".join(f'<li><a href="{self.link(o)}">{esc(o.title)}</a></li>' for o in self.near(s, 6))
        return self._page(
            esc(s.title),
            f'<div class="left">{main}</div><div class="right"><h3>热榜</h3><ol>{side}</ol></div>',
            '<meta property="og:type" content="video">' if s.why == "video" else "",
        )

    def _page(self, title: str, main: str, head: str = "") -> str:
        menu = "".join(f'<a href="/{key}">{name}</a>' for key, name in self.sections.items())
        return f'<!DOCTYPE html><html><head><meta charset="UTF-8">{head}<title>{title}-观察台</title></head><body><div class="topbar"><a href="/">观察台</a>{menu}<a href="/app">客户端</a></div><div class="container">{main}</div><div class="btm">互联网新闻信息服务许可证 举报电话 12377</div></body></html>'
