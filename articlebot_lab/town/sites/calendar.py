"""A town hall in old PHP: a session id in every link, a calendar without end, lists in every order."""

from __future__ import annotations

import datetime as dt

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class Calendar(Site):
    """Who sends no session gets a new one in each link; months go on for ever; three sort orders show the same."""

    name, build = "calendar", "PHPSESSID in every link, an endless calendar, sort orders"
    domain, size, days = "townhall.example.net", 36, 50.0
    zone = dt.timezone(dt.timedelta(hours=-7))
    idle = ("PHPSESSID",)
    sections = {"2": "Council", "5": "Roads", "9": "Parks"}

    def __init__(self, seed: int, now: dt.datetime) -> None:
        super().__init__(seed, now)
        self._sessions = 0

    def link(self, story: Story) -> str:
        return f"/article.php?id={740 + story.number}"

    def answer(self, request: Request) -> Reply | str | None:
        path, args = request.path, request.args
        self._sessions += 1
        sid = args.get("PHPSESSID") or f"{self._sessions * 2654435761 % 2**64:016x}{self._sessions:016x}"
        if path in ("/", "/index.php"):
            rows = "".join(self._row(s, sid) for s in self.stories[:6])
            return self._page("Welcome", f"<h1>News from the town hall</h1><ul>{rows}</ul>", sid)
        if path == "/list.php" and args.get("cat") in self.sections:
            return self._list(args, sid)
        if path == "/calendar.php":
            return self._month(args.get("month", f"{self.now:%Y-%m}"), sid)
        if path == "/event.php" and "date" in args:
            return self._page(
                "Events",
                f"<h1>Events on {esc(args['date'][:10])}</h1><p>No events are entered for this day. Please call the front desk.</p>",
                sid,
            )
        story = next((s for s in self.stories if str(740 + s.number) == args.get("id")), None)
        return self._single(story, sid) if story and path == "/article.php" else None

    def _row(self, s: Story, sid: str) -> str:
        return f'<li><a href="{self.link(s)}&amp;PHPSESSID={sid}">{esc(s.title)}</a> ({s.at:%m/%d/%Y})<br>{esc(cut(s.paragraphs, 80))}</li>'

    def _list(self, args: dict[str, str], sid: str) -> str | None:
        cat, order = args["cat"], args.get("sort", "date")
        stories = sorted(
            self.of(cat),
            key={"title": lambda s: s.title, "views": lambda s: s.number * 37 % 41}.get(order, lambda s: s.number),
        )
        pages = pages_of(stories, 6)
        at = number_of(args.get("page"), len(pages))
        if not at:
            return None
        base = f"/list.php?cat={cat}"
        sorts = " | ".join(
            f'<a href="{base}&amp;sort={key}&amp;PHPSESSID={sid}">by {key}</a>' for key in ("date", "title", "views")
        )
        numbers = " ".join(
            f"[{n}]" if n == at else f'<a href="{base}&amp;sort={order}&amp;page={n}&amp;PHPSESSID={sid}">{n}</a>'
            for n in range(1, len(pages) + 1)
        )
        return self._page(
            self.sections[cat],
            f"<h1>{self.sections[cat]}</h1><p>Sort: {sorts}</p><ul>{''.join(self._row(s, sid) for s in pages[at - 1])}</ul><p>Pages: {numbers}</p>",
            sid,
        )

    def _month(self, month: str, sid: str) -> str | None:
        try:
            first = dt.date.fromisoformat(f"{month}-01")
        except ValueError:
            return None
        before, after = (first - dt.timedelta(days=1)), (first + dt.timedelta(days=32))
        days = " ".join(
            f'<td><a href="/event.php?date={month}-{n:02d}&amp;PHPSESSID={sid}">{n}</a></td>' for n in range(1, 29)
        )
        return self._page(
            f"Calendar {month}",
            f'<h1>{first:%B %Y}</h1><a href="/calendar.php?month={before:%Y-%m}&amp;PHPSESSID={sid}">&laquo; previous month</a> <a href="/calendar.php?month={after:%Y-%m}&amp;PHPSESSID={sid}">next month &raquo;</a><table><tr>{days}</tr></table>',
            sid,
        )

    def _single(self, s: Story, sid: str) -> str:
        text = "".join(f"{esc(p)}<br><br>\n" for p in s.paragraphs)
        main = (
            f'<div class="path"><a href="/index.php?PHPSESSID={sid}">Start</a> &gt; <a href="/list.php?cat={s.section}&amp;PHPSESSID={sid}">{self.sections[s.section]}</a></div><h1>{esc(s.title)}</h1><div class="date">Published: {s.at:%Y-%m-%d %H:%M} (UTC-07:00) by {s.author}</div>'
            f'<div class="txt">{text}</div><a href="{self.link(s)}&amp;print=1&amp;PHPSESSID={sid}" rel="nofollow">Print this page</a>'
        )
        return self._page(esc(s.title), main, sid)

    def twins(self, story: Story) -> list[str]:
        return [f"{self.url(story)}&print=1"]

    def _page(self, title: str, main: str, sid: str) -> str:
        menu = "".join(f'<a href="/list.php?cat={k}&amp;PHPSESSID={sid}">{n}</a> | ' for k, n in self.sections.items())
        return (
            f'<html><head><title>Town Hall - {title}</title><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body><table width="100%"><tr><td colspan=2 class="head"><a href="/index.php?PHPSESSID={sid}">Town Hall</a> {menu}<a href="/calendar.php?PHPSESSID={sid}">Calendar</a></td></tr>'
            f'<tr><td width="160"><form action="/search.php"><input name="q"></form><a href="/search.php?q=parking&amp;PHPSESSID={sid}">Parking</a></td><td>{main}</td></tr></table><hr>Town Hall, 1 Square, open Mon-Fri</body></html>'
        )
