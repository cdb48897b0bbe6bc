"""The time of an article whose document shows the day alone, or nothing: scripts have it, in data or in a variable."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from articlebot.extraction.fields.date_reader import DateReader, Stamp
from articlebot.extraction.fields.script_objects import objects_by_number, objects_of_article
from articlebot.page.page import Page

_DATE_KEYS = re.compile(r"(?:first_?)?publi(?:sh|cat)\w*|date_?published|p(?:ub)?_?time|pub_?date|time", re.I)
# Where nothing says when it was published.
_MADE_KEYS = re.compile(r"creat(?:ed|ion|e)(?:_?(?:at|on|time|date))?", re.I)
_STATES_IT = re.compile(r"publi|p(?:ub)?_?time|pub_?date|creat(?:ed|e_?time)|\"time\"", re.I)
# var ct = "1732069800": a page of WeChat's shows its time by script alone.
_ASSIGNED = re.compile(
    r"(?<![\w.$])(?:ct|ori_create_time|(?:publish|pub|create)_?(?:time|date))\s{0,4}=\s{0,4}[\"']?"
    r"(\d[\d T:+./-]{7,30})",
    re.I,
)
_MOST_SCRIPT = 500_000
# A day is shown in the publisher's zone, data are often in UTC.
_DAY_S = 86_400.0


def time_in_scripts(page: Page, day: Stamp, reader: DateReader) -> Stamp | None:
    """The time that a script states of the page's article, where it is on that day or one beside it.

    Args:
        day: what the document shows, a day without a time.
    """
    stamps = (_stated(holder, day, reader) for holder in _holders(page))
    return next((stamp for stamp in stamps if stamp is not None), None)


def times_in_scripts(page: Page) -> Iterator[str]:
    """What scripts state of the page's article as its time, then what they assign to a variable of such a name."""
    for holder in _holders(page):
        yield from _values(holder)
    for script in page.by_tag["script"]:
        yield from (match[1] for match in _ASSIGNED.finditer((script.text or "")[:_MOST_SCRIPT]))


def _holders(page: Page) -> Iterator[dict[str, Any]]:
    """The objects with the page's headline, then the one called by its number: several may be its comments."""
    yield from objects_of_article(page, _STATES_IT)
    numbered = [holder for holder in objects_by_number(page, _STATES_IT) if any(_values(holder))]
    yield from numbered if len(numbered) == 1 else ()


def _values(holder: dict[str, Any]) -> Iterator[str]:
    for keys in (_DATE_KEYS, _MADE_KEYS):
        yield from (str(value) for key, value in holder.items() if keys.fullmatch(key) and isinstance(value, str | int))


def _stated(holder: dict[str, Any], day: Stamp, reader: DateReader) -> Stamp | None:
    for value in _values(holder):
        stamp = reader.read(value)
        if stamp is not None and stamp.is_timed and abs(stamp.epoch - day.epoch) < 2 * _DAY_S:
            return _as_shown(stamp, day, reader.local)
    return None


def _as_shown(stamp: Stamp, day: Stamp, local: dt.tzinfo) -> Stamp:
    """The time in the page's zone where that is the day that is shown, and its own is not."""
    if stamp.day == day.iso:
        return stamp
    there = Stamp(dt.datetime.fromtimestamp(stamp.epoch, local).isoformat(timespec="seconds"), stamp.epoch)
    return there if there.day == day.iso else stamp
