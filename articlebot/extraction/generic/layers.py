"""What lies above a page, as a dialogue or a notice of cookies: no part of its text."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from articlebot.page.blocks import Block, Node

# What lies above a page: of 15 annotated pages whose text had lines of it, one lost one that was of the text.
_LAYERS: Final = frozenset({"dialog", "alertdialog"})
_COOKIES: Final = re.compile(
    r"cookie[\w-]{0,12}(?:banner|notice|bar\b|popup|modal|layer|overlay|message|wall|law|settings)"
)
# The part of a text, in units, that stands outside of layers from which what is in them is none.
_ENOUGH_BELOW: Final = 0.3


def without_layers(kept: list[Block]) -> list[Block]:
    """The blocks of a text but those in such a layer, where a good part is left."""
    over: dict[Node | None, bool] = {None: False}
    for block in kept:
        below = [*takewhile(lambda node: node not in over, block.node.ancestors())]
        for node in reversed(below):
            names = node.names
            named = "consent" in names or "gdpr" in names or ("cookie" in names and _COOKIES.search(names) is not None)
            # As Yahoo's crawler was told what on a page is none of its content.
            named = named or "robots-nocontent" in names
            over[node] = named or node.element.get("role") in _LAYERS or over[node.parent]
    rest = [block for block in kept if not over[block.node]]
    enough = len(rest) < len(kept) and sum(block.units for block in rest) >= _ENOUGH_BELOW * sum(b.units for b in kept)
    return rest if enough else kept
