"""When an article was published and changed: every place that says it, and how far each can be trusted."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from articlebot.extraction.fields.beside import Headline, around, without_others
from articlebot.extraction.fields.date_reader import DateReader, Stamp
from articlebot.extraction.fields.date_words import UPDATED, tells_of_change
from articlebot.extraction.fields.datelines import (
    BELOW,
    PROSE,
    datelines,
    lines_of_change,
    stated,
    time_elements,
    times_below,
    times_changed,
)
from articlebot.extraction.fields.elapsed import lengths_ago
from articlebot.extraction.fields.info_line import without_date
from articlebot.extraction.fields.reckoning import A_DAY_AND_ZONES_S, DayOrder, zone_of
from articlebot.extraction.fields.script_times import times_in_scripts
from articlebot.extraction.fields.shown_times import as_shown
from articlebot.extraction.fields.stated_times import modified, statements
from articlebot.page.blocks import Block
from articlebot.page.metadata import types_of
from articlebot.page.page import Page

DATELINE = 0.85  # the confidence of a line that says when, or of an address
_BY_MACHINES = frozenset({"jsonld", "meta"})
_STATED = _BY_MACHINES | {"time"}
_LINES = frozenset({"dateline", "text"})
_URL_DATE = re.compile(
    # /2026/11/18-questions-asked and /202611/18.html are filed by month: a headline that begins with a number, a number.
    # So is /2026/1102.html, the article 1102 of a year.
    r"/((?:19|20)\d{2})(?![-_/]?\d\d/\d\d[-_.][a-z]|/\d{4}\.\w{2,5}\Z)[-/_]?(0[1-9]|1[0-2]|[1-9](?=/))[-/_]?(0[1-9]|[12]\d|3[01]|[1-9](?=/))(?!\d)"
    r"|/(20\d{2})-(\d{1,2})/(\d{1,2})/"
    r"|/((?:19|20)\d{2})/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/(\d{1,2})(?!\d)",
    re.I,
)
# A number that begins with a day, as sites build them: A2026012914320005196, t20240501_123.
_URL_NUMBER = re.compile(r"[/_=-][A-Za-z]{0,4}(20[012]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{4,}|[_.-]|\Z)")
_AN_HOUR_S, _A_DAY_S = 3600, 86_400.0
_MOMENT_S = 120.0  # between a page's making and its fetching
_ONLY_DAY = re.compile(r"\W*+(?:published|posted)?\W*+(?:on)?\W*+", re.I)
# And beside it a name: "By: Ann Lee on Nov. 28, 2026, 3:24 p.m."
_NAMED_DAY = re.compile(_ONLY_DAY.pattern + r"(?:(?:by|von|par|por|di|door|av|af)\b.{1,50})?", re.I)
_EASTERN, _LONGEST_MOMENT = frozenset({"zh", "ja", "ko"}), 40  # "Wednesday, 30 September 2026 at 10:05 a.m."
_ENTRY_SAYS = re.compile(r"\A([^;]{6,40});")  # the day of an entry, and then what it shows: page.entries
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# From one day to another, as of an exhibition or of an archive's copies: "22 May 2007 - 6 Aug. 2016".
_SPAN = re.compile(
    r"(?:19|20)\d\d[年月日\d./-]{0,8}(?:\s?[–—~至]\s?|\s(?:-|to|bis)\s)"
    r"(?:\d{1,2}[\s./-]{1,2}(?:\w{1,10}[\s.,/-]{1,2})?|[^\W\d]{3,9}\.?\s\d{1,2},?\s)?(?:19|20)\d\d(?!\d)"
)
# Days as lists have them without a year: 29.11., 11-29, [11-29 08:30]; Sun, Nov 29, 29. November, 11月29日, yesterday 14:05.
_AT = r"(?:[,，]?\s?(?:at\s)?\d{1,2}[:：]\d\d)"
_IN_NUMBERS = re.compile(
    rf"[\[(（【]?(?:(?P<a>\d\d|\d(?=\.))(?P<sep>[-/.])\s?(?P<b>\d\d|\d(?=\.))(?P<dot>\.)?(?P<clock>{_AT})?)[\])）】]?"
)
_IN_WORDS = re.compile(
    r"(?:[^\W\d_]{2,10}[.,]{0,2}\s)?(?:\d\d?(?:st|nd|rd|th|\.)?\s(?:de\s)?[^\W\d_]{3,10}\.?|[^\W\d_]{3,10}\.?\s\d\d?(?:st|nd|rd|th)?|"
    rf"\d\d?月\d\d?[日号]|昨[天日]|前天|yesterday){_AT}?", re.I
)  # fmt: skip
_OF_LENGTH = re.compile(r"\W*\d\d?\s?(?:h|hrs?|d)")  # that of a film or a recipe
_MOST_DAYS_BACK = 300
CHANGED = "changed"  # rule of a page that only says when it was changed: "Last edited 29 November 2026"
_LOOSE = 0.65  # confidence up to which lines are taken that may say so
_MOST_SHORT = 400  # lines that are read where nothing near the text says when
# Lines around the headline one of which may be a day alone; words of a date and its time, "Sat, 28 November 2026" or
# "28. November 2026 14:05", with the day of the week and seconds more, and characters of the longest.
_LINES_BESIDE, _WORDS_BESIDE, _WORDS_TIMED, _LONGEST_WORD = 4, 4, 7, 20


class Dates(NamedTuple):
    """What is known of an article's times, with the rule that gave the first.

    Attributes:
        future: what the page states for its publication lies after its fetching and was refused.
    """

    published: Stamp | None
    modified: Stamp | None
    rule: str
    confidence: float
    future: bool = False


def dates_of(page: Page, body: Sequence[Block], language: str | None, headline: Headline) -> Dates:
    """The times of the article whose body are these blocks. A date after ``page.fetched_at`` is refused.

    Args:
        headline: gives the index of the headline's block, None where unknown; the line below it is the likeliest dateline.
    """
    reader = _reader(page, language)
    told = chain(modified(page), times_changed(page, body), lines_of_change(page, body, headline))
    changed = next((stamp for text in told if (stamp := reader.read(text))), None)
    future = False
    for rule, confidence, texts in _sources(page, body, reader, headline):
        reader.future = False
        for text in texts:
            stamp = reader.read(text)
            if stamp is not None:
                if rule in _BY_MACHINES and (day := _day_before(stamp, page, body, reader, headline)) is not None:
                    return Dates(day, changed, "dateline", DATELINE)
                shown = as_shown(stamp, page, body, reader, headline)
                page.told_orders += [] if reader.told is None else [reader.told]
                if rule in _LINES and confidence <= _LOOSE and tells_of_change(text) and len(_YEAR.findall(text)) == 1:
                    return Dates(shown, changed or stamp, CHANGED, 0.5, future)
                return Dates(shown, changed, rule, confidence, future)
        future = future or (reader.future and rule in _STATED)
    return Dates(None, changed, "none", 0.0, future)


def _day_before(
    stamp: Stamp, page: Page, body: Sequence[Block], reader: DateReader, headline: Headline
) -> Stamp | None:
    """The day of the line beside the headline that says nothing else, where it is well before what data state.

    These have the day of a move or of an edit then. Of 873 annotated pages four are so: all four show the right day.
    Where they have the moment of the answer, templates write when they were filled in; a name may stand in the line.
    """
    index = headline()
    if index is None:
        return None
    # A standfirst may stand between headline and dateline.
    text = body[1:2] if len(body) > 1 and body[1].index > body[0].index + 1 else body[:1]
    end = min([index + _LINES_BESIDE, *(one.index for one in text)])
    near = [one for one in page.blocks[max(0, index - _LINES_BESIDE) : end + 1] if len(one.text) < PROSE]
    # A headline may be a day itself, as that of a diary, and stand once more among the crumbs above it.
    near = [one for one in near if one.text != page.blocks[index].text]
    filled_in = page.fetched_at is not None and abs(page.fetched_at - stamp.epoch) <= _MOMENT_S
    alone = _NAMED_DAY if filled_in else _ONLY_DAY
    lines = [one for one in near if alone.fullmatch(without_date(one.text))]
    lines.sort(key=lambda one: abs(one.index - index - BELOW))
    day = next((day for one in lines if (day := reader.read(one.text)) is not None), None)
    least = A_DAY_AND_ZONES_S + (0.0 if filled_in else _A_DAY_S)
    return day if day is not None and stamp.epoch - day.epoch > least else None


def _reader(page: Page, language: str | None) -> DateReader:
    # To ask for the order of day and month means to walk over the page, which a wrapper spares.
    order, local = DayOrder(page, language), zone_of(page, language)
    return DateReader(
        page.fetched_at, chinese=language == "zh", day_first=order, local=local, listed=page.listed_at,
        eastern=language in _EASTERN,
    )  # fmt: skip


def read_shown(text: str, page: Page, language: str | None) -> Stamp | None:
    """The date of a text that a page shows; a time without a zone is not in the site's yet (see ``in_zone``)."""
    order, eastern = DayOrder(page, language), language in _EASTERN
    return DateReader(page.fetched_at, chinese=language == "zh", day_first=order, eastern=eastern).read(text)


