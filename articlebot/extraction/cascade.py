"""From a page to an article: the learned wrapper first, then the generic rules, field by field."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from articlebot.extraction import clean_html
from articlebot.extraction.fields.images import images_between
from articlebot.extraction.fields.reckoning import in_zone, zone_of
from articlebot.extraction.filling import (
    Fill,
    cut_of,
    ends_of,
    fill_about,
    fill_authors,
    fill_lead,
    fill_source,
    fill_times,
    fill_times_of_data,
    fill_title,
    without_heading,
)
from articlebot.extraction.generic.body import BLOCK_RULES, REFUSE_BELOW, SURE, Body, body_of
from articlebot.extraction.model import Extracted
from articlebot.extraction.place import Headline, Located, Region
from articlebot.extraction.script_data import DATA_CONFIDENCE, ScriptArticle, instead_of
from articlebot.page.blocks import Block
from articlebot.page.metadata import language_of
from articlebot.page.page import Page
from articlebot.text import language

logger = logging.getLogger(__name__)

_LANGUAGE_CHARS = 1500
_OBJECTS_OF_PAGES = 10_000  # containers, more than any page of the corpus has at a time (8,201)
_ANY_PAGE = (
    b"<html><head><title>Lause</title></head><body><h1>Lause</h1><p>Hallitus kertoi uudesta laista.</p></body></html>"
)


class AppliesToPage(Protocol):
    """A learned or hand-written wrapper."""

    def apply(self, page: Page) -> Extracted | None:
        """What it finds; empty fields are left to the rules; None: the page is none of its kind."""

    def region(self, page: Page) -> Region | None:
        """The page as its blocks around the article; None where it does not know."""


def extract(
    page: Page,
    *,
    wrapper: AppliesToPage | None = None,
    sure_from: float = SURE,
    refuse_below: float = REFUSE_BELOW,
    explain: bool = False,
) -> Extracted:
    """The article on a page. Never raises for page content.

    Args:
        page: from :meth:`Page.parse`.
        wrapper: of the page's site; its fields win where they are filled, the generic rules give the others.
        sure_from: expected F1 of the own block classifier from which trafilatura is not asked besides.
        refuse_below: expected F1 of a body below which it is refused as ``unsure``; a wrapper's never is.
        explain: fills ``cut`` with what was taken out of the body's region.
    """
    if page.tree is None:
        return Extracted(refused=page.refused or "empty")
    found, around = Extracted(), page
    try:
        if wrapper is not None:
            with _spared(page, "the wrapper's part"):
                found, around = _learned(page, wrapper)
        whole = _complete(around, found, sure_from, explain=explain)
    except MemoryError:  # no page's fault
        raise
    except Exception:
        # The one place for it: hostile pages must cost a page, not a crawl, and the log keeps what happened.
        logger.warning("Extraction failed on %s", page.url, exc_info=True)
        return Extracted(refused="failed")
    if whole.refused is None and whole.origin.get("body") in BLOCK_RULES and whole.confidence["body"] < refuse_below:
        return replace(whole, refused="unsure")
    return whole


def _learned(page: Page, wrapper: AppliesToPage) -> tuple[Extracted, Page]:
    """What a wrapper finds, and the part of the page around it."""
    found = wrapper.apply(page)
    region = wrapper.region(page) if found is not None else None
    return found or Extracted(), page if region is None else region


@contextmanager
def _spared(page: Page, part: str) -> Iterator[None]:
    """Reads a part of an article that may fail by itself: its text is published all the same."""
    try:
        yield
    except MemoryError:
        raise
    except Exception:
        logger.warning("Reading %s failed on %s; the rest of the article stands", part, page.url, exc_info=True)


def warm_up() -> None:
    """Loads models, trafilatura and the dictionaries of languages and hosts, so that no page pays for them."""
    extract(Page.parse(_ANY_PAGE, "https://www.example.com/any"), sure_from=1.0)
    gc.collect()
    collect_by_page()


def collect_by_page() -> None:
    """Tells the garbage collector to leave alone what is loaded, and to look at what is new about once a page.

    Pages leave no cycles behind, and Scrapy few. Every 700 objects, as by default, it took 4% of the time of reading
    and a sixth of a crawl's, with stops of 160 ms.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_OF_PAGES)


def _headed(page: Page, fill: Fill, blocks: Sequence[Block]) -> Headline:
    """Fills the title, and finds it among the page's lines."""
    fill_title(page, fill, blocks)
    return Headline(page, fill.title, blocks)


def _by_rules(
    page: Page, fill: Fill, sure_from: float, *, explain: bool
) -> tuple[Page, Sequence[Block], Headline, ScriptArticle | None]:
    """Fills title, body and what stands in it; where a script has the article, from the page that its data make."""
    generic = body_of(page, sure_from=sure_from)
    data: ScriptArticle | None = None
    # Where the document has little, its scripts may have the article as data: it is read like a page of its own.
    with _spared(page, "data"):
        data = instead_of(page, generic.kept)
    if data is not None:
        fill("title", data.title, data.rule)
        fill_title(page, fill, ())
        fill("kind", "article", data.rule, DATA_CONFIDENCE)
        page = data.page
        generic = Body(page.blocks, generic.chances, data.rule, DATA_CONFIDENCE)
    heading = _headed(page, fill, generic.kept)
    blocks = without_heading(page, generic.kept, heading())
    fill("body", "\n".join(block.text for block in blocks), generic.rule, generic.confidence)
    images = images_between(page, blocks, heading)
    fill("html", clean_html.of_blocks(page, blocks, images), generic.rule)
    fill("images", tuple(image for _, image in images), "between_blocks")
    fill("comments", tuple([block.text for block in generic.comments]))
    if explain:
        fill("cut", cut_of(page, blocks))
    return page, blocks, heading, data


def _complete(page: Page, found: Extracted, sure_from: float, *, explain: bool) -> Extracted:
    """``found`` with its empty fields filled by the generic rules."""
    fill, around, spared = Fill(found), page, partial(_spared, page)
    if found.body:
        blocks: Sequence[Block] = (page.kept if isinstance(page, Region) else ()) or Located(page, ends_of(found.body))
        data = None
        heading = _headed(page, fill, blocks)
    else:
        page, blocks, heading, data = _by_rules(page, fill, sure_from, explain=explain)
    body = found.body or fill.new.get("body", "")
    spoken = found.language or language(body[:_LANGUAGE_CHARS]) or language_of(page)
    fill("language", spoken)
    with spared("times"):
        if data is not None:
            fill_times_of_data(around, fill, spoken, data)
        fill_times(page, fill, blocks, spoken, heading)
    with spared("authors"):
        fill_authors(page, fill, blocks, heading, data)
    with spared("the source"):
        fill_source(page, fill, blocks, spoken, data)
    with spared("the lead image"):
        fill_lead(page, fill)
    with spared("kind and links"):
        fill_about(page, fill, blocks, heading)
    refused = found.refused or (None if body.strip() else "no_text")
    stated = found.published or fill.new.get("published")
    # Wrappers and scripts gave their times before it was known in which language the text is.
    if stated and (at := in_zone(stated, zone_of(page, spoken))) is not None:
        fill.new["published_at"] = at
    return replace(found, **fill.new, origin=fill.origin, confidence=fill.confidence, refused=refused)
