"""A page's text in blocks: the runs of text between block-level tags and line breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lxml import etree

from articlebot.page.text import units

Piece = tuple[str, "etree._Element | None", str]


class Node:
    """A block-level element with sums over the text below it.

    Attributes:
        chars, link_chars, blocks: of all blocks below; first, last: their range of indices (last exclusive).
        hidden: itself or an ancestor is not displayed.
    """

    __slots__ = (
        "_names", "blocks", "chars", "depth", "element", "first", "hidden", "last", "link_chars", "memo", "parent",
        "tag",
    )  # fmt: skip

    def __init__(self, element: etree._Element, tag: str, parent: Node | None, hidden: bool, first: int) -> None:
        self.element, self.tag, self.parent, self.hidden = element, tag, parent, hidden
        self._names: str | None = None
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.first = self.last = first
        self.chars = self.link_chars = self.blocks = 0
        self.memo: tuple[int, tuple[int, ...]] | None = None

    @property
    def names(self) -> str:
        """Its class and id, lower-case, joined by spaces."""
        if self._names is None:
            classes, identity = self.element.get("class"), self.element.get("id")
            # asked first, because most elements have neither
            named = classes is not None or identity is not None
            self._names = f"{classes or ''} {identity or ''}".strip().lower() if named else ""
        return self._names

    def ancestors(self) -> Iterator[Node]:
        """This node and those above it, up to the one where the walk began."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent


class Block:
    """A run of text.

    Attributes:
        text: white space folded (kept in ``pre``).
        node: the block-level element around it.
        pieces: (raw text, link element or None, inline tag or "") of which the text is made.
        link_chars: characters inside links, white space around them included, as the classifier learned it.
        links: how many links.
        breaks: the block ends at a ``br``, not at a tag of its own.
    """

    __slots__ = ("_parts", "breaks", "index", "link_chars", "links", "marked_chars", "node", "pieces", "text")

    def __init__(self, text: str, node: Node, pieces: list[Piece], index: int, *, breaks: bool = False) -> None:
        self.text, self.node, self.pieces, self.index, self.breaks = text, node, pieces, index, breaks
        self._parts: list[Block] | None = None
        self.link_chars = self.links = self.marked_chars = 0
        if len(pieces) == 1 and pieces[0][1] is None and not pieces[0][2]:  # as most are
            return
        previous: etree._Element | None = None
        for raw, link, mark in pieces:
            if link is not None:
                self.link_chars += len(raw)
                if link is not previous:
                    self.links += 1
            if mark in ("b", "strong"):
                self.marked_chars += len(raw)
            previous = link
        self.link_chars = min(self.link_chars, len(text))

    @property
    def element(self) -> Any:
        """The block-level element around it."""
        return self.node.element

    @property
    def tag(self) -> str:
        """The tag of that element."""
        return self.node.tag

    @property
    def lines(self) -> list[Block]:
        """The blocks of which it was put together by :func:`paragraphs`; itself where there are none."""
        return self._parts or [self]

    @property
    def units(self) -> int:
        """Its length, see :func:`articlebot.page.text.units`."""
        return units(self.text)

    @property
    def link_share(self) -> float:
        """Share of the characters that stand inside links, 0 to 1."""
        if not self.links:
            return 0.0
        linked = sum([len(raw.strip()) for raw, link, _ in self.pieces if link is not None])
        return min(1.0, linked / len(self.text))


class Picture(NamedTuple):
    """An image element, the index of the block that it stands before, and the block-level element around it."""

    before: int
    element: etree._Element
    node: Node


class Walked(NamedTuple):
    """The blocks of an element and its images, both in page order."""

    blocks: list[Block]
    pictures: list[Picture]


def paragraphs(blocks: Iterable[Block], *, hidden: bool = False) -> list[Block]:
    """The visible blocks, those put together again that only line breaks part; their lines are in ``text``.

    ``hidden``: those that are not displayed, too.
    """
    whole: list[Block] = []
    lines: list[Block] = []
    for block in blocks:
        if block.node.hidden and not hidden:
            continue
        if lines and lines[-1].node is not block.node:
            whole.append(_joined(lines))
            lines = []
        lines.append(block)
        if not block.breaks:
            whole.append(_joined(lines))
            lines = []
    return [*whole, _joined(lines)] if lines else whole


def _joined(lines: list[Block]) -> Block:
    if len(lines) == 1:
        return lines[0]
    pieces = [piece for line in lines for piece in line.pieces]
    whole = Block("\n".join([line.text for line in lines]), lines[0].node, pieces, lines[0].index)
    whole._parts = lines
    return whole
