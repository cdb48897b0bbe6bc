"""The time of a day that is known, as a page's readers see it."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from itertools import chain

from articlebot.extraction.fields.beside import Headline
from articlebot.extraction.fields.date_reader import DateReader, Stamp
from articlebot.extraction.fields.date_words import tells_of_change
from articlebot.extraction.fields.datelines import PROSE, datelines, time_elements
from articlebot.extraction.fields.elapsed import lengths_ago
from articlebot.extraction.fields.reckoning import in_zone_of
from articlebot.extraction.fields.script_times import time_in_scripts
from articlebot.page.blocks import Block
from articlebot.page.page import Page

# Behind the day and other words: "Posted Sunday 22 November 2026 by Ann Lee, 2.05pm GMT".
_CLOCK_BEHIND = re.compile(r"(?<![\d.:])(?P<clock>\d{1,2}[.:]\d\d\s?[ap]\.?m\b\.?(?:\s[A-Z]{2,4}\b)?)", re.I)
# A time that stands apart from its day, in its line or below it: 日期：[2026-11-20] 点击数：12 时间：15:05, "Posted by Ann Lee
# at 3:05 PM" under the day's heading, as Movable Type, Blogger and Serendipity write it; 香港時間17時05分;
# "Issued at HKT 15:05".
_CLOCK_APART = re.compile(
    r"(?:(?:时间|時間)\s?[:：]|(?:香港|北京|[台臺]北|[当當]地)[时時][间間](?=\d)|\b(?:posted|published|issued|filed|geschrieben|veröffentlicht|erstellt|publié|publicado|pubblicato|geplaatst)\b"
    r"[^:：]{0,80}?\b(?:at|um|à|a las|alle|om|@):?(?:\s(?P<zone>(?-i:[A-Z]{3,4}))(?=\s\d))?)\s?(?P<clock>\d{1,2}[:：时時]\d\d(?![\d:：])(?:\s?[ap]\.?m\b\.?)?)(?P<behind>\s[A-Z]{2,4}\b)?",
    re.I,
)
# A day without its year, which Chinese pages leave out: 11-20 09:30, 11月20日 9:30.
_CLOCK_OF_DAY = re.compile(
    r"(?<![\d/.:-])(0?[1-9]|1[0-2])(?:[-/]|月)(0?[1-9]|[12]\d|3[01])日?\s{0,3}(\d{1,2}[:：]\d\d(?:[:：]\d\d)?)(?![\d:：])"
)


def as_shown(stamp: Stamp, page: Page, body: Sequence[Block], reader: DateReader, headline: Headline) -> Stamp:
    """The stamp as the page's readers see it.

    A day alone gets the time of a visible dateline of the same day, else one that a script has beside the headline. A
    time in UTC is given in the publisher's zone, where a dateline shows the same minute at another hour, and no line its
    own: that of a comment is the same minute at times.
    """
    if stamp.is_timed and not (
        stamp.iso.endswith("+00:00") and _shows_minute(page, stamp.iso[14:16]) and not _shows_clock(page, stamp.iso)
    ):
        return stamp
    marked, beside = time_elements(page, body, headline)
    for text in chain(marked, *datelines(page, body, headline)):
        if lengths_ago(text):  # "15 hours ago" is another article's as often
            continue
        other = reader.read(text)
        match = _CLOCK_OF_DAY.search(text) if other is None else None
        if match and stamp.day[5:] == f"{int(match[1]):02}-{int(match[2]):02}":
            other = reader.read(f"{stamp.day} {match[3]}")
        is_same = other is not None and other.iso == stamp.iso
        if (other is None and (clock := _CLOCK_APART.search(text))) or (
            is_same and (clock := _CLOCK_APART.search(text) or _CLOCK_BEHIND.search(text))
        ):
            said = clock.groupdict()
            zone = said.get("zone") or said.get("behind") or ""
            other = reader.read(f"{stamp.iso} {clock['clock']} {zone}")
        if other is None or not other.is_timed:
            continue
        if not stamp.is_timed:
            # An address is made of the day in UTC at times.
            zones = (reader.local, *(() if tells_of_change(text) else (dt.UTC,)))
            if stamp.iso in (other.day, *(_there(other, zone) for zone in zones)):
                return other
        elif local := in_zone_of(stamp, other):
            return local
    if stamp.is_timed:
        return stamp
    return time_in_scripts(page, stamp, reader) or _only_time(stamp, beside, reader) or stamp


def _there(stamp: Stamp, zone: dt.tzinfo) -> str:
    """The day of a moment in a zone."""
    return dt.datetime.fromtimestamp(stamp.epoch, zone).date().isoformat()


def _only_time(day: Stamp, beside: Sequence[tuple[int, str]], reader: DateReader) -> Stamp | None:
    """The time that time elements beside the article have of a day, where that is one alone."""
    read = (reader.read(text) for _, text in beside)
    found = {
        one for one in read if one is not None and one.is_timed and day.iso in (one.day, _there(one, reader.local))
    }
    return found.pop() if len(found) == 1 else None


def _shows_minute(page: Page, minute: str) -> bool:
    """Whether a time of that minute stands anywhere: looking for datelines means to walk over the page."""
    return re.search(rf":{minute}(?::\d\d)?(?![:\d])", page.text) is not None


def _shows_clock(page: Page, iso: str) -> bool:
    """Whether a short line shows the time of day of a stamp as it is, by a clock of 24 or 12 hours."""
    hour, minute = int(iso[11:13]), iso[14:16]
    half = rf"{hour % 12 or 12}:{minute}\s?{'a' if hour < 12 else 'p'}\.?m"
    clock = re.compile(rf"(?<![\d:])(?:0?{hour}:{minute}(?!\d|\s?[ap]\.?m)|{half})", re.I)
    return any(clock.search(block.text) for block in page.blocks if len(block.text) < PROSE)
