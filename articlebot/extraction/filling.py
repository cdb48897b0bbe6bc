"""The fields of an article one by one, by the generic rules: each only where a wrapper left it empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from articlebot.extraction.fields.authors import authors_of
from articlebot.extraction.fields.dates import CHANGED, DATELINE, dates_of
from articlebot.extraction.fields.lead import lead_of
from articlebot.extraction.fields.sources import may_name_one, source_of
from articlebot.extraction.fields.tags import tags_of
from articlebot.extraction.fields.title_candidates import heading_of
from articlebot.extraction.fields.titles import title_of, without_author
from articlebot.extraction.generic.body import BLOCK_RULES, REFUSE_BELOW
from articlebot.extraction.model import DATE_IN_FUTURE, Extracted
from articlebot.extraction.place import HEAD_BLOCKS, Headline, Region
from articlebot.extraction.script_authors import authors_in_scripts
from articlebot.extraction.script_data import DATA_CONFIDENCE, ScriptArticle
from articlebot.page.blocks import Block
from articlebot.page.metadata import canonical_of, keywords_of
from articlebot.page.page import Page
from articlebot.page.text import squash, units

# Lines from a flash's heading to its text, and what ends it.
_MOST_BETWEEN, _STOPS = 3, ("。", "！", "？", "”", ".", "!", "?")
_MAX_CUT = 200
_LEAST_TEXT = 60  # units: a line above a headline that has fewer is its kicker, its tags or crumbs
_END_LINES = 6
_STATED_AUTHORS = frozenset({"jsonld", "marked", "meta"})
_WEAK_DATES = frozenset({None, "url", "dateline", "text", CHANGED})  # they know less than the data of scripts


def without_heading(page: Page, blocks: Sequence[Block], headline: int | None) -> Sequence[Block]:
    """A text's lines without its headline; a flash may say no more than that, which stands above it once more then."""
    if not blocks or headline is None or headline > blocks[0].index + HEAD_BLOCKS:
        return blocks
    key, above = squash(blocks[0].text), page.blocks[: blocks[0].index]
    rest = _below_heading(page, [block for block in blocks if block.index != headline], page.blocks[headline].text)
    return rest or blocks[: any(heading_of(one) and squash(one.text) == key for one in above)]


def _below_heading(page: Page, blocks: list[Block], title: str) -> list[Block]:
    """A text's lines without a heading among its first ones that is the headline, and the tags or crumbs above that.

    The headline itself may stand in the bar on top of the page.
    """
    if not blocks:
        return blocks
    key, start = squash(title), blocks[0].index
    near = page.blocks[start : start + HEAD_BLOCKS]
    again = next((one.index for one in near if heading_of(one) and squash(one.text) == key), -1)
    return [one for one in blocks if one.index > again or (one.index < again and units(one.text) >= _LEAST_TEXT)]


def _is_flash(page: Page, fill: Fill, blocks: Sequence[Block]) -> bool:
    """Whether a short text stands in one run right below a heading and the line that says when to the minute.

    So little text tells the classifier too little.
    """
    start = blocks[0].index
    timed = fill.origin.get("published") in ("dateline", "time") and "T" in fill.new.get("published", "")
    return (
        timed and blocks[-1].index - start < len(blocks) and blocks[-1].text.endswith(_STOPS)
        and any(heading_of(one) for one in page.blocks[max(0, start - _MOST_BETWEEN) : start])
    )  # fmt: skip


def ends_of(body: str) -> str:
    """A body's first and last lines: all that is needed to find where it stands."""
    lines = body.split("\n")
    return body if len(lines) <= 2 * _END_LINES else "\n".join([*lines[:_END_LINES], *lines[-_END_LINES:]])


class Fill:
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


def fill_title(page: Page, fill: Fill, blocks: Sequence[Block]) -> None:
    if not fill.title:
        fill("title", *title_of(page, blocks))


def fill_authors(
    page: Page, fill: Fill, blocks: Sequence[Block], heading: Headline, data: ScriptArticle | None
) -> None:  # fmt: skip
    """The authors; what the data beside a text name them is worth more than a line of the text."""
    if fill.found.authors:
        return
    if isinstance(page, Region) and page.signed_outside:
        page, blocks, heading = page.on_whole(fill.title, ends_of(fill.found.body))
    names = authors_of(page, blocks, heading)
    if data is not None and data.authors and names.rule not in _STATED_AUTHORS:
        fill("authors", data.authors, data.rule, DATA_CONFIDENCE)
    elif not names.names and (named := authors_in_scripts(page)):
        fill("authors", named, "script_data", DATA_CONFIDENCE)
    else:
        fill("authors", *names)
    if "title" in fill.new:
        fill("title", without_author(fill.title, fill.new.get("authors", ())))


def fill_source(
    page: Page, fill: Fill, blocks: Sequence[Block], spoken: str | None, data: ScriptArticle | None
) -> None:  # fmt: skip
    """Whose text it is, as the page says, else the data beside it."""
    if not fill.found.source and (not fill.found.body or spoken == "zh" or may_name_one(page)):
        fill("source", source_of(page, blocks), "text")
    if data is not None and "source" not in fill.new:
        fill("source", data.source, data.rule)


def fill_lead(page: Page, fill: Fill) -> None:
    """The picture that stands for the article."""
    signs = {*page.front.pictures, *(page.signs if isinstance(page, Region) else ())}
    if (lead := lead_of(page, fill.found.images or fill.new.get("images", ()), signs)) is not None:
        fill("lead_image", lead.image.url, lead.rule)


def fill_times(page: Page, fill: Fill, blocks: Sequence[Block], spoken: str | None, heading: Headline) -> None:
    if fill.found.published is not None or "published" in fill.new:
        return
    dates = dates_of(page, blocks, spoken, heading.above)
    if fill.found.body and isinstance(page, Region) and dates.confidence < DATELINE:
        # The line may stand above what holds headline and text, or below it; first pages are read so.
        around, lines, headline = page.on_whole(fill.title, ends_of(fill.found.body))
        dates = max(dates, dates_of(around, lines, spoken, headline.above), key=lambda one: one.confidence)
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


def fill_times_of_data(page: Page, fill: Fill, spoken: str | None, data: ScriptArticle) -> None:
    """The times of what a page's data hold: as its document states them beside the headline, else as the data do."""
    if data.published is None:
        if (heading := Headline(page, fill.title, ()))() is not None:
            fill_times(page, fill, (), spoken, heading)
    else:
        fill_times(data.page, fill, data.page.blocks, spoken, Headline(data.page, fill.title, data.page.blocks))
        if fill.origin.get("published") in _WEAK_DATES:
            fill("published", data.published.iso, data.rule, DATA_CONFIDENCE)
            fill("published_at", data.published.epoch)


def fill_about(page: Page, fill: Fill, blocks: Sequence[Block], heading: Headline) -> None:
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


def cut_of(page: Page, kept: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    """Text between the first and last block of the body that was left out."""
    if not kept:
        return ()
    inside = {block.index for block in kept}
    left = [block for block in page.blocks[kept[0].index : kept[-1].index] if block.index not in inside]
    return tuple(("blocks", block.text[:300]) for block in left[:_MAX_CUT])
