"""How a page reckons time: in which order it writes day and month, and the zone of its times without one."""

from __future__ import annotations

import datetime as dt
import re
from functools import cached_property
from urllib.parse import urlsplit

from articlebot.extraction.fields.date_reader import NUMERIC, Stamp
from articlebot.extraction.fields.stated_times import modified, statements
from articlebot.page.page import Page
from articlebot.text.zones import told_zone

# The zone of a stated time; UTC is how machines write, whatever the hours are that readers see.
_OFFSET = re.compile(r"\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*([+-])(0\d|1[0-4]):?([0-5]\d)\b")
# Countries that write the month first, and country domains that anybody registers.
_MONTH_FIRST = frozenset({"us", "ph", "pw", "fm", "mh", "as", "gu", "pr", "vi"})
_NO_COUNTRIES = frozenset("ai am cc co fm gg io is ly me nu sh so st to tv ws la eu ag bz im vc".split())
# News is mostly fetched within weeks of its day; from any hour of a day to its beginning in any zone, 24 h and 14 h.
_RECENT_S, A_DAY_AND_ZONES_S = 45 * 86_400.0, 38 * 3600.0
# Characters of a line with dates, and of all such lines; time elements that are asked for a zone.
_DATED_CHARS, _ORDER_CHARS, _MOST_TIMES = 200, 20_000, 10


class DayOrder:
    """Whether 5/12 is in December: asked with both readings of such a day.

    As the page's other dates say, those of its site's other pages, when a feed or sitemap has it; the page's stated
    country, its domain, its language. Where none tells, as in English without a country, the reading that lies some
    weeks back is likelier than one that lies months back.
    """

    def __init__(self, page: Page, language: str | None) -> None:
        self._page, self._language = page, language

    def __call__(self, day_first: Stamp, month_first: Stamp) -> bool:
        known = self._shown if self._shown is not None else self._page.day_first
        if known is not None:
            return known
        if (listed := self._page.listed_at or self._page.changed_at) is not None:
            near = [abs(one.epoch - listed) < A_DAY_AND_ZONES_S for one in (day_first, month_first)]
            if near[0] != near[1]:
                self._page.told_orders.append(near[0])
                return near[0]
        country = _country(self._page)
        if country or self._language not in {None, "en"}:
            return country not in _MONTH_FIRST or (country == "us" and self._language not in {None, "en"})
        now = self._page.fetched_at
        recent = [now is not None and now - one.epoch < _RECENT_S for one in (day_first, month_first)]
        return recent == [True, False]

    @cached_property
    def _shown(self) -> bool | None:
        blocks = self._page.blocks
        shown = " ".join(block.text for block in blocks if len(block.text) <= _DATED_CHARS and "/" in block.text)
        return day_first_in(shown[:_ORDER_CHARS])


def day_first_in(text: str) -> bool | None:
    """The order in which a text writes its days, by those that can be read in one only; None where none tells."""
    first = second = 0
    for match in NUMERIC.finditer(text):
        first += int(match["a"]) > 12 >= int(match["b"])
        second += int(match["b"]) > 12 >= int(match["a"])
    return first > second if first != second else None


def _country(page: Page) -> str:
    """The country, in lower case, that the page states with its language, else that of its domain; "" without one."""
    for stated in (page.lang, *page.meta.get("og:locale", ())[:1]):
        _, _, region = stated.replace("_", "-").partition("-")
        if len(region) == 2 and region.isalpha():
            return str(region).lower()
    suffix = _host(page.url).rpartition(".")[2]
    return suffix if len(suffix) == 2 and suffix not in _NO_COUNTRIES else ""


def zone_of(page: Page, language: str | None) -> dt.tzinfo:
    """The zone of the times that a page states without one: the one known for its site, else told by the page.

    Told by another time that it states with a zone, by the country of its domain, by its language; else UTC.
    """
    if page.zone is not None:
        return page.zone
    stated = [text for _, texts in statements(page) for text in texts]
    shown = [value for element in page.by_tag["time"][:_MOST_TIMES] if (value := element.get("datetime"))]
    for text in (*stated, *modified(page), *shown):
        if (match := _OFFSET.search(text)) and (minutes := int(match[2]) * 60 + int(match[3])):
            return dt.timezone(dt.timedelta(minutes=-minutes if match[1] == "-" else minutes))
    return told_zone(_host(page.url), language, page.lang) or dt.UTC


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def in_zone(published: str, zone: dt.tzinfo) -> float | None:
    """Epoch seconds of an ISO 8601 time without a zone, None of one that has a zone and of a day alone."""
    if "T" not in published or (at := dt.datetime.fromisoformat(published)).tzinfo is not None:
        return None
    return at.replace(tzinfo=zone).timestamp()


def in_zone_of(stamp: Stamp, shown: Stamp) -> Stamp | None:
    """A time in UTC in the zone in which it is also shown; None where both cannot be the same minute.

    Zones are whole quarters of an hour between -12 and +14 hours. Another minute that has its own is of a change.
    """
    utc, there = (dt.datetime.fromisoformat(one.iso).replace(second=0) for one in (stamp, shown))
    minutes = round((there.replace(tzinfo=dt.UTC) - utc).total_seconds() / 60)
    other = there.tzinfo is not None and there != utc
    if other or minutes % 15 or not -12 * 60 <= minutes <= 14 * 60 or not minutes:
        return None
    zone = dt.timezone(dt.timedelta(minutes=minutes))
    return Stamp(dt.datetime.fromisoformat(stamp.iso).astimezone(zone).isoformat(timespec="seconds"), stamp.epoch)
