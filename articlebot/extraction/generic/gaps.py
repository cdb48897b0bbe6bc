"""What is doubted for having no sentences, between the lines of a text and right behind it: code, items, headings."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.generic.features import Array
from articlebot.page.blocks import Block, Node
from articlebot.page.tags import HEADINGS

# Chance from which code between lines of a text is of it, and a heading above one: on four sites of the corpus code is,
# on one page it is not; of 190 headings of chances from .2 that stand so on sites not seen nine of ten are. With the
# heads of a table's columns three pages gain (.002, .006, .19), none loses.
_GAP: Final = 0.1
_LISTS: Final = frozenset({"ul", "ol", "dl"})
_WHOLES: Final = frozenset({"table", "ul", "ol"})
_PARTS: Final = frozenset({"td", "th", "li"})
_PART: Final = 60  # units
_LABEL: Final = 20  # characters of a language's name
_SUBHEAD: Final = 80  # characters
_BOXES: Final = frozenset({"p", "div"})
_STOPS: Final = ".!,;:。！，；：…"
_MOSTLY: Final = 0.8
# Of a table's cells: of nine annotated pages that change by it seven are better (.003 to .035), two worse (.004, .024).
_HALF: Final = 0.5
_LETTER: Final = re.compile(r"[^\W\d_]")
_MOST_COLUMNS: Final = 12  # of a table that a text begins with
_MOST_LINKED: Final = 0.5  # of a heading's characters
# Chance from which the next item of a list with which a text ends is of it, and a heading by its form: as low as a
# line of a sure text may have. Of 340 lines of annotated pages with such a heading's form 320 are text.
_LOWEST: Final = 0.3
# That of the likeliest cell of a table with which a text ends, as results do below a report, and cells of one. No
# annotated page changes by it; tables between two lines of a text, taken so, are wrong on four of six.
_TABLE, _LEAST_CELLS = 0.2, 4


def with_gaps(blocks: Sequence[Block], chances: Array, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The chosen blocks, and what is doubted for having no sentences.

    That is code and items between and right behind them, and heads right above one.
    """
    inside = np.flatnonzero(keep)
    if not len(inside):
        return keep
    for first, last in _lists_between(blocks, keep, inside):
        keep[first:last] |= chances[first:last].max() >= _GAP
    between = np.arange(max(0, inside[0] - _MOST_COLUMNS), inside[-1])
    for index in reversed(between[~keep[between] & (chances[between] >= _GAP)].tolist()):
        block = blocks[index]
        if block.node.hidden or not _LETTER.search(block.text):
            continue
        heads = keep[index + 1] and block.link_chars < _MOST_LINKED * len(block.text)
        column = block.node.tag == "th" and heads and blocks[index + 1].tag in ("th", "td")
        if column or (
            index > inside[0] and (_is_code_in(None, block) or (heads and _is_heading(blocks, chances, keep, index)))
        ):
            keep[index] = True
    end = int(inside[-1]) + 1
    while end < len(blocks) and chances[end] >= _LOWEST and _is_next_item(blocks[end], blocks[end - 1]):
        end += 1
    end += _length_of_table(blocks, chances, end)
    # However little of prose it is: no page of the corpus has other code in the element of its last line.
    around = blocks[end - 1].node.parent
    end += int(end + 1 < len(blocks) and _is_label_of(blocks[end], blocks[end + 1], around))
    end += len([*takewhile(functools.partial(_is_code_in, around), blocks[end:])])
    keep[inside[-1] + 1 : end] = True
    return keep


def _lists_between(
    blocks: Sequence[Block], keep: NDArray[np.bool_], inside: NDArray[np.intp]
) -> Iterator[tuple[int, int]]:
    """The ranges of the lists without links that stand between two lines of the text, in the element that holds these.

    A heading may stand above one. What a page shows of its own between two lines, it links.
    """
    at = int(inside[0]) + 1
    while at < inside[-1]:
        node, first = blocks[at].node.parent, at
        at += 1
        if node is None or node.tag not in _LISTS or blocks[first - 1].index >= node.first:
            continue
        while at < inside[-1] and blocks[at].index < node.last:
            at += 1
        above = next((one for one in (1, 2) if keep[first - one]), 0)
        headed = above == 1 or (above and blocks[first - 1].tag in HEADINGS)
        around = node.parent
        after = blocks[at].index
        among = around is not None and around.first <= blocks[first - above].index and node.last <= after < around.last
        if headed and among and keep[at] and not node.link_chars and at - first > 1:
            yield first, at


