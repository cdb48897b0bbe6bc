"""The links of a list, each with what stands around it and the day that the list tells of it.

A day without its year (``29.11.``, ``11-29``, ``Nov 29``) and one so long ago (``3天前``, ``vor 18 Tagen``) mean
another day whenever they are read: they are told once, by the time at which the list was fetched. A time alone
(``14:05``) is of the day that the link's address has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from articlebot.extraction.fields.dates import day_in, read_in_list
from articlebot.items import Link
from articlebot.page.anchors import Anchor
from articlebot.page.entries import context_of, days_apart, held, tells_day
from articlebot.page.metadata import language_of
from articlebot.page.page import Page
from articlebot.page.text import fold

MIN_LIST = 4  # entries
_LEVELS, _MOST_PARTS = 4, 40
# What may be such a day: brief, and with a digit or a word for yesterday.
_MAY_BE, _LONGEST = re.compile(r"[\d昨前]|yesterday", re.I), 30
_HEADLINES = frozenset({"a", "h1", "h2", "h3", "h4", "h5", "h6"})
# So many of the entries without another day have one, and the newest come first: else it is a score or a rating. The
# last page of a list may have a single entry, whose day in words is one.
_LEAST, _LEAST_SHARE, _IN_ORDER = 3, 0.5, 0.8
# A time of day alone, as a length is written, too: those of one day come one after the other, so many at least.
_CLOCK, _LEAST_TIMES = re.compile(r"[\[(（]?(?P<clock>(?:[01]\d|2[0-3])[:：][0-5]\d)[\])）]?(?:\s?(?:Uhr|h))?"), 5


def links_of(found: Iterable[Anchor], page: Page) -> list[Link]:
    """The links that lead to a list's articles; in front of what stands around one the day that is told of it alone."""
    anchors = list(found)
    read: dict[Any, tuple[int, str]] = {}
    elements = [anchor.element for anchor in anchors]
    every = held(elements) if len(anchors) > 1 else {}
    others, days = every if len(anchors) >= MIN_LIST else {}, days_apart(elements, every)
    around = [days.get(one) or context_of(one, read, others) for one in elements]
    untold = [one for one, text in zip(elements, around, strict=True) if one is not None and not tells_day(text)]
    brief = _brief_days(untold, every, page) if every and page.fetched_at is not None else {}
    brief = brief or (_times_of_days({one.element: one.url for one in anchors}, untold, every) if every else {})
    return [
        Link(
            url=anchor.url, text=(anchor.entry or anchor.text)[:500],
            context=f"{brief[anchor.element]};{text}" if anchor.element in brief else text, region=anchor.path,
        )
        for anchor, text in zip(anchors, around, strict=True)
    ]  # fmt: skip


def _brief_days(elements: Sequence[Any], others: Mapping[Any, int], page: Page) -> dict[Any, str]:
    """The days of the entries of some links, each told alone in its entry; none where they are no column of days."""
    known: dict[str, str | None] = {}
    language, found, in_words = language_of(page), dict[Any, str](), True
    for element in elements:
        texts = {text for text in _texts(_entry(element, others)) if len(text) <= _LONGEST and _MAY_BE.search(text)}
        for text in texts - known.keys():
            known[text] = read_in_list(text, page, language)
        told = {day: text for text in texts if (day := known[text]) is not None}
        if len(told) == 1:
            ((found[element], text),) = told.items()
            in_words = in_words and any(map(str.isalpha, text))
    enough = len(found) >= max(1 if in_words else _LEAST, _LEAST_SHARE * len(elements))
    falling = [newer >= older for newer, older in pairwise(found.values())]
    return found if enough and sum(falling) >= _IN_ORDER * len(falling) else {}


def _times_of_days(urls: Mapping[Any, str], untold: Iterable[Any], others: Mapping[Any, int]) -> dict[Any, str]:
    """The days of some links' addresses with the time that stands alone in the entry; none where they are no times."""
    found: dict[Any, str] = {}
    for element in untold:
        if day := day_in(urls[element]):
            clocks = {match["clock"] for text in _texts(_entry(element, others)) if (match := _CLOCK.fullmatch(text))}
            if len(clocks) == 1:
                found[element] = f"{day} {clocks.pop().replace('：', ':')}"
    pairs = [(newer, older) for newer, older in pairwise(found.values()) if newer[:-5] == older[:-5]]
    falling = sum(newer >= older for newer, older in pairs)
    return found if len(pairs) >= _LEAST_TIMES and falling >= _IN_ORDER * len(pairs) else {}


def _entry(element: Any, others: Mapping[Any, int]) -> Any:
    """The largest element that holds this link alone."""
    entry = element
    for above in islice(element.iterancestors(), _LEVELS):
        if others.get(above) != 1 or above.tag in ("body", "html"):
            break
        entry = above
    return entry


def _texts(entry: Any) -> Iterator[str]:
    """What stands in the parts of an entry, but its headline."""
    for part in islice(entry.iter(), _MOST_PARTS):
        own = part.text if isinstance(part.tag, str) and part.tag not in _HEADLINES else ""
        for text in (own, part.tail if part is not entry else ""):
            if text and (folded := fold(text)):
                yield folded
