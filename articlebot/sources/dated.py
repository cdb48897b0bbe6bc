"""Addresses of date archives: pages that list what a site published in a year, a month or a day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from articlebot.extraction.urlshape import shape

# The date is what the address ends in, but for a file that stands for the folder, or a section of an e-paper. A date
# at the end of other words is an article's.
_PATH = re.compile(
    r"(?:/|/(?:index|list|archives?|date|day|news)[_-])(?P<y>(?:19|20)\d\d)(?:(?:[/_-](?P<m>0?[1-9]|1[0-2])(?:[/_-](?P<d>0?[1-9]|[12]\d|3[01]))?)|"
    r"(?P<mm>0[1-9]|1[0-2])(?P<dd>0[1-9]|[12]\d|3[01])?)?"
    r"(?:/|/(?:index|default|list|archive|node_\d{1,4})(?:\.\w{2,5})?|\.(?:s?html?|php|aspx?|jsp))?\Z"
)
_QUERY = re.compile(
    r"(?:\A|&)(?:date|day|d|month|ym|archive)=(?P<y>(?:19|20)\d\d)[-/]?(?P<m>0[1-9]|1[0-2])(?:[-/]?(?P<d>[0-3]\d))?"
    r"(?:&|\Z)"
)
# A bare year or six digits are as often a number: believed at the top or below such a word. Below a year nothing is:
# /2026/11/13/2019.htm is the article 2019 of a day.
_TOP = re.compile(r"(?:/(?:archives?|past|history|date|dates|days|list|index))?", re.I)
_BARE = re.compile(r"/(?:(?:19|20)\d\d|\d{6})(?:/|\Z)")
_YEAR = re.compile(r"/(?:19|20)\d\d(?:[/_-]|\Z)")
_LAST_YEAR = 2100


class Dated(NamedTuple):
    """A date archive: month and day are 0 where it is of a whole year or month."""

    year: int
    month: int
    day: int
    url: str

    @property
    def ends(self) -> tuple[int, int, int]:
        """The last day it may speak of; what is newer sorts higher."""
        return self.year, self.month or 13, self.day or 32

    def holds(self, other: Dated) -> bool:
        """Whether another archive is of a part of its time."""
        return self.year == other.year and (not self.month or (self.month == other.month and not self.day))


def dated(url: str) -> Dated | None:
    """The archive that an address names, None where it names none (an article's address goes on after the date)."""
    parts = urlsplit(url)
    match = _QUERY.search(parts.query) if parts.query else _PATH.search(parts.path)
    if match is None:
        return None
    groups = match.groupdict()
    month = int(groups.get("m") or groups.get("mm") or 0)
    day = int(groups.get("d") or groups.get("dd") or 0)
    above = parts.path[: match.start()] if not parts.query else ""
    if int(groups["y"]) >= _LAST_YEAR or _YEAR.search(above):
        return None
    is_bare = not month or (groups.get("mm") and not day)
    if is_bare and not (_TOP.fullmatch(above) and _BARE.match(parts.path, match.start())):
        return None
    return Dated(int(groups["y"]), month, day, url)


def is_like(url: str, other: str) -> bool:
    """Whether two archives are of one sort: the same page, asked for other days, or the same folder."""
    return shape(url) == shape(other)


_ADDRESS = re.compile(r"[/_-]((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(?:[/_-]?(0[1-9]|[12]\d|3[01]))?(?=[/_.-])")


def time_in(url: str) -> float | None:
    """The date in an article's address, its end in epoch seconds and UTC; None where it names none."""
    match = _ADDRESS.search(urlsplit(url).path)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), match[3]
    ends = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    try:
        return (datetime(year, month, int(day), 23, 59, tzinfo=UTC) if day else ends).timestamp()
    except ValueError:
        return ends.timestamp()


def archives(urls: Iterable[str]) -> list[Dated]:
    """The archives among some addresses, the newest first, each once."""
    found = {url: one for url in urls if (one := dated(url)) is not None}
    return sorted(found.values(), key=lambda one: one.ends, reverse=True)
