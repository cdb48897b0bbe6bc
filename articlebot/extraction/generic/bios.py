"""What is said of the writer below a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from articlebot.extraction.fields.byline_labels import names_in_line
from articlebot.extraction.fields.info_line import is_person, signature, spaced, without_date
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS

_ABOVE: Final = 8  # lines above a text among which its byline stands
_NAME_LINE: Final = 80  # characters
_LEAST: Final = 15  # of what is said behind the name
_LEAST_LINES: Final = 3  # of a text
_SHARE: Final = 0.2  # of a text; a maker's name begins half of what is said of its goods
_ENDS_QUOTE: Final = "\"'”“»«’」』*"
_NAME_CHARS: Final = 60
# Who is quoted is no writer: two people of an article may have one name.
_QUOTED: Final = frozenset('“”„«»「」『』"')
# Behind the name: a verb, a role, "长期关注…"; a colon is behind who speaks.
_GOES_ON: Final = (" ", ",", "，", "。", " (", "（", "、")


def without_bio(kept: list[Block], page: Page, blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a text but a last one that begins with the name of its writer, and the name alone above that.

    Of three such lines on the annotated pages none is text, where the head or a byline names the writer.

    Args:
        blocks: all of the page or region.
    """
    if len(kept) <= _LEAST_LINES or kept[-1].tag in HEADINGS:
        return kept
    text = kept[-1].text
    if len(text) > _SHARE * sum([len(block.text) for block in kept]) or not _QUOTED.isdisjoint(text):
        return kept
    for name in _writers(page, blocks[: kept[0].index]):
        if text.startswith(name) and len(text) >= len(name) + _LEAST and text[len(name) :].startswith(_GOES_ON):
            kept = kept[:-1]
            return kept[:-1] if kept[-1].text == name else kept
    return kept


def _writers(page: Page, above: Sequence[Block]) -> Iterator[str]:
    """The full names of whom the head or a line above the text names as its writers."""
    stated = [node.get("author") for node in article_nodes(page.jsonld)]
    people = chain.from_iterable(one if isinstance(one, list) else [one] for one in stated)
    named = [one.get("name") if isinstance(one, dict) else one for one in people]
    near = [spaced(block) for block in above[-_ABOVE:] if block.tag != "h1" and len(block.text) <= _NAME_LINE]
    shown = [name for line in near for name in (*names_in_line(line), without_date(line))]
    for name in (*page.meta.get("author", ()), *named, *shown):
        if isinstance(name, str) and is_person(name.strip()):
            yield name.strip()


def signed(kept: Sequence[Block]) -> frozenset[int]:
    """The index of a last line that is its writer's name: `— Ann Lee`, `(Ann Lee)`, 【佐藤健一】.

    Below a quotation it is of whom that is.
    """
    if len(kept) <= _LEAST_LINES or len(kept[-1].text) > _NAME_CHARS or kept[-1].text[0] not in "—–-(（【":
        return frozenset()
    said = kept[-2].node.tag == "blockquote" or kept[-2].text[-1] in _ENDS_QUOTE
    return frozenset() if said or not signature(kept[-1].text) else frozenset([kept[-1].index])