def shown_beside(around: str) -> str:
    """What an entry of a list shows, without its day where that is stated once more before it."""
    return _ENTRY_SAYS.sub("", around, count=1)


def read_beside(around: str, link: str, page: Page, language: str | None) -> Stamp | None:
    """The date in the text around a link that led to a page: beside the link, or where that text begins or ends.

    Other dates are those of its teaser, and among several years none is surely the link's own.
    """
    reader = _reader(page, language)
    said = _ENTRY_SAYS.match(around)
    stated = reader.read(said[1]) if said is not None and _YEAR.search(said[1]) else None
    if stated is None or stated.is_timed:
        return stated or _shown_beside(around, link, reader)
    shown = _shown_beside(shown_beside(around), link, reader)  # its time may stand in an element of its own
    return shown if shown is not None and shown.day == stated.day else stated


def _shown_beside(around: str, link: str, reader: DateReader) -> Stamp | None:
    if len(_YEAR.findall((link and around.replace(link, " ", 1).strip()) or around)) != 1:  # a link may be all
        return None
    day = _beside(around, link, reader, _WORDS_BESIDE)
    if day is None or day.is_timed:
        return day
    timed = _beside(around, link, reader, _WORDS_TIMED)
    # Its year may stand behind the time: Sat Sep 26 07:10:00 2026.
    return timed if timed is not None and timed.day[5:] == day.iso[5:] else day


