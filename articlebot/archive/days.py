"""Days as people type them into a search, said from today on: today, last week, 最近三天."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

# Longer spans would take more words than a query may have.
_MOST_DAYS = 100
# Where a day begins first: Kiribati, UTC+14.
_FIRST_ZONE_S = 14 * 3600.0
_DIGITS = {ch: number for number, ch in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}
_DAYS_OF = {"h时時": 1 / 24, "d天日": 1, "w周週": 7, "m月": 30}
_SAID = re.compile(
    r"""(?<!\S)(?P<minus>-?)(?:
        (?P<today>today|今[天日])
      | (?P<yesterday>yesterday|昨[天日])
      | (?P<before>前[天日])
      | (?P<this>this\ {1,3}week|[本这這]一?[周週])
      | (?P<last>last\ {1,3}week|上一?[周週])
      | (?P<month>this\ {1,3}month|[本这這][个個]?月)
      | (?P<earlier>last\ {1,3}month|上[个個]?月)
      | (?:(?:last|past)\ {1,3}(?:(?P<number>\d{1,4})\ {1,3})?(?P<unit>hour|day|week|month)s?)
      | (?:(?:最近|近|过去|過去)(?P<count>\d{1,4}|[一二三四五六七八九十两兩])[个個]?(?P<of>小[时時]|[天日周週月]))
    )(?!\S)""",
    re.VERBOSE | re.IGNORECASE,
)


def day_word(year: str, month: str, day: str = "") -> str:
    """What stands in the index for a day; without the day the beginning of all of its month."""
    return f"d{year}{int(month):02}{f'{int(day):02}' if day else ''}"


def with_days(text: str, now: float) -> str:
    """A query in which days that are said from now on are words of the index; those in quotation marks stay.

    Today is the day of this machine's zone, and what is tomorrow in zones to the east of it already: articles are
    found by the day in their own zone.
    """
    parts = text.split('"')
    parts[::2] = [_SAID.sub(lambda match: _words(match, now), part) for part in parts[::2]]
    return '"'.join(parts)


def begun(text: str, now: float) -> float | None:
    """When the days begin that are said from now on, in epoch seconds; None where the text says none."""
    match = _SAID.fullmatch(text)
    span = match and _span(match, datetime.fromtimestamp(now).astimezone().date())
    return datetime.combine(span[0], time.min).timestamp() if span else None


def typed(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a query as they were typed, and whether they say a day from now on, which may take several."""
    end = 0
    for match in _SAID.finditer(text):
        yield from ((word, False) for word in text[end : match.start()].split())
        yield match[0], True
        end = match.end()
    yield from ((word, False) for word in text[end:].split())


def _words(match: re.Match[str], now: float) -> str:
    span = _span(match, datetime.fromtimestamp(now).astimezone().date())
    if span is None:
        return match[0]
    first, last = span
    # What began today somewhere else is new here too.
    ahead = datetime.fromtimestamp(now).astimezone() + timedelta(seconds=_FIRST_ZONE_S)
    words = list(_covering(first, last or max(ahead.date(), first)))
    return " ".join(f"-{word}" for word in words) if match["minus"] else " OR ".join(words)


def _span(match: re.Match[str], today: date) -> tuple[date, date | None] | None:
    """First and last day, without a last one up to now; None where it is longer than a query may be."""
    monday, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    for name, days in (("yesterday", 1), ("before", 2)):
        if match[name]:
            return today - timedelta(days=days), today - timedelta(days=days)
    if match["last"]:
        return monday - timedelta(days=7), monday - timedelta(days=1)
    if match["earlier"]:
        return (month - timedelta(days=1)).replace(day=1), month - timedelta(days=1)
    for name, first in (("today", today), ("this", monday), ("month", month)):
        if match[name]:
            return first, None
    number, unit = match["number"] or match["count"] or "1", (match["unit"] or match["of"][-1:]).lower()[0]
    length = (_DIGITS.get(number) or int(number)) * next(days for units, days in _DAYS_OF.items() if unit in units)
    return (today - timedelta(days=int(length) or 1), None) if length <= _MOST_DAYS else None


def _covering(first: date, last: date) -> Iterator[str]:
    """Words of the index and beginnings of some that stand for all days of a span: whole months, tens and days."""
    while first <= last:
        month = (first.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)
        ten = min(month, first.replace(day=1) + timedelta(days=first.day // 10 * 10 + 8))
        word = f"d{first:%Y%m%d}"
        if first.day == 1 and month <= last:
            word, end = f"{word[:7]}*", month
        elif first.day in (1, 10, 20, 30) and ten <= last:
            word, end = f"{word[:8]}*", ten
        else:
            end = first
        yield word
        first = end + timedelta(days=1)
