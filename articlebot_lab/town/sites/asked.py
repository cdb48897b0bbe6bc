"""Sites whose lists or links are not plain: lists by POST and by GraphQL, sessions in each link, news flashes."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from urllib.parse import parse_qsl, urlencode

from articlebot_lab.town.model import CHINA, Reply, Request, Story, esc, number_of, pages_of
from articlebot_lab.town.sites.plain import Plain


class Posted(Plain):
    """Lists show eight; a script asks for eight more by POST, and nothing else leads to them."""

    name, build = "posted", "load-more by POST: $.ajax with an address handed over by the page"
    title, domain, size, days = "Northbank Reporter", "northbank.test", 56, 40.0
    zone = dt.timezone(dt.timedelta(hours=0))
    sections = {"city": "City", "courts": "Courts"}
    per_page = 8

    def front(self, request: Request) -> str:
        return self._list("", self.stories)

    def listed(self, request: Request) -> str | None:
        key = request.path.removeprefix("/section/")
        return self._list(key, self.of(key)) if key in self.sections and key != request.path else None

    def _list(self, key: str, stories: list[Story]) -> str:
        script = (
            f'var nb={{"ajax_url":"\\/ajax\\/more.php","cat":"{key}"}},nbPage=1;$("#more").on("click",function(){{nbPage++;$.ajax({{url:nb.ajax_url,type:"POST",'
            "data:{action:\"more\",cat:nb.cat,paged:nbPage},success:function(h){$('#list').append(h)}})});"
        )
        rows = "".join(map(self.teaser, stories[: self.per_page]))
        return self.layout(
            self.title,
            f'<div id="list">{rows}</div><button id="more">Load more</button><script>{script}</script>',
        )

    def single(self, request: Request) -> Reply | str | None:
        if request.path != "/ajax/more.php":
            return super().single(request)
        sent = dict(parse_qsl(request.sent))
        pages = pages_of(self.of(sent["cat"]) if sent.get("cat") else self.stories, self.per_page)
        at = number_of(sent.get("paged"), len(pages))
        return Reply("".join(map(self.teaser, pages[at - 1]))) if at and sent.get("action") == "more" else None


class Graph(Plain):
    """A shell that fetches its list by a persisted query ahead; a cursor leads on."""

    name, build = "graph", "GraphQL by GET: a persisted query that the head fetches ahead, cursors in its variables"
    title, domain, size, days = "Relay", "relay.test", 66, 30.0
    zone = dt.timezone(dt.timedelta(hours=-5))
    sections = {"all": "All"}
    per_page = 12

    def query(self, after: str = "") -> str:
        """The address of a part of the list."""
        variables = {"first": self.per_page} | ({"after": after} if after else {})
        hashed = {"persistedQuery": {"version": 1, "sha256Hash": "9f2c" * 16}}
        asked = {"operationName": "Feed", "variables": json.dumps(variables), "extensions": json.dumps(hashed)}
        return f"/graphql?{urlencode(asked)}"

    def front(self, request: Request) -> str:
        ahead = f'<link rel="preload" as="fetch" crossorigin href="{esc(self.query())}">'
        return f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{self.title}</title>{ahead}<script defer src="/app.js"></script></head><body><div id="root"></div></body></html>'

    def single(self, request: Request) -> Reply | str | None:
        if request.path != "/graphql":
            return super().single(request)
        after = json.loads(request.args["variables"]).get("after", "")
        start = next((s.number + 1 for s in self.stories if self._cursor(s) == after), 0)
        part = self.stories[start : start + self.per_page]
        edges = [
            {
                "cursor": self._cursor(s),
                "node": {"title": s.title, "path": self.link(s), "publishedAt": s.at.isoformat()},
            }
            for s in part
        ]
        last = part[-1] if part else self.stories[-1]
        info = {"endCursor": self._cursor(last), "hasNextPage": last is not self.stories[-1]}
        return Reply(json.dumps({"data": {"feed": {"edges": edges, "pageInfo": info}}}), type="application/json")

    def _cursor(self, story: Story) -> str:
        return f"c{story.number:05d}x"


class Sessions(Plain):
    """Every link of every page has a session of its own, and a number that is new in each."""

    name, build = "sessions", "a new session and a random number in each link"
    title, domain, size, days = "The Signal Box", "signalbox.test", 48, 40.0
    sections = {"layouts": "Layouts", "workshop": "Workshop"}
    idle = ("sid", "x")

    def href(self, story: Story) -> str:
        return f"{self.link(story)}?sid={self.rng.getrandbits(128):032x}&x={self.rng.randint(10_000, 99_999)}"


class Flashes(Plain):
    """Chinese news flashes: a sentence or two below a headline and its minute, beside many links."""

    name, build = "flashes", "news flashes of a sentence or two; ?before= leads on"
    title, domain, size, days, language, zone = "快讯社", "kuaixunshe.test", 72, 6.0, "zh", CHINA
    sections = {"live": "快讯"}
    per_page = 20

    def kind(self, story: Story) -> Story:
        return dataclasses.replace(story, paragraphs=(self.write.sentence() + self.write.sentence(),))

    def link(self, story: Story) -> str:
        return f"/live/{880_120 + story.number * 3}"

    def front(self, request: Request) -> str:
        before = int(request.args.get("before") or 10_000)
        part = [s for s in self.stories if 9000 - s.number < before][: self.per_page]
        more = part and part[-1] is not self.stories[-1]
        on = f'<a class="more" href="/?before={9000 - part[-1].number}">查看更多</a>' if more else ""
        return self.layout(self.title, f"<ul>{''.join(map(self.teaser, part))}</ul>{on}")

    def teaser(self, s: Story) -> str:
        return f'<li data-id="{9000 - s.number}"><b>{s.at:%H:%M}</b><a href="{self.link(s)}">{esc(s.title)}</a></li>'

    def listed(self, request: Request) -> str | None:
        return None

    def head(self, s: Story) -> str:
        return ""

    def text(self, s: Story, paragraphs: str = "") -> str:
        hot = "".join(f'<li><a href="{self.link(o)}">{esc(o.title)}</a></li>' for o in self.near(s, 10))
        return f'<h1>{esc(s.title)}</h1><div class="t">{s.at:%Y-%m-%d %H:%M:%S} 来源：快讯社</div><div class="c"><p>{esc(s.body)}</p></div><h4>热门快讯</h4><ul>{hot}</ul>'
