"""A paper with every kind of second address: ?from=, AMP, mobile, print; and one that prints others' stories."""

from __future__ import annotations

import dataclasses
import datetime as dt

from articlebot_lab.town.model import CHINA, Reply, Request, Story, esc
from articlebot_lab.town.sites.plain import Plain
from articlebot_lab.town.words import Writer


class Twins(Plain):
    """Lists link ?from=home and ?ref=section; pages link AMP, mobile and print views; some state no canonical."""

    name, build = "twins", "?from=home, ?ref=, /amp, m. and print twins, half of them without rel=canonical"
    title, domain, size, days = "Mirror Lane", "mirrorlane.test", 48, 30.0
    zone = dt.timezone(dt.timedelta(hours=-5))
    idle = ("from", "ref")
    sections = {"city": "City", "sport": "Sport", "culture": "Culture"}

    def twins(self, story: Story) -> list[str]:
        url = self.url(story)
        return [f"{url}?from=home", f"{url}?ref=section", f"{url}?view=print", f"{url}/amp", url.replace("www.", "m.")]

    def front(self, request: Request) -> str:
        return self._marked(super().front(request), "from=home")

    def listed(self, request: Request) -> str | None:
        page = super().listed(request)
        return self._marked(page, "ref=section") if page else None

    def _marked(self, page: str, mark: str) -> str:
        for s in self.stories:
            page = page.replace(f'href="{self.link(s)}"', f'href="{self.link(s)}?{mark}"')
        return page

    def single(self, request: Request) -> Reply | str | None:
        story = self.story_at(request.path.removesuffix("/amp"))
        if story is None:
            return None
        canonical = f'<link rel="canonical" href="{self.url(story)}">' if story.number % 2 else ""
        views = f'<link rel="amphtml" href="{self.url(story)}/amp"><link rel="alternate" media="only screen and (max-width: 640px)" href="{self.url(story).replace("www.", "m.")}">'
        if request.path.endswith("/amp"):
            text = "".join(f"<p>{esc(p)}</p>" for p in story.paragraphs)
            return f'<!doctype html><html amp lang="en"><head><meta charset="utf-8"><title>{esc(story.title)}</title><link rel="canonical" href="{self.url(story)}">{self.head(story)}</head><body><h1>{esc(story.title)}</h1><p>{story.author}</p>{text}<amp-ad width=300 height=250></amp-ad></body></html>'
        if "view=print" in request.query:
            return f"<html><head><title>{esc(story.title)}</title>{canonical}{self.head(story)}</head><body><h1>{esc(story.title)}</h1>{''.join(f'<p>{esc(p)}</p>' for p in story.paragraphs)}</body></html>"
        tools = f'<p class="tools"><a href="{self.link(story)}?view=print">Print</a> <a href="{self.link(story)}/amp">AMP</a> <a href="{self.url(story).replace("www.", "m.")}">Mobile</a></p>'
        return self.layout(
            esc(story.title),
            self.text(story).replace("</article>", f"{tools}</article>"),
            self.head(story) + canonical + views,
        )


class Reprints(Plain):
    """Half of the stories are agencies', word for word, with the source's name and a link to it; some came twice."""

    name, build = "reprints", "reprints of agencies' stories with links to the source; ?p=2"
    title, domain, size, days, language, zone = "转载天地", "zhuanzaitiandi.test", 56, 20.0, "zh", CHINA
    sections = {"yaowen": "要闻", "shehui": "社会", "yule": "文娱"}
    agencies = ("临溪日报", "东浦通讯社", "云桥晚报")

    def __init__(self, seed: int, now: dt.datetime) -> None:
        super().__init__(seed, now)
        # An agency's own words, which other papers of its world print as well.
        agency = Writer(self.rng, "zh")
        self.stories = [
            dataclasses.replace(s, title=agency.title(), paragraphs=agency.paragraphs()) if s.number % 2 else s
            for s in self.stories
        ]
        # One text under two headlines of two desks: both are articles of this site.
        for number in (10, 30):
            self.stories[number] = dataclasses.replace(
                self.stories[number], paragraphs=self.stories[number - 5].paragraphs
            )

    def link(self, story: Story) -> str:
        return f"/{story.section}/{story.at:%Y/%m%d}/c{story.number + 100}-{2150000 + story.number * 3}.html"

    def head(self, s: Story) -> str:
        return f'<meta name="publishdate" content="{s.at:%Y-%m-%d %H:%M:%S}">'

    def text(self, s: Story, paragraphs: str = "") -> str:
        source = self.agencies[s.number % 3]
        origin = (
            f'<p class="origin">来源：<a href="http://news.agency{s.number % 3}.test/a/{s.number}.html">{source}</a> {s.at:%Y-%m-%d %H:%M}</p>'
            if s.number % 2
            else f'<p class="origin">来源：本网 {s.at:%Y-%m-%d %H:%M}</p>'
        )
        body = "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        also = "".join(f'<li><a href="{self.link(o)}">{esc(o.title)}</a></li>' for o in self.near(s, 5))
        return f'<div class="wz"><a href="/">首页</a>－<a href="/section/{s.section}">{self.sections[s.section]}</a></div><div class="con"><h1>{esc(s.title)}</h1>{origin}<div class="rm_txt_con">{body}</div><div class="edit">（责编：{self.staff[1]}、{self.staff[2]}）</div><div class="share">分享让更多人看到</div></div><ul class="tuijian">{also}</ul>'
