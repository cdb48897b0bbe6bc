"""Sites whose older articles no link of a list leads to: neighbours, pressed buttons, modules, menus to choose from."""

from __future__ import annotations

import datetime as dt
import json
import random
import re
from urllib.parse import parse_qsl

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of, redirect
from articlebot_lab.town.words import slug


def _text(story: Story) -> str:
    return "".join(f"<p>{esc(part)}</p>" for part in story.paragraphs)


class Neighbours(Site):
    """The home page shows four; each article names the one before it, and nothing else does."""

    name, build = "neighbours", "a blog without lists: the one before, the one after"
    domain, www, size, sections = "slowpress.test", "", 36, {"notes": "Notes"}

    def link(self, story: Story) -> str:
        return f"/{story.at:%Y}/{slug(story.title)}"

    def answer(self, request: Request) -> str | None:
        if request.path == "/":
            rows = (
                f'<section><h2><a href="{self.link(s)}">{esc(s.title)}</a></h2></section>' for s in self.stories[:4]
            )
            return self._page("Slow Press", "".join(rows))
        story = next((s for s in self.stories if self.link(s) == request.path), None)
        if story is None:
            return None
        around = [s for n in (1, -1) for s in self.stories if s.number == story.number + n]
        links = (
            f'<a href="{self.link(s)}">{"←" if s.number > story.number else "→"} {esc(s.title)}</a>' for s in around
        )
        head = f"<h2>{esc(story.title)}</h2><p>{story.at:%A, %B %-d, %Y, %-I:%M %p} UTC by {story.author}</p>"
        return self._page(esc(story.title), f"<article>{head}{_text(story)}</article><p>{' '.join(links)}</p>")

    def _page(self, title: str, main: str) -> str:
        top = '<header><a href="/">Slow Press</a></header>'
        return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>{top}<main>{main}</main></html>'


class Postback(Site):
    """Lists turned by ``__doPostBack`` with the page's state; a session before each path, where there was none."""

    name, build = "postback", "ASP.NET: __doPostBack, /(S(…))/ in each path"
    domain, size, language, zone = "antai.test", 45, "zh", CHINA
    sections = {"3": "工作动态", "5": "通知公告"}
    _session = re.compile(r"/\(S\(\w+\)\)")

    def link(self, story: Story) -> str:
        return f"/Show.aspx?id={2000 - story.number}"

    def _bare(self, url: str) -> str:
        return super()._bare(self._session.sub("", url))

    def home_stories(self) -> set[int]:
        return {story.number for key in self.sections for story in self.of(key)[:6]}

    def answer(self, request: Request) -> Reply | str | None:
        session = self._session.match(request.path)
        if session is None:
            return redirect(f"/(S({random.Random(request.target).getrandbits(96):024x})){request.target}")
        top, path = session[0], request.path[session.end() :]
        if path == "/":
            lists = (f"<h3>{n}</h3>{self._rows(self.of(k)[:6], top)}" for k, n in self.sections.items())
            return self._page("安泰县", "".join(lists), top)
        if path == "/List.aspx" and (key := request.args.get("cid", "")) in self.sections:
            return self._list(request, key, top)
        story = next((s for s in self.stories if f"{path}?id={request.args.get('id')}" == self.link(s)), None)
        if story is None:
            return None
        head = f"<h2>{esc(story.title)}</h2><div>发布时间：{story.at:%Y-%m-%d %H:%M}　来源：{story.author}</div>"
        return self._page(esc(story.title), f"<div>{head}<div>{_text(story)}</div></div>", top)

    def _list(self, request: Request, key: str, top: str) -> Reply | str:
        pages, at, state = pages_of(self.of(key), 8), 1, f"/wEPDwUK{key}"
        if request.sent:
            sent = dict(parse_qsl(request.sent))
            at = number_of(sent.get("__EVENTARGUMENT"), len(pages), 0)
            if (
                not sent.get("__VIEWSTATE", "").startswith(state)
                or sent.get("__EVENTTARGET") != "ctl00$Pager"
                or not at
            ):
                return Reply("<h1>Validation of viewstate failed</h1>", 500)
        numbers = [n for n in range(1, len(pages) + 1) if n != at]
        pager = "".join(f"""<a href="javascript:__doPostBack('ctl00$Pager','{n}')">{n}</a>""" for n in numbers)
        hidden = f'<input type="hidden" name="__VIEWSTATE" value="{state}{at:04d}{"Q0FB" * 60}">'
        rows = self._rows(pages[at - 1], top)
        return self._page(self.sections[key], f'<form method="post">{hidden}{rows}<div>{pager}</div></form>', top)

    def _rows(self, stories: list[Story], top: str) -> str:
        rows = (f'<li><a href="{top}{self.link(s)}">{esc(s.title)}</a><span>{s.at:%m-%d}</span></li>' for s in stories)
        return f"<ul>{''.join(rows)}</ul>"

    def _page(self, title: str, main: str, top: str) -> str:
        menu = "".join(f'<a href="{top}/List.aspx?cid={k}">{n}</a>' for k, n in self.sections.items())
        return f"<html><meta charset='utf-8'><title>{title}</title><div class='nav'>{menu}</div>{main}</html>"