def read_in_list(text: str, page: Page, language: str | None) -> str | None:
    """The time (ISO 8601) of a text in a list that is nothing but a day without its year, or of some days or hours ago.

    Weeks and months ago tell no day, and what would be nearly a year ago is one to come.
    """
    short, lengths = _IN_NUMBERS.fullmatch(text), lengths_ago(text)
    is_told = (not lengths and _IN_WORDS.fullmatch(text)) or (lengths and max(size for _, size in lengths) <= _A_DAY_S)
    if (short is None and not is_told) or _OF_LENGTH.fullmatch(text) or page.fetched_at is None:
        return None
    reader, texts = _reader(page, language), [text]
    if short is not None:
        first, sep, second, clock = short["a"], short["sep"], short["b"], short["clock"] or ""
        if language not in _EASTERN and (sep == "/" or (sep == "." and not short["dot"])):
            return None  # ratings, versions
        form = "{0}-{1}-{2}{3}" if language in _EASTERN else f"{{1}}{sep}{{2}}{sep}{{0}}{{3}}"
        year, latest = (dt.datetime.fromtimestamp(at, dt.UTC).year for at in (page.fetched_at, reader.latest))
        texts = [form.format(one, first, second, clock) for one in range(latest, year - 2, -1)]
    stamp = next(filter(None, map(reader.read, texts)), None)
    if stamp is None or reader.latest - stamp.epoch > _MOST_DAYS_BACK * _A_DAY_S:
        return None
    return stamp.day if lengths else stamp.iso


def _beside(around: str, link: str, reader: DateReader, most: int) -> Stamp | None:
    """The date in so many words beside the link, or with which the text begins or ends."""
    parts = [around.split()[:most]]
    if link and link in around:
        before, _, after = around.partition(link)
        parts = [after.split()[:most], before.split()[-most:], *parts]
    if not around.endswith((".", "。", "…", "!", "?")):
        parts.append(around.split()[-most:])
    # Where words are not parted, a long one is a sentence.
    found = (reader.read(" ".join(one for one in words if len(one) <= _LONGEST_WORD)) for words in parts)
    return next(filter(None, found), None)


