"""Articles below a page's own, which a site shows for its reader to scroll on to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import fold


def followers(page: Page) -> frozenset[Any]:
    """The article elements with headlines of their own below the one whose headline the document is called by."""
    every: list[Any] = [*page.by_tag["h1"]]
    if len(every) < 2 or not page.by_tag["article"]:
        return frozenset()
    heads = {holder: fold("".join(one.itertext())) for one in reversed(every) if (holder := _holder(one)) is not None}
    holders, title = [*reversed(heads)], fold(page.title).casefold()
    own = next((at for at, one in enumerate(holders) if heads[one] and heads[one].casefold() in title), None)
    return frozenset() if own is None else frozenset(holders[own + 1 :])


def without_followers(kept: list[Block], below: frozenset[Any]) -> list[Block]:
    """The blocks of a text but those in these elements, if any are left."""
    if not below:
        return kept
    return [block for block in kept if below.isdisjoint(node.element for node in block.node.ancestors())] or kept


def outside(elements: Sequence[Any], below: frozenset[Any]) -> list[Any]:
    """The elements that do not stand in these, if any are left."""
    if not below:
        return [*elements]
    return [one for one in elements if one not in below and below.isdisjoint(one.iterancestors("article"))] or [
        *elements
    ]


def _holder(element: Any) -> Any:
    """The outermost article element around another; posts within an article are parts of it."""
    return next(iter([*element.iterancestors("article")][::-1]), None)
