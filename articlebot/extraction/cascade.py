"""From a page to an article: the learned wrapper first, then the generic rules, field by field."""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from articlebot.extraction import clean_html
from articlebot.extraction.fields.authors import authors_of
from articlebot.extraction.fields.dates import dates_of
from articlebot.extraction.fields.images import images_between
from articlebot.extraction.fields.lead import lead_of
from articlebot.extraction.fields.reckoning import in_zone, zone_of
from articlebot.extraction.fields.sources import may_name_one, source_of
from articlebot.extraction.fields.tags import tags_of
from articlebot.extraction.fields.title_candidates import heading_of
from articlebot.extraction.fields.titles import title_of, without_author
from articlebot.extraction.generic.body import BLOCK_RULES, REFUSE_BELOW, SURE, Body, body_of
from articlebot.extraction.model import DATE_IN_FUTURE, Extracted
from articlebot.extraction.place import HEAD_BLOCKS, Headline, Located, Region
from articlebot.extraction.script_authors import authors_in_scripts
from articlebot.extraction.script_data import DATA_CONFIDENCE, ScriptArticle, instead_of
from articlebot.page.blocks import Block
from articlebot.page.metadata import canonical_of, keywords_of, language_of
from articlebot.page.page import Page
from articlebot.page.text import squash
from articlebot.text import language

logger = logging.getLogger(__name__)

_MAX_CUT = 200
_LANGUAGE_CHARS = 1500
_END_LINES = 6
# Lines from a flash's heading to its text, and what ends it.
_MOST_BETWEEN, _STOPS = 3, ("。", "！", "？", "”", ".", "!", "?")
_OBJECTS_OF_PAGES = 10_000  # containers, more than any page of the corpus has at a time (8,201)
_ANY_PAGE = (
    b"<html><head><title>Lause</title></head><body><h1>Lause</h1><p>Hallitus kertoi uudesta laista.</p></body></html>"
)
_STATED_AUTHORS = frozenset({"jsonld", "marked", "meta"})
_WEAK_DATES = frozenset({None, "url", "dateline", "text"})  # rules that know less than the data of a page's scripts


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
    try:
        found = wrapper.apply(page) if wrapper is not None else None
        region = wrapper.region(page) if wrapper is not None and found is not None else None
        around = page if region is None else region
        whole = _complete(around, found if found is not None else Extracted(), sure_from, explain=explain)
    except MemoryError:  # no page's fault
        raise
    except Exception:
        # The one place for it: hostile pages must cost a page, not a crawl, and the log keeps what happened.
        logger.warning("Extraction failed on %s", page.url, exc_info=True)
        return Extracted(refused="failed")
    if whole.refused is None and whole.origin.get("body") in BLOCK_RULES and whole.confidence["body"] < refuse_below:
        return replace(whole, refused="unsure")
    return whole


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


def _complete(page: Page, found: Extracted, sure_from: float, *, explain: bool) -> Extracted:
    """``found`` with its empty fields filled by the generic rules."""
    fill, around = _Fill(found), page
    blocks: Sequence[Block]
    data: ScriptArticle | None = None
    if found.body:
        blocks = (page.kept if isinstance(page, Region) else ()) or Located(page, _ends(found.body))
        _title(page, fill, blocks)
        heading = Headline(page, fill.title, blocks)
    else:
        generic = body_of(page, sure_from=sure_from)
        blocks = generic.kept
        # Where the document has little, its scripts may have the article as data: it is read like a page of its own.
        data = instead_of(page, blocks)
        if data is not None:
            fill("title", data.title, data.rule)
            _title(page, fill, ())
            fill("kind", "article", data.rule, DATA_CONFIDENCE)
            generic = Body(data.page.blocks, generic.chances, data.rule, DATA_CONFIDENCE)
            page, blocks = data.page, data.page.blocks
        _title(page, fill, blocks)
        heading = Headline(page, fill.title, blocks)
        blocks = _without_heading(page, blocks, heading())
        fill("body", "\n".join(block.text for block in blocks), generic.rule, generic.confidence)
        images = images_between(page, blocks, heading)
        fill("html", clean_html.of_blocks(page, blocks, images), generic.rule)
        fill("images", tuple(image for _, image in images), "between_blocks")
        fill("comments", tuple([block.text for block in generic.comments]))
        if explain:
            fill("cut", _cut(page, blocks))
    body = found.body or fill.new.get("body", "")
    spoken = found.language or language(body[:_LANGUAGE_CHARS]) or language_of(page)
    fill("language", spoken)
    if data is not None:
        _times_of_data(around, fill, spoken, data)
    _times(page, fill, blocks, spoken, heading)
    if not found.authors:
        _authors(page, fill, blocks, heading, data)
        if "title" in fill.new:
            fill("title", without_author(fill.title, fill.new.get("authors", ())))
    if not found.source and (not found.body or spoken == "zh" or may_name_one(page)):
        fill("source", source_of(page, blocks), "text")
    if data is not None and "source" not in fill.new:
        fill("source", data.source, data.rule)
    if (lead := lead_of(page, found.images or fill.new.get("images", ()))) is not None:
        fill("lead_image", lead.image.url, lead.rule)
    _about(page, fill, blocks, heading)
    refused = found.refused or (None if body.strip() else "no_text")
    stated = found.published or fill.new.get("published")
    # Wrappers and scripts gave their times before it was known in which language the text is.
    if stated and (at := in_zone(stated, zone_of(page, spoken))) is not None:
        fill.new["published_at"] = at
    return replace(found, **fill.new, origin=fill.origin, confidence=fill.confidence, refused=refused)