def _sources(
    page: Page, body: Sequence[Block], reader: DateReader, headline: Headline
) -> Iterator[tuple[str, float, Iterable[str]]]:
    for (rule, texts), confidence in zip(statements(page), (0.97, 0.95), strict=True):
        yield rule, confidence, texts
    own, others = time_elements(page, body, headline)
    yield "time", 0.9, own
    # An address that is filed by day cannot mean another day that the text speaks of.
    yield "url", DATELINE, [_from_url(_URL_DATE, page.url)]
    said, looser = datelines(page, body, headline, others)
    yield "dateline", DATELINE, _dated(said, reader, today=False)
    yield "url", 0.8, [_from_url(_URL_NUMBER, page.url)]
    yield "script_data", 0.7, times_in_scripts(page)
    yield "time", 0.65, times_below(body, others)
    yield "text", 0.65, _alone(page, body, reader)
    yield "dateline", 0.65, chain(_dated(said, reader, today=True), _not_today(looser, reader))
    on_page = [one.get("datePublished") for one in page.jsonld if "WebPage" in types_of(one)]
    yield "jsonld", 0.6, [text for text in on_page if isinstance(text, str)]
    told = [text for line, text in others if line < len(page.blocks) and UPDATED.search(page.blocks[line].text)]
    yield "time", 0.6, [text for _, text in others if text not in told]
    yield "text", 0.5, _apart(page, body, reader)
    yield CHANGED, 0.5, told
    yield "meta", 0.4, page.meta.get("last-modified", []) + page.meta.get("article:modified_time", [])


def _dated(lines: Sequence[str], reader: DateReader, *, today: bool) -> Iterator[str]:
    """The lines with a date: those of the day of fetching without a time or "12 hours ago", or all others."""
    nows = () if reader.now is None else (reader.now, reader.now.astimezone(reader.local))
    days = {now.date().isoformat() for now in nows}
    for line in lines:
        stamp = reader.read(line)
        rounded = stamp is not None and min((size for _, size in lengths_ago(line)), default=0) >= _AN_HOUR_S
        if stamp is not None and (rounded or stamp.iso in days) == today:
            yield line


def _not_today(lines: Sequence[str], reader: DateReader) -> Iterator[str]:
    """The lines with a date, those last that may only show the day of fetching."""
    return chain(_dated(lines, reader, today=False), _dated(lines, reader, today=True))


def _apart(page: Page, body: Sequence[Block], reader: DateReader) -> Iterator[str]:
    """The short lines with a date, but those beside the article, those of lists, and a site's own clock above all."""
    short = [block for block in page.blocks if len(block.text) < PROSE and not _SPAN.search(block.text)][:_MOST_SHORT]
    dated = {text: block for block in short if reader.read(text := stated(block.text)) is not None}
    free = without_others([(block.element, text) for text, block in dated.items()], around(body))
    above = [text for text in free if body and dated[text].index < body[0].index]
    return chain(_dated(above, reader, today=False), _not_today([one for one in free if one not in above], reader))


def _alone(page: Page, body: Sequence[Block], reader: DateReader) -> list[str]:
    """The line beside the text that is a day with its time and nothing else, where the page has but one such moment."""
    first, last = (body[0].index, body[-1].index) if body else (0, -1)
    lines = (one.text for one in page.blocks if len(one.text) < _LONGEST_MOMENT and not first <= one.index <= last)
    dated = (line for line in lines if _YEAR.search(line) and _ONLY_DAY.fullmatch(without_date(line)))
    found = {stamp: line for line in dated if (stamp := reader.read(line)) and stamp.is_timed}
    return list(found.values()) if len(found) == 1 else []


def day_in(url: str) -> str:
    """The day by which an address is filed, as it has it; "" for none."""
    return _from_url(_URL_DATE, url)


def _from_url(pattern: re.Pattern[str], url: str) -> str:
    match = pattern.search(url)
    if match is None:
        return ""
    year, month, day = (part for part in match.groups() if part)
    return f"{day} {month} {year}" if month.isalpha() else f"{year}-{month}-{day}"
