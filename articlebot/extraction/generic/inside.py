"""What a block is inside of: tags, and elements whose classes and ids name a part of a page."""

from __future__ import annotations

import functools
from typing import Final

from articlebot.extraction.generic.words import NAME_GROUPS, name_groups
from articlebot.page.blocks import Node

INSIDE: Final = ("nav", "header", "footer", "aside", "form", "figure", "article", "main", "li", "table", "blockquote")
_INSIDE_INDEX: Final = {tag: index for index, tag in enumerate(INSIDE)} | {"figcaption": 5, "section": -1}
# A figure's quote, code or table is no caption.
_IN_FIGURE: Final = 1 << _INSIDE_INDEX["figure"]
_NO_CAPTIONS: Final = frozenset({"blockquote", "pre", "table"})
FAR: Final = 12.0
_NOTHING_ABOVE: Final = 0, (-int(FAR),) * len(NAME_GROUPS)


@functools.lru_cache(maxsize=32768)
def _groups(name: str) -> tuple[int, ...]:
    """The name groups of one class or id; single names repeat over elements more often than whole values."""
    return tuple(name_groups(name))


@functools.lru_cache(maxsize=16384)
def _all_groups(names: str) -> frozenset[int]:
    """The name groups of an element's classes and id: elements that are built alike have the same."""
    return frozenset([group for name in names.split() for group in _groups(name)])


def chain_of(node: Node) -> tuple[int, tuple[int, ...]]:
    """Of a node: the tags it is in as bits, and the depth of the nearest ancestor of each name group."""
    path: list[Node] = []
    above: Node | None = node
    while above is not None and above.memo is None:
        path.append(above)
        above = above.parent
    memo = above.memo if above is not None and above.memo is not None else _NOTHING_ABOVE
    for step in reversed(path):
        flags, depths = memo
        flag = _INSIDE_INDEX.get(step.tag, -1)
        if flag >= 0:
            flags |= 1 << flag
        if step.tag in _NO_CAPTIONS:
            flags &= ~_IN_FIGURE
        if step.names and step.tag != "body" and (hits := _all_groups(step.names)):
            nearest = list(depths)
            for group in hits:
                nearest[group] = step.depth
            depths = tuple(nearest)
        if flags != memo[0] or depths is not memo[1]:
            memo = flags, depths
        step.memo = memo
    return memo