def with_wholes(blocks: Sequence[Block], chances: Array, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The chosen blocks, and the rest of those lists of short items of whose words nearly all are chosen.

    Tables of short cells are kept where half of their cells are chosen, else none of them is. They are of a text as a
    whole or not at all: a cell's number looks like none, and an item may stand on other pages.
    """
    wholes = {
        above for block in (blocks[one] for one in np.flatnonzero(keep).tolist()) if block.tag in _PARTS
        and (above := next((one for one in block.node.ancestors() if one.tag in _WHOLES), None)) is not None
        and not above.link_chars
    }  # fmt: skip
    if not wholes:  # as nearly always
        return keep
    at = {block.index: number for number, block in enumerate(blocks)}
    for whole in wholes:
        parts = [at[index] for index in range(whole.first, whole.last) if index in at]  # none of one around all
        short = parts != [] and all(blocks[one].tag in _PARTS and blocks[one].units < _PART for one in parts)
        worded = [one for one in parts if _LETTER.search(blocks[one].text)]
        if short and whole.tag == "table":
            keep[parts] = (chances[parts] >= _GAP) & (keep[parts].mean() >= _HALF)
        elif short and (keep[parts].mean() >= _MOSTLY or (worded and keep[worded].all())):
            keep[parts] |= chances[parts] >= _GAP
    return keep


def _length_of_table(blocks: Sequence[Block], chances: Array, at: int) -> int:
    """How many lines the table without links has that stands right behind a text, in the element that holds it."""
    if at == len(blocks) or blocks[at].tag not in ("td", "th"):
        return 0
    table = next((one for one in blocks[at].node.ancestors() if one.tag == "table"), None)
    around, last = table and table.parent, blocks[at - 1]
    if table is None or around is None or table.link_chars or table.first != blocks[at].index:
        return 0
    if around.tag == "body" or last.index < around.first or last.node.parent not in (around, around.parent):
        return 0
    lines = [*takewhile(lambda block: block.index < table.last, blocks[at:])]
    return len(lines) if len(lines) >= _LEAST_CELLS and chances[at : at + len(lines)].max() >= _TABLE else 0


def _is_heading(blocks: Sequence[Block], chances: Array, keep: NDArray[np.bool_], index: int) -> bool:
    """Whether a line above one of the text is its heading, by its tag or by its form."""
    if blocks[index].node.tag in HEADINGS:
        return True
    return bool(keep[index - 1] and chances[index] >= _LOWEST) and _is_subhead(*blocks[index - 1 : index + 2])


def _is_subhead(above: Block, block: Block, below: Block) -> bool:
    """Whether a few words without a stop stand right between two paragraphs, in bold or in another kind of element."""
    text, element = block.text, block.element
    if block.links or len(text) > _SUBHEAD or block.tag not in _BOXES or text[-1] in _STOPS or block.node.blocks > 1:
        return False
    if element.getprevious() is not above.element or element.getnext() is not below.element:
        return False
    kinds = {(one.node.tag, one.node.names) for one in (above, below)}
    return block.marked_chars >= len(text) or (block.node.tag, block.node.names) not in kinds


def _is_next_item(block: Block, before: Block) -> bool:
    """Whether a line is the next item of the list with which a text ends for now."""
    same = block.tag == before.tag == "li" and block.node.parent is before.node.parent
    return same and not block.links


def _is_label_of(block: Block, behind: Block, around: Node | None) -> bool:
    """Whether a few letters stand in front of code, in the box of that."""
    return len(block.text) <= _LABEL and block.node.parent is around and _is_code_in(block.node, behind)


def _is_code_in(around: Node | None, block: Block) -> bool:
    """Whether a line is of code that stands in an element; some highlighters have an element for each line of it."""
    above = [*takewhile(lambda node: node is not around, block.node.ancestors())]
    return bool(above) and above[-1].parent is around and any(node.tag == "pre" for node in above)
