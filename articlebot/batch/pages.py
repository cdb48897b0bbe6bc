"""Pages, a batch at a time: read again, or learned from."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from articlebot.extraction.cascade import extract, warm_up
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.store import StoredPage
from articlebot.extraction.wrapper.wrapper import Wrapper, by_hand, choose, learn
from articlebot.items import Image
from articlebot.page import Page

# Pages of a batch: a second of work, which a killed worker costs.
PAGES = 32
_DEFAULTS = {
    one.name: one.default_factory() if one.default_factory is not MISSING else one.default for one in fields(Extracted)
}


@dataclass(frozen=True, slots=True)
class PageAgain:
    """A page to read.

    Attributes:
        site: whose wrapper it is.
        zone: name of the time zone that its job states, "" for the site's own.
        selectors: hand-written ones of its job by field, None where it has none.
    """

    url: str
    body: bytes
    content_type: str | None
    fetched_at: float | None
    site: str
    zone: str = ""
    selectors: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PageBatch:
    """Pages with all that decides how they are read.

    Attributes:
        wrappers: those in force of the pages' sites, as JSON texts.
        refuse_below: ``ARTICLEBOT_EXTRACTION_REFUSE_BELOW``.
    """

    pages: tuple[PageAgain, ...]
    wrappers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    refuse_below: float = 0.0


def read_again(batch: PageBatch) -> list[dict[str, Any]]:
    """What a crawl would extract from each page now, as :func:`found_in` takes it."""
    _warm()
    return [_said(_extracted(page, batch)) for page in batch.pages]


def found_in(row: Mapping[str, Any]) -> Extracted:
    """What was extracted, of a row of :func:`read_again`."""
    found: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    found["images"] = tuple(Image(**one) for one in row.get("images", ()))
    return Extracted(**found)


def _extracted(asked: PageAgain, batch: PageBatch) -> Extracted:
    zone = ZoneInfo(asked.zone) if asked.zone else None
    page = Page.parse(asked.body, asked.url, asked.content_type, asked.fetched_at, zone)
    wrapper = choose([_wrapper(text) for text in batch.wrappers.get(asked.site, ())], page)
    if asked.selectors is not None:
        wrapper = by_hand(asked.site, wrapper, asked.selectors)
    return extract(page, wrapper=wrapper, refuse_below=batch.refuse_below)


def _said(found: Extracted) -> dict[str, Any]:
    said = {name: value for name, empty in _DEFAULTS.items() if (value := getattr(found, name)) != empty}
    return {**said, "images": [asdict(one) for one in found.images]}


@lru_cache(500)
def _wrapper(text: str) -> Wrapper:
    return Wrapper.from_json(text)


@lru_cache(1)
def _warm() -> None:
    warm_up()


@dataclass(frozen=True, slots=True)
class SiteBatch:
    """The pages of a site to learn from."""

    site: str
    pages: tuple[StoredPage, ...]


def learned(batch: SiteBatch) -> dict[str, Any]:
    """The site's wrappers as JSON texts, most frequent template first, and the processor seconds that it took."""
    begun = time.process_time()
    wrappers = learn((page.parse() for page in batch.pages), site=batch.site)
    return {"wrappers": [one.to_json() for one in wrappers], "seconds": round(time.process_time() - begun, 2)}
