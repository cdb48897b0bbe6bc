"""A daily gazette, static for decades: nothing but a page for each day, and yesterday's link."""

from __future__ import annotations

import datetime as dt

from articlebot_lab.town.model import Reply, Request, Site, Story, days_of, esc


class DateArchive(Site):
    """The home page is today's; each day links the day before and the month's calendar links its days."""

    name, build = "datearchive", "date archive only: /2026/11/05/, the day before, a month's calendar"
    domain, size, days, www = "oldgazette.test", 70, 35.0, ""
    zone = dt.timezone(dt.timedelta(hours=2))
    sections = {"gazette": "Gazette"}

    def link(self, story: Story) -> str:
        return f"/{story.at:%Y/%m/%d}/{story.number % 2 + 1}{story.number:03d}.htm"

    def answer(self, request: Request) -> Reply | str | None:
        by_day = dict(days_of(self.stories))
        newest = max(by_day)
        path = request.path
        if path in ("/", "/index.htm"):
            return self._day(newest, by_day)
        for day, stories in by_day.items():
            if path in (f"/{day:%Y/%m/%d}/", f"/{day:%Y/%m/%d}/index.htm"):
                return self._day(day, by_day)
            if found := next((s for s in stories if self.link(s) == path), None):
                return self._single(found)
        return self._wrap("Imprint", "<H2>Imprint</H2><P>Printed since 1887.") if path == "/imprint.htm" else None

    def _day(self, day: dt.date, by_day: dict[dt.date, list[Story]]) -> str:
        rows = "".join(
            f'<TR><TD><A HREF="{self.link(s)}"><B>{esc(s.title)}</B></A><BR><FONT SIZE=2>{s.author}</FONT></TD></TR>'
            for s in by_day[day]
        )
        known = sorted(by_day)
        at = known.index(day)
        before = f'<A HREF="/{known[at - 1]:%Y/%m/%d}/">&lt;&lt; Previous issue</A>' if at else ""
        after = f'<A HREF="/{known[at + 1]:%Y/%m/%d}/">Next issue &gt;&gt;</A>' if at + 1 < len(known) else ""
        month = " ".join(
            f'<A HREF="/{one:%Y/%m/%d}/">{one.day}</A>'
            for one in known
            if (one.year, one.month) == (day.year, day.month)
        )
        return self._wrap(
            f"Issue of {day:%B %-d, %Y}",
            f'<H2>Issue of {day:%A, %B %-d, %Y}</H2><TABLE BORDER=0 WIDTH="70%">{rows}</TABLE><P>{before} {after}<P><FONT SIZE=2>{day:%B}: {month}</FONT>',
        )

    def _single(self, s: Story) -> str:
        text = "".join(f"<P>{esc(p)}\n" for p in s.paragraphs)
        return self._wrap(
            esc(s.title),
            f'<A HREF="/{s.at:%Y/%m/%d}/">Back to the issue</A><H1>{esc(s.title)}</H1><P><I>By {s.author}</I><BR><FONT SIZE=2>{s.at:%A, %B %-d, %Y, %H:%M} +0200</FONT>{text}<HR><FONT SIZE=1>The Old Gazette takes no responsibility for letters.</FONT>',
        )

    def _wrap(self, title: str, main: str) -> str:
        return (
            (
                f'<HTML><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=iso-8859-1"><TITLE>The Old Gazette: {title}</TITLE></HEAD><BODY BGCOLOR="#FFFFFF"><CENTER><IMG SRC="/logo.gif" ALT="The Old Gazette"></CENTER><TABLE><TR><TD VALIGN=top WIDTH=120><A HREF="/">Today</A><BR><A HREF="/imprint.htm">Imprint</A></TD><TD>'
                f"{main}</TD></TR></TABLE></BODY></HTML>"
            )
            .replace("“", "&ldquo;")
            .replace("”", "&rdquo;")
        )