class Modules(Site):
    """The document lists ten; a module that the head alone names fetches the next ones by their number."""

    name, build = "modules", "SvelteKit: modulepreload, /api/posts?offset=&limit="
    domain, size, sections = "weirside.test", 44, {"all": "All"}
    zone = dt.timezone(dt.timedelta(hours=1))
    _module = (
        'import{s as e}from"../chunks/scheduler.js";const L=10;async function g(s){const r=await '
        "fetch(`/api/posts?offset=${s.length}&limit=${L}`),o=await r.json();return[...s,...o.posts]}"
    )

    def link(self, story: Story) -> str:
        return f"/a/{slug(story.title)}"

    def answer(self, request: Request) -> Reply | str | None:
        if request.path == "/":
            rows = (
                f'<article><h2><a href="{self.link(s)}">{esc(s.title)}</a></h2></article>' for s in self.stories[:10]
            )
            return self._page("Weirside", "".join(rows) + "<button>More</button>")
        if request.path.startswith("/_app/"):
            return Reply(self._module if "/nodes/2" in request.path else "export{}", type="text/javascript")
        if request.path == "/api/posts":
            start, limit = (int(request.args.get(name) or 0) for name in ("offset", "limit"))
            named = [{"slug": slug(s.title), "title": s.title, "date": s.at.isoformat()} for s in self.stories]
            return Reply(json.dumps({"posts": named[start : start + limit]}), type="application/json")
        story = next((s for s in self.stories if self.link(s) == request.path), None)
        if story is None:
            return None
        head = f'<h1>{esc(story.title)}</h1><time datetime="{story.at.isoformat()}">{story.at:%d/%m}</time>'
        return self._page(esc(story.title), f"<article>{head}{_text(story)}</article>")

    def _page(self, title: str, main: str) -> str:
        names = ("entry/start.Cx1.js", "nodes/2.B7Q.js")
        head = "".join(f'<link rel="modulepreload" href="/_app/immutable/{name}">' for name in names)
        return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>{head}<main>{main}</main></html>'


class Choices(Site):
    """The newest eight, and a form with a menu of all days."""

    name, build = "choices", "a menu of days in a form by GET"
    domain, size, days, language, zone = "changdi.test", 60, 15.0, "zh", CHINA
    sections = {"all": "要闻"}

    def link(self, story: Story) -> str:
        return f"/content/{3000 - story.number}.htm"

    def answer(self, request: Request) -> str | None:
        if request.path == "/":
            return self._page("长堤晚报", self._rows(self.stories[:8]))
        if request.path == "/wangqi.php":
            of_day = [s for s in self.stories if str(s.at.date()) == request.args.get("riqi")]
            return self._page("往期", self._rows(of_day) if of_day else "<p>没有内容</p>")
        story = next((s for s in self.stories if self.link(s) == request.path), None)
        if story is None:
            return None
        head = f"<h2>{esc(story.title)}</h2><h5>{story.at:%Y-%m-%d %H:%M} 本报记者 {story.author}</h5>"
        return self._page(esc(story.title), f"<div>{head}{_text(story)}</div>")

    def _rows(self, stories: list[Story]) -> str:
        return "".join(f'<li><a href="{self.link(s)}">{esc(s.title)}</a></li>' for s in stories)

    def _page(self, title: str, main: str) -> str:
        days = sorted({str(story.at.date()) for story in self.stories}, reverse=True)
        menu = "".join(f'<option value="{day}">{day}</option>' for day in days)
        form = f'<form action="/wangqi.php"><select name="riqi">{menu}</select><button>查看</button></form>'
        return f"<html><meta charset='utf-8'><title>{title}</title>{form}<ol>{main}</ol></html>"
