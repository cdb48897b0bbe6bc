"""Where an article stands on its page, found out when somebody asks.

A page's metadata mostly says who wrote an article and when. Only where it does not, the lines around headline and body
are read, and they are worth their cost: a walk over all text of the page, or of the region that a wrapper knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Any, overload

from articlebot.page.blocks import Block, Walked
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS
from articlebot.page.text import squash
from articlebot.page.walk import behind

HEAD_BLOCKS = 8
_MIN_LINE = 12
_KEY_CHARS = 40


class Region(Page):
    """A page whose blocks are those around an article that is known; everything else is the page's.

    Args:
        page: the page, whose facts are shared.
        walk: the text and images of the region.
        kept: the lines of the article among its blocks, where they are known.
        signs: addresses of pictures that the site has on many pages.
        signed_outside: its writers stand outside of the region.

    Attributes:
        whole: the page.
    """

    def __init__(
        self, page: Page, walk: Walked, kept: Sequence[Block] = (), signs: Sequence[str] = (), *,
        signed_outside: bool = False,
    ) -> None:  # fmt: skip
        for shared in ("base_url", "meta", "jsonld", "session", "origin"):
            getattr(page, shared)  # found out once
        self.__dict__ |= page.__dict__
        self.whole = page
        self.walked = walk
        self.kept = [*kept]
        self.signs, self.signed_outside = signs, signed_outside

    def behind(self, block: Block, most: int) -> Sequence[Block]:
        """Those of the page, though nobody has looked at all of it."""
        rest = takewhile(lambda one: block.node in one.node.ancestors(), self.blocks[block.index + 1 :])
        return [*rest, *behind(block.element, most)][:most]

    def on_whole(self, title: str, body: str) -> tuple[Page, Located, Headline]:
        """The whole page, and where on it the lines of a body and the headline stand."""
        lines = Located(self.whole, body)
        return self.whole, lines, Headline(self.whole, title, lines)


class Located(Sequence[Block]):
    """The blocks in which a body's lines stand; looked for on first use."""

    def __init__(self, page: Page, body: str) -> None:
        self._page, self._text = page, body

    @cached_property
    def found(self) -> list[Block]:
        """The blocks in page order."""
        lines = {_key(line) for line in self._text.split("\n") if len(line) > _MIN_LINE}
        long = (block for block in self._page.blocks if len(block.text) > _MIN_LINE)
        return [block for block in long if _key(block.text) in lines]

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)


def _key(line: str) -> str:
    """What a line is known by: of scripts with many marks, as Devanagari, little is left of a cut text."""
    return squash(line[: 2 * _KEY_CHARS])[:_KEY_CHARS]


class Headline:
    """The index of the block that is the headline as it stands on the page; looked for on first call."""

    def __init__(self, page: Page, title: str, body: Sequence[Block]) -> None:
        self._page, self.title, self._body = page, title, body

    def __call__(self) -> int | None:
        """None where the headline is not on the page."""
        return self._found[-1] if self._found else None

    def above(self) -> int | None:
        """The same, but where a text begins with its headline once more the one above: its dateline stands there."""
        start = self._body[0].index if self._body else 0
        before = [index for index in self._found if index < start]
        marked = [index for index in before if self._page.blocks[index].tag in HEADINGS]
        return (marked or before or [*self._found])[-1] if self._found else None

    @cached_property
    def _found(self) -> Sequence[int]:
        """Where it stands, up to the text."""
        key = squash(self.title)
        if not key:
            return ()
        blocks = self._page.blocks
        start = self._body[0].index if self._body else len(blocks)
        found: list[int] = []
        for block in blocks[: start + HEAD_BLOCKS]:
            # Behind the start of the body the headline is but a link in a list of others, if it was seen before.
            if found and block.index > start:
                break
            if len(key) <= len(block.text) <= 2 * len(self.title) + 20 and (
                squash(block.text) == key
                or (len(block.pieces) > 1 and any(squash(raw) == key for raw, _, _ in block.pieces))
            ):
                found.append(block.index)
        return found


def common_ancestor(elements: Iterable[Any]) -> Any | None:
    """The innermost element that holds all of them (or is one of them), None where there is none."""
    shared: list[Any] | None = None
    for element in elements:
        line = [element, *element.iterancestors()]
        shared = line if shared is None else [node for node in shared if node in set(line)]
    return shared[0] if shared else None
