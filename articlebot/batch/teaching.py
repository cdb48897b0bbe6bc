"""A person points at where a field of an article stands: the selector of it, tried on the site's stored pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

from articlebot.batch.pages import PageAgain, PageBatch, found_in, read_again
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.pointing import container_of, selector_of
from articlebot.page import Page
from articlebot.runtime.clauses import Clause

Field = Literal["title", "date", "author", "body"]
FIELDS: tuple[Field, ...] = get_args(Field)
# Pages that a correction is tried on.
MOST_PAGES = 20
# Share of the pages on which it must find something.
LEAST_SHARE = 0.5
# From so many pages with the same text on, that text is the site's and not an article's. One author may write all.
_ALIKE_FROM = {"title": 2, "body": 2, "date": 5}
_NAMES = {"title": "title", "date": "published", "author": "authors", "body": "body"}


@dataclass(frozen=True, slots=True)
class Tried:
    """A field of one page as it was read before, and as it would be read; ``found``: by the new selector."""

    url: str
    before: str
    after: str
    found: bool


@dataclass(frozen=True, slots=True)
class Lesson:
    """What came of pointing.

    Attributes:
        selector: of the element, "" where nothing tells it from the others.
        tried: the pages it was tried on, the one pointed at first.
        refused: why it must not be kept; None where it may be.
    """

    field: Field
    selector: str
    tried: tuple[Tried, ...] = ()
    refused: Clause | None = None

    @property
    def said(self) -> Clause:
        """On how many of the pages it found something."""
        values = {"found": sum(one.found for one in self.tried), "pages": len(self.tried)}
        return Clause("found on {found} of {pages} stored pages", values)


def teach(batch: PageBatch, field: Field, number: int) -> Lesson:
    """What pointing at an element comes to; reads each page twice, a tenth of a second for most.

    Args:
        batch: stored pages of a site, the one pointed at first, with what reads them now.
        number: place of the element among all of that page (`Page.elements`), from 0.
    """
    pages = [_parsed(one) for one in batch.pages]
    elements: Sequence[Any] = pages[0].elements if pages else ()
    if not 0 <= number < len(elements):
        return Lesson(field, "", refused=Clause("the page has no such element"))
    element = container_of(elements[number]) if field == "body" else elements[number]
    selector = selector_of(pages[0], element, pages[1:])
    if selector is None:
        return Lesson(field, "", refused=Clause("nothing tells this element from others of its page"))
    after = replace(batch, pages=tuple(_with(one, field, selector) for one in batch.pages))
    pairs = zip(batch.pages, read_again(batch), read_again(after), strict=True)
    tried = tuple(_tried(page, field, found_in(was), found_in(now)) for page, was, now in pairs)
    return Lesson(field, selector, tried, _refusal(field, tried))


def _parsed(one: PageAgain) -> Page:
    return Page.parse(one.body, one.url, one.content_type, one.fetched_at, ZoneInfo(one.zone) if one.zone else None)


def _with(page: PageAgain, field: Field, selector: str) -> PageAgain:
    return replace(page, selectors={**(page.selectors or {}), field: selector})


def _tried(page: PageAgain, field: Field, before: Extracted, after: Extracted) -> Tried:
    by_hand = after.origin.get(_NAMES[field]) == "hand"
    return Tried(page.url, _text(before, field), _text(after, field), by_hand)


def _text(found: Extracted, field: Field) -> str:
    value = getattr(found, _NAMES[field])
    return ", ".join(value) if isinstance(value, tuple) else value or ""


def _refusal(field: Field, tried: Sequence[Tried]) -> Clause | None:
    found = [one.after for one in tried if one.found]
    if not tried[0].found:
        said = "no date can be read there" if field == "date" else "nothing can be read there"
        return Clause(said)
    least = math.ceil(LEAST_SHARE * len(tried))
    if len(found) < least:
        values = {"found": len(found), "pages": len(tried), "least": least}
        return Clause("found on {found} of {pages} pages; {least} at least are needed", values)
    if len(found) >= _ALIKE_FROM.get(field, len(found) + 1) and len(set(found)) == 1:
        return Clause(
            "the same text stands on all {found} pages: it is the site's, no article's", {"found": len(found)}
        )
    return None
