"""Dates and times in the forms that pages write them, absolute and relative."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import NamedTuple

from articlebot.extraction.fields import date_words as words
from articlebot.extraction.fields.calendars import in_common_form
from articlebot.extraction.fields.clock_zones import CHINA_MINUTES, WORDED_ZONE, stated_zone
from articlebot.extraction.fields.elapsed import lengths_ago
from articlebot.extraction.fields.info_line import PUBLISHED

_EARLIEST_YEAR = 1990
_FUTURE_SLACK_S = 36 * 3600.0  # zones differ by up to a day, clocks by a little

# Possessive throughout: white space that three parts may take in turn costs its length cubed otherwise.
_CLOCK = (
    rf"(?:(?:[T,，]|\.(?=\s(?:오|\d{{1,2}}:\d\d)))?[\s|·–—-]*+(?:(?:(?i:{words.AT})(?![^\W\d_])\.?|@|à|o'clock|г\.,?|года|(?i:{words.WEEKDAY})\b,?|星期.|周.|\([^)\d]{{1,6}}\)|（[^）]{{1,6}}）)[\s|·–—-]*+)*+\(?"
    r"(?P<half>上午|下午|晚上|中午|凌晨|早上|午前|午後|오전|오후)?\s*+"
    r"(?P<hour>\d{1,2})\s*+(?:[:：.时時点點시h](?!\d{3})|(?=(?i:[ap]\.?m)))\s*+(?P<minute>\d{2}|\d(?=\s?[分분]))?(?:\s*+[:：分]\s*+(?P<second>\d{2})(?:\.\d{1,9})?)?\s*+[分秒분]?"
    rf"\s*+(?P<ampm>(?i:[ap]\.?\s?m\b\.?))?\s*+(?:Uhr\s++(?=[(A-Z]))?(?P<zone>{WORDED_ZONE}|\(?[+-]\d{{2}}:?\d{{2}}\b|Z\b|\(?(?:UTC|GMT)?[+-]\d{{1,2}}\b|\(?[A-Z]{{2,4}}\b|\(?(?i:МСК)\b|[(（]?(?:北京|香港|[台臺]北)[时時][间間])?)?"
)
# What stands behind a clock says more than letters that several zones share: 14:05 CST (UTC+8), 14:05 Uhr (GMT+1).
_OFFSET_BEHIND = re.compile(r"(?:\s*+Uhr)?[\s,]*+[(（](?:UTC|GMT)\s?([+-]\d{1,2}(?::?\d{2})?)[)）]", re.I)
_NAME = r"(?P<month>[^\W\d_]{3,12})\.?"
# Behind a day, in languages of Europe: 20th, 20., 1er, 1ro, 1º.
_ORDINAL = r"st|nd|rd|th|er|ro|\.?º|\."
_YEAR = re.compile(r"(?:19|20)\d\d")
_OTHER_DAY = re.compile(
    rf"(?<!\w)(?P<word>{'|'.join(words.DAYS_BACK)})(?=[\s,،:]{{1,3}}\D{{0,8}}\d{{1,2}}[:.]\d\d(?!\d))" + _CLOCK, re.I
)
_RELATIVE = re.compile(r"[\d今昨前刚剛jtyo]|\b(?:vor|hace|há)\b", re.I)
_YMD = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})\s*(?P<sep>[-/.年년])\s*(?P<month>\d{1,2})\s*[-/.月월]\s*(?P<day>\d{1,2})(?!\d)\s*(?:[日号號일]|\.(?=\s\d{1,2}:))?"
    + _CLOCK
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>20\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)(?:T?(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?)?(?!\d)"
)
_MDY = re.compile(rf"\b{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*+,)?\s++(?P<year>(?:19|20)\d{{2}})\b" + _CLOCK)
_DMY = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:{_ORDINAL})?[\s/-]++(?:de\s++|of\s++)?{_NAME}[\s,/-]++(?:de\s++)?(?P<year>(?:19|20)\d{{2}})\b"
    + _CLOCK
)
# As C, Perl and `date` print it: Sat Sep 26 07:10:00 2026, Wed Aug 27 13:08:45 UTC 2026.
_YEAR_LAST = re.compile(
    rf"\b{_NAME}\s++(?P<day>\d{{1,2}})\s++(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s++(?:(?P<zone>[A-Z]{{2,4}}|[+-]\d{{2}}:?\d{{2}})\s++)?(?P<year>(?:19|20)\d{{2}})\b"
)
# 2026. november 20. 14:05 (Hungarian), 2026 m. lapkričio 20 d. 14:05 (Lithuanian).
_YMD_NAMED = re.compile(
    rf"(?<!\d)(?P<year>(?:19|20)\d{{2}})(?:\.|\sm\.)?\s++{_NAME}\s++(?P<day>\d{{1,2}})(?!\d)\.?(?:\sd\.)?" + _CLOCK
)
NUMERIC = re.compile(
    r"(?<![\d/.])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d{2})(?!\d)" + _CLOCK
)
# Two digits of a year are read beside a time or behind "Stand:" alone: versions and prices look like them.
_SHORT_YEAR = re.compile(r"(?<![\d/.])(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{2})(?!\d)" + _CLOCK)
_YEAR_FIRST = re.compile(
    r"(?<![\d/.-])(?P<year>\d{2})(?P<sep>[/.-])(?P<month>[01]\d)(?P=sep)(?P<day>[0-3]\d)(?![\d.-])" + _CLOCK
)
_NO_YEAR = re.compile(r"(?<![\d./-])(?P<a>\d{1,2})(?P<sep>[/-])(?P<b>\d{1,2})(?![\d/.-])" + _CLOCK)
_MONTH_DAY = re.compile(r"(?<!\d)(?P<month>\d{1,2})[月월]\s?(?P<day>\d{1,2})[日号號일]?" + _CLOCK)
# Of its last part, how much later a rough time may be than the exact one: 13 calendar months are 12 of 30 days and 1.2.
_ROUGHLY = 1.2
# Of a weather report or a programme, no date: "Today: 9°C".
_DAY_WORD = re.compile(rf"(?P<word>{words.DAY_WORD})(?:\s?[:：](?=\s?\d{{1,2}}[:.]\d\d)|(?!\s?[:：]))" + _CLOCK, re.I)
_NAMED_DAY = re.compile(rf"\b{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d|\s*+,?\s*+\d{{4}})" + _CLOCK)
_DAY_NAMED = re.compile(
    rf"(?<![\d:.])(?P<day>\d{{1,2}})(?:{_ORDINAL})?\s++(?:de\s++|of\s++)?{_NAME}(?!\w|\s*+,?\s*+\d{{4}})" + _CLOCK
)
_MAX_CHARS = 400
_MAX_YEARLESS = 40  # characters of a text that may be a date without its year
_MAX_DATELINE = 80  # from which on a line is one of the text (``dates._PROSE``)
# Before a date with its time that begins a longer line: "Posted: Fri 20 Nov, 9.05pm By Ann Lee".
_BEGINS = re.compile(r"(?:[^\W\d_]{3,12}\s?[:：]?\s?)?(?:[^\W\d_]{3,10}[.,]{0,2}\s?)?")
_JUST_NOW = re.compile(r"刚刚|剛剛|just now", re.I)
# A time in front of its date: "15:04, 2 January 2024", "8:00 PM EST, Tue December 19, 2023".
_BEFORE = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2})[:：](?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*+(?P<ampm>(?i:[ap]\.?\s?m\b\.?))?\s*+(?P<zone>\(?[A-Z]{2,4}\)?)?"
    r"[\s,，|·–—-]*+(?:on\s++)?(?:[A-Za-z]{2,9}\.?,?\s++)?\Z"
)


class Stamp(NamedTuple):
    """A point in time as a page states it: ISO 8601 (with a zone where stated; a day alone without time) and epoch seconds."""

    iso: str
    epoch: float

    @property
    def day(self) -> str:
        """Its day, in the zone in which it is stated."""
        return self.iso[: len("2024-05-01")]

    @property
    def is_timed(self) -> bool:
        """Whether it is more than a day alone."""
        return self.iso != self.day


class DateReader:
    """Reads dates in one page's frame: its time of fetching, its language and its zone.

    Args:
        fetched_at: epoch seconds; relative forms ("3小时前", "yesterday") need it, later dates are refused.
        chinese: read as Chinese pages write: an hour may stand without minutes, CST is China's.
        local: zone of a time without one; None: China's for a Chinese page, else UTC.
        day_first: whether 5/12 is in December, by what both readings give; asked only where such a day is read.
        eastern: days without a century begin with the year, as in Korea and Japan: 26-11-28, 26.11.28.
        listed: epoch seconds of what a feed or list states; a rough time ("2 weeks ago") that agrees gives way to it.

    Attributes:
        told: the order of a day that can be read in one only; None where none was read.
    """

    def __init__(
        self, fetched_at: float | None = None, *, chinese: bool = False, day_first: Callable[[Stamp, Stamp], bool] | None = None,
        local: dt.tzinfo | None = None, listed: float | None = None, eastern: bool = False,
    ) -> None:  # fmt: skip
        self._is_day_first = day_first or (lambda day_first, month_first: False)
        self.told: bool | None = None
        self.listed = listed
        self.now = dt.datetime.fromtimestamp(fetched_at, dt.UTC) if fetched_at is not None else None
        self.latest = (self.now or dt.datetime.now(dt.UTC)).timestamp() + _FUTURE_SLACK_S
        self.local = local or (dt.timezone(dt.timedelta(minutes=CHINA_MINUTES)) if chinese else dt.UTC)
        self.chinese, self.eastern = chinese, eastern
        self.future = False
        # Each text's date, and whether it is in the future: of a page's lines half are asked for more than once.
        self._known: dict[str, tuple[Stamp | None, bool]] = {}

    def read(self, text: str) -> Stamp | None:
        text = text.strip()[:_MAX_CHARS]
        if (known := self._known.get(text)) is None:
            before, self.future = self.future, False
            known = self._known[text] = self._read(in_common_form(text)), self.future
            self.future = before
        self.future = self.future or known[1]
        return known[0]

    def _read(self, text: str) -> Stamp | None:
        if text.isascii() and text.isdigit() and len(text) in {10, 13}:
            return self._checked(dt.datetime.fromtimestamp(int(text[:10]), self.local), stated=True, timed=True)
        # Each of the patterns begins anew at every character, and most lines that are read are no date.
        for pattern in (_YMD, _MDY, _YEAR_LAST, _DMY, NUMERIC, _COMPACT, _YMD_NAMED) if _YEAR.search(text) else ():
            if stamp := self._first(pattern, text):
                return stamp
        if not _RELATIVE.search(text):
            return None
        short = self._short(text) if len(text) <= _MAX_DATELINE else None
        return short or (self._relative(text) if self.now is not None else None)

    def _first(self, pattern: re.Pattern[str], text: str) -> Stamp | None:
        """The first date of this form, one that is said to be of a change only where there is no other."""
        changed, end = None, 0
        for match in pattern.finditer(text):
            label, end = text[max(end, match.start() - words.LABEL_CHARS) : match.start()], match.end()
            if (stamp := self._absolute(match)) is None:
                continue
            if not words.tells_of_change(label):
                return stamp
            changed = changed or stamp
        return changed

    def _short(self, text: str) -> Stamp | None:
        """A day in numbers with two digits of its year, a time or a word of publication; in few words one without its year."""
        eastern = self.eastern or any(char > "\u2e80" for char in text)
        if eastern and (match := _YEAR_FIRST.search(text)) and (match["hour"] or match[0] == text):
            return self._on(2000 + int(match["year"]), int(match["month"]), int(match["day"]), match.groupdict())
        match = _SHORT_YEAR.search(text)
        if match and (match["hour"] or match[0] == text or PUBLISHED.search(text[: match.start()].rstrip())):
            return self._numeric(2000 + int(match["year"]), int(match["a"]), int(match["b"]), match.groupdict())
        is_brief = self.now is not None and len(text) <= _MAX_YEARLESS
        if is_brief and (match := _NO_YEAR.search(text)) and match["minute"]:
            parts, first, second = match.groupdict(), int(match["a"]), int(match["b"])
            month_first, day_first = self._without_year(first, second, parts), self._without_year(second, first, parts)
            if self.chinese or eastern:
                return month_first or day_first
            return self._in_order(day_first, month_first)
        return None

    def _absolute(self, match: re.Match[str]) -> Stamp | None:
        parts = match.groupdict()
        if parts.get("hour") is None and (before := _BEFORE.search(match.string, 0, match.start())):
            parts |= before.groupdict()
        if parts.get("hour") and (offset := _OFFSET_BEHIND.match(match.string, match.end())):
            parts["zone"] = offset[1]
        year = int(parts["year"])
        if "a" in parts:
            return self._numeric(year, int(parts["a"]), int(parts["b"]), parts)
        name = parts["month"].lower()
        named = words.MONTHS.get(name) or words.SHORT_MONTHS.get(name) or words.MONTHS.get(name[:3], 0)
        month = int(name) if name.isdigit() else named
        return self._on(year, month, int(parts["day"]), parts)

    def _numeric(self, year: int, first: int, second: int, parts: dict[str, str | None]) -> Stamp | None:
        """A day written in two numbers: in the page's order, in the other where that is no day or lies ahead."""
        before = self.future
        day_first, month_first = self._on(year, second, first, parts), self._on(year, first, second, parts)
        if parts["sep"] == ".":
            stamp = day_first or month_first
        else:
            stamp = self._in_order(day_first, month_first)
            if stamp is not None and max(first, second) > 12:
                self.told = first > 12
        self.future = before or (stamp is None and self.future)
        return stamp

    def _in_order(self, day_first: Stamp | None, month_first: Stamp | None) -> Stamp | None:
        """The one of both readings that can be, or that the page means."""
        if day_first is None or month_first is None or day_first == month_first:
            return day_first or month_first
        return day_first if self._is_day_first(day_first, month_first) else month_first

    def _on(self, year: int, month: int, day: int, parts: dict[str, str | None]) -> Stamp | None:
        try:
            return self._at(dt.datetime(year, month, day), parts)  # noqa: DTZ001  the zone is added below where it is known
        except (ValueError, OverflowError):
            return None

    def _at(self, day: dt.datetime, parts: dict[str, str | None]) -> Stamp | None:
        hour_text = parts.get("hour")
        if hour_text is None or (parts.get("minute") is None and not parts.get("ampm") and not self.chinese):
            return self._checked(day, stated=False, timed=False)
        hour = int(hour_text)
        late = (parts.get("ampm") or "").lower().startswith("p") or parts.get("half") in words.LATE
        if late and hour < 12:
            hour += 12
        elif hour == 12 and ((parts.get("ampm") or "").lower().startswith("a") or parts.get("half") in words.EARLY):
            hour = 0
        minute, second = int(parts.get("minute") or 0), int(parts.get("second") or 0)
        if hour > 23 or minute > 59 or second > 59:
            return self._checked(day, stated=False, timed=False)
        moment = day.replace(hour=hour, minute=minute, second=second)
        zone = stated_zone(parts.get("zone"), moment, chinese=self.chinese)
        return self._checked(moment.replace(tzinfo=zone), stated=zone is not None, timed=True)

    def _relative(self, text: str) -> Stamp | None:
        assert self.now is not None
        here = self.now.astimezone(self.local)
        if lengths := lengths_ago(text):
            return self._before(here, lengths)
        if match := _DAY_WORD.search(text):
            back = {"今": 0, "t": 0, "昨": 1, "y": 1, "前": 2, "大": 3}[match["word"][0].lower()]
            day = (here - dt.timedelta(days=back)).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
            return self._at(day, match.groupdict())
        if match := _OTHER_DAY.search(text):
            day = here - dt.timedelta(days=words.DAYS_BACK[match["word"].lower()])
            return self._at(day.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None), match.groupdict())
        # "Fri 20 Nov" is no 20th of a month called Fri: each reading is tried.
        forms = (_MONTH_DAY, _NAMED_DAY, _DAY_NAMED)
        for match in (match for form in forms for match in form.finditer(text)):
            short = len(text) <= _MAX_YEARLESS or match.re is _MONTH_DAY
            if not short and not (match["minute"] and _BEGINS.fullmatch(text, 0, match.start())):
                continue
            name = match["month"].lower()
            month = int(name) if name.isdigit() else words.MONTHS.get(name, 0)
            if stamp := self._without_year(month, int(match["day"]), match.groupdict()):
                return stamp
        says = len(text) <= _MAX_YEARLESS and _JUST_NOW.search(text)  # a longer text tells what has just happened
        return self._checked(here, stated=True, timed=True) if says else None

    def _before(self, here: dt.datetime, lengths: list[tuple[float, int]]) -> Stamp | None:
        """The time so long ago; the one that a feed or list states, where it is the same but more exact."""
        seconds, least = sum(count * size for count, size in lengths), min(size for _, size in lengths)
        if self.listed is not None and -least / 2 <= here.timestamp() - seconds - self.listed <= _ROUGHLY * least:
            day = self.listed % 86_400 == 0
            at = dt.datetime.fromtimestamp(self.listed, dt.UTC if day else self.local)
            timed = not day and at.time() != dt.time.min
            if timed or least >= 86_400:
                return self._checked(at, stated=True, timed=timed)
        # Hours have passed, days are told by the calendar: over a change to summer time they differ.
        timed, back = seconds < 86_400, dt.timedelta(seconds=seconds)
        at = (here.astimezone(dt.UTC) - back).astimezone(self.local) if timed else here - back
        return self._checked(at, stated=True, timed=timed)

    def _without_year(self, month: int, day: int, parts: dict[str, str | None]) -> Stamp | None:
        """The last such day before the time of fetching; at the end of December the first days to come are nearer."""
        assert self.now is not None
        before, this_year = self.future, self.now.astimezone(self.local).year
        latest = dt.datetime.fromtimestamp(self.latest, self.local).year
        stamp = next(
            filter(None, (self._on(year, month, day, parts) for year in range(latest, this_year - 2, -1))), None
        )
        self.future = before or (stamp is None and self.future)
        return stamp

    def _checked(self, moment: dt.datetime, *, stated: bool, timed: bool) -> Stamp | None:
        if moment.year < _EARLIEST_YEAR:
            return None
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=self.local if timed else dt.UTC)
        if aware.timestamp() > self.latest:
            self.future = True
            return None
        shown = moment if stated else moment.replace(tzinfo=None)
        return Stamp(shown.isoformat(timespec="seconds") if timed else shown.date().isoformat(), aware.timestamp())