def _without_heading(page: Page, blocks: Sequence[Block], headline: int | None) -> Sequence[Block]:
    """A text's lines without its headline; a flash may say no more than that, which stands above it once more then."""
    if not blocks or headline is None or headline > blocks[0].index + HEAD_BLOCKS:
        return blocks
    key, above = squash(blocks[0].text), page.blocks[: blocks[0].index]
    rest = [block for block in blocks if block.index != headline]
    return rest or blocks[: any(heading_of(one) and squash(one.text) == key for one in above)]


def _is_flash(page: Page, fill: _Fill, blocks: Sequence[Block]) -> bool:
    """Whether a short text stands in one run right below a heading and the line that says when to the minute.

    So little text tells the classifier too little.
    """
    start = blocks[0].index
    timed = fill.origin.get("published") in ("dateline", "time") and "T" in fill.new.get("published", "")
    return (
        timed and blocks[-1].index - start < len(blocks) and blocks[-1].text.endswith(_STOPS)
        and any(heading_of(one) for one in page.blocks[max(0, start - _MOST_BETWEEN) : start])
    )  # fmt: skip


def _ends(body: str) -> str:
    """A body's first and last lines: all that is needed to find where it stands."""
    lines = body.split("\n")
    return body if len(lines) <= 2 * _END_LINES else "\n".join([*lines[:_END_LINES], *lines[-_END_LINES:]])


class _Fill:
    """Values for the fields that the wrapper left empty."""

    def __init__(self, found: Extracted) -> None:
        self.found = found
        self.new: dict[str, Any] = {}
        self.origin, self.confidence = dict(found.origin), dict(found.confidence)

    def __call__(self, name: str, value: Any, rule: str = "", confidence: float | None = None) -> None:
        if getattr(self.found, name) or not value:
            return
        self.new[name] = value
        if rule:
            self.origin[name] = rule
        if confidence is not None:
            self.confidence[name] = round(confidence, 3)

    @property
    def title(self) -> str:
        return self.found.title or str(self.new.get("title", ""))


def _title(page: Page, fill: _Fill, blocks: Sequence[Block]) -> None:
    if not fill.title:
        fill("title", *title_of(page, blocks))


def _authors(
    page: Page, fill: _Fill, blocks: Sequence[Block], heading: Headline, data: ScriptArticle | None
) -> None:  # fmt: skip
    """The authors; what the data beside a text name them is worth more than a line of the text."""
    names = authors_of(page, blocks, heading, bylines=not fill.found.body)
    if data is not None and data.authors and names.rule not in _STATED_AUTHORS:
        fill("authors", data.authors, data.rule, DATA_CONFIDENCE)
    elif not names.names and (named := authors_in_scripts(page)):
        fill("authors", named, "script_data", DATA_CONFIDENCE)
    else:
        fill("authors", *names)


def _times(page: Page, fill: _Fill, blocks: Sequence[Block], spoken: str | None, heading: Headline) -> None:
    if fill.found.published is not None or "published" in fill.new:
        return
    dates = dates_of(page, blocks, spoken, heading.above)
    if dates.future:
        fill("notes", (DATE_IN_FUTURE,))
        if dates.published is None:
            fill.origin["published"] = "future_refused"
    if dates.published is not None:
        fill("published", dates.published.iso, dates.rule, dates.confidence)
        fill("published_at", dates.published.epoch)
    if dates.modified is not None:
        fill("modified_at", dates.modified.epoch)
    if blocks and fill.origin.get("body") in BLOCK_RULES and _is_flash(page, fill, blocks):
        fill.confidence["body"] = max(fill.confidence["body"], REFUSE_BELOW)


def _times_of_data(page: Page, fill: _Fill, spoken: str | None, data: ScriptArticle) -> None:
    """The times of what a page's data hold: as its document states them beside the headline, else as the data do."""
    if data.published is None:
        if (heading := Headline(page, fill.title, ()))() is not None:
            _times(page, fill, (), spoken, heading)
    else:
        _times(data.page, fill, data.page.blocks, spoken, Headline(data.page, fill.title, data.page.blocks))
        if fill.origin.get("published") in _WEAK_DATES:
            fill("published", data.published.iso, data.rule, DATA_CONFIDENCE)
            fill("published_at", data.published.epoch)


def _about(page: Page, fill: _Fill, blocks: Sequence[Block], heading: Headline) -> None:
    """What is read from the page's head and links, whatever its article is."""
    # Here and not above: the wrapper package learns from this cascade, and page kinds from the wrapper's blocks.
    from articlebot.extraction.kinds import kind  # noqa: PLC0415
    from articlebot.extraction.paging import next_pages  # noqa: PLC0415
    from articlebot.extraction.video import VideoFound  # noqa: PLC0415
    from articlebot.extraction.video.generic import declared  # noqa: PLC0415

    fill("keywords", keywords_of(page, tags_of(page, blocks, heading)), "meta")
    fill("canonical_url", canonical_of(page))
    fill("media", VideoFound(media=tuple(declared(page))).addresses, "declared")
    fill("next_pages", tuple(next_pages(page)), "links")
    if fill.found.kind is None and "kind" not in fill.new:
        judged = kind(page)
        fill("kind", judged.name, "kinds", judged.confidence)


def _cut(page: Page, kept: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    """Text between the first and last block of the body that was left out."""
    if not kept:
        return ()
    inside = {block.index for block in kept}
    left = [block for block in page.blocks[kept[0].index : kept[-1].index] if block.index not in inside]
    return tuple(("blocks", block.text[:300]) for block in left[:_MAX_CUT])
