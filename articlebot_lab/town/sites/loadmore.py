"""A city guide whose lists grow by a button: data-url names the next fragment of HTML."""

from __future__ import annotations

import datetime as dt

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import slug


class LoadMore(Site):
    """Lists show eight; ``<button data-url="/fragments/food?offset=8">`` answers eight more and the next button."""

    name, build = "loadmore", "load-more buttons: data-url answers fragments of HTML"
    domain, size, days = "citybeat.test", 64, 45.0
    zone = dt.timezone(dt.timedelta(hours=-8))
    sections = {"food": "Food & Drink", "stage": "On Stage", "streets": "Streets"}

    def link(self, story: Story) -> str:
        return f"/{story.section}/{story.at:%Y%m%d}-{slug(story.title, 5)}.html"

    def answer(self, request: Request) -> Reply | str | None:
        path, key = request.path, request.path.strip("/")
        if path == "/":
            return self._page(
                "City Beat",
                f'<section class="top">{self._tiles(self.stories[:4])}</section>{self._more("latest", self.stories, 1)}',
            )
        if key in self.sections:
            return self._page(
                esc(self.sections[key]), f"<h1>{esc(self.sections[key])}</h1>{self._more(key, self.of(key), 1)}"
            )
        if path.startswith("/fragments/"):
            key = path.removeprefix("/fragments/")
            stories = self.stories if key == "latest" else self.of(key)
            at = number_of(request.args.get("page"), len(pages_of(stories, 8)))
            return Reply(self._more(key, stories, at)) if stories and at else None
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _tiles(self, stories: list[Story]) -> str:
        return "".join(
            f'<div class="tile" data-id="{s.number}"><a href="{self.link(s)}"><img src="/img/{s.number}.webp" alt=""><strong>{esc(s.title)}</strong></a><em>{s.at:%b %-d}</em></div>'
            for s in stories
        )

    def _more(self, key: str, stories: list[Story], at: int) -> str:
        pages = pages_of(stories, 8)
        button = (
            f'<button class="js-load-more" data-url="/fragments/{key}?page={at + 1}" data-target="#stream">Load more stories</button>'
            if at < len(pages)
            else ""
        )
        body = f"{self._tiles(pages[at - 1])}{button}"
        return f'<div id="stream">{body}</div>' if at == 1 else body

    def _single(self, s: Story) -> str:
        text = "".join(
            f'<p class="c-par">{esc(p)}</p>'
            + ('<div class="ad-slot" data-unit="mid"><span>Advertisement</span></div>' if n == 1 else "")
            for n, p in enumerate(s.paragraphs)
        )
        stamp = f"{s.at:%b. %-d, %Y, %-I:%M} {'a.m.' if s.at.hour < 12 else 'p.m.'} PST"
        main = (
            f'<div class="story"><div class="kicker"><a href="/{s.section}">{esc(self.sections[s.section])}</a></div><h1>{esc(s.title)}</h1><div class="byline">By <a href="/people/{slug(s.author)}">{s.author}</a> | <span class="stamp">{stamp}</span></div>'
            f'<div class="tools"><a href="mailto:?subject=x">Email</a><a href="#" class="fb">Share</a></div>{text}<div class="tagline"><i>{s.author} writes for City Beat.</i></div></div><aside class="rail"><h4>Most read</h4>{self._tiles(self.near(s, 4))}</aside>'
        )
        return self._page(esc(s.title), main)

    def _page(self, title: str, main: str) -> str:
        menu = "".join(f'<a href="/{key}">{esc(name)}</a>' for key, name in self.sections.items())
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} — City Beat</title></head><body><div class="masthead"><a href="/"><b>City Beat</b></a><div class="menu">{menu}</div></div><div class="wrap">{main}</div>'
            "<div class='bottom'><a href='/advertise'>Advertise</a> <a href='/masthead'>Masthead</a></div><script>document.addEventListener('click',function(e){var u=e.target.dataset.url;if(u)fetch(u).then(r=>r.text()).then(h=>{e.target.outerHTML=h})});</script></body></html>"
        )
