"""Lines that a page has twice, for screens of another width, and lines that it does not show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from articlebot.page.blocks import Block, Node
from articlebot.page.text import units

# Of a text, the share that stands there again from which all of it does: on the annotated pages copies of parts are
# text.
_MOST_OF_IT: Final = 0.5
_LONG_LINE: Final = 80  # units
_LEAST_COPIED: Final = 2  # long lines that differ
_MOST_HIDDEN: Final = 0.2  # share of a text
_SHORT: Final = 60.0  # units; shorter lines, as the names on cards, are the text in each
_NEAR_LEVELS: Final = 4
_WIDTHS = re.compile(r"(?<![a-z])(?:mobile|desktop|tablet|phone|(?<!overflow-)(?<!overflow-[xy]-)hidden)(?![a-z])")


def copied(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of lines that say again what stands above: some pages have their text once for each width of screen.

    Where only some lines return, they are the text's: what is quoted again, an item of two lists, code; but of what is
    shown, no copy is that is not, or only on some screens.
    """
    seen: set[str] = set()
    again: list[Block] = []
    unseen = _unseen_copies(kept)
    for block in kept:
        if block.text in seen:
            again.append(block)
        seen.add(block.text)
    if len({block.text for block in again if units(block.text) >= _LONG_LINE}) < _LEAST_COPIED:
        return unseen
    copies = sum([len(block.text) for block in again if units(block.text) >= _LONG_LINE])
    once = sum([len(text) for text in seen if units(text) >= _LONG_LINE])
    return frozenset([block.index for block in again]) if copies >= _MOST_OF_IT * once else unseen


def _unseen_copies(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of lines in something that is not shown, or on some screens alone, that stand outside of it, too."""
    same: dict[str, list[Block]] = {}
    away = {block.index for block in kept if block.node.hidden}
    for block in kept:
        same.setdefault(block.text, []).append(block)
    found: set[int] = set()
    for blocks in same.values():
        for block in blocks if len(blocks) > 1 else ():
            if not block.node.hidden and block.units < _SHORT:
                continue
            holder = next(filter(_is_away, islice(block.node.ancestors(), _NEAR_LEVELS)), None)
            if holder is not None:
                others = [one.index for one in blocks if not holder.first <= one.index < holder.last]
                found |= set() if (found | away).issuperset(others) else {block.index}
    return frozenset(found)


def _is_away(node: Node) -> bool:
    """Whether an element is not shown, or says by its names that it is on some screens alone."""
    return node.hidden or node.element.get("aria-hidden") == "true" or _WIDTHS.search(node.names) is not None


def hidden_lines(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of what a text shows to nobody, where that is little of it.

    Of 60 such lines on the annotated pages that hide less than a fifth of their text, seven are of it; of 112 on those
    that hide more, where a click shows the rest, 81.
    """
    hidden = [block for block in kept if block.node.hidden]
    few = sum([len(block.text) for block in hidden]) < _MOST_HIDDEN * sum([len(block.text) for block in kept])
    return frozenset([block.index for block in hidden] if few else [])
