"""A page's text in blocks: the runs of text between block-level tags and line breaks.

One walk over the tree makes the blocks and, for each block-level element, a :class:`Node` with the sums that
features and rules need, so that nothing later goes back to lxml for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree

_SKIPPED: Final = frozenset(
    "script style noscript template svg iframe object embed select textarea button canvas head title audio video map "
    "link meta input option datalist math frame applet base param source track dialog".split()
)
_INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr nobr".split()
)
_MARKS: Final = frozenset("b strong i em code sub sup kbd samp mark q del ins s".split())
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])", re.I
)

Piece = tuple[str, "etree._Element | None", str]


class Node:
    """A block-level element with sums over the text below it.

    Attributes:
        names: its class and id, lower-case, joined by spaces.
        chars, link_chars, blocks: of all blocks below; first, last: their range of indices (last exclusive).
        hidden: itself or an ancestor is not displayed.
    """

    __slots__ = (
        "blocks",
        "chars",
        "depth",
        "element",
        "first",
        "hidden",
        "last",
        "link_chars",
        "memo",
        "names",
        "parent",
        "tag",
    )

    def __init__(self, element: etree._Element, parent: Node | None, *, hidden: bool, first: int) -> None:
        self.element, self.parent, self.hidden = element, parent, hidden
        self.tag, self.names = _tag(element), _names(element)
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.first = self.last = first
        self.chars = self.link_chars = self.blocks = 0
        self.memo: tuple[tuple[float, ...], tuple[int, ...]] | None = None

    def ancestors(self) -> Iterator[Node]:
        """This node and those above it, up to body."""
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
        link_chars: characters of ``text`` that are inside links; links: how many links.
        images: image elements that stand before this block and after the one before.
        breaks: the block ends at a ``br``, not at a tag of its own.
    """

    __slots__ = ("breaks", "images", "index", "link_chars", "links", "marked_chars", "node", "pieces", "text")

    def __init__(
        self, text: str, node: Node, pieces: list[Piece], index: int, images: tuple[etree._Element, ...]
    ) -> None:
        self.text, self.node, self.pieces, self.index, self.images = text, node, pieces, index, images
        self.breaks = False
        self.link_chars = self.links = self.marked_chars = 0
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


def blocks_of(
    tree: etree._Element | None, max_elements: int, passed: frozenset[etree._Element] = frozenset()
) -> list[Block]:
    """The blocks of a tree in page order; elements ``passed`` and those beyond ``max_elements`` are not looked at."""
    if tree is None:
        return []
    body = tree.find("body")
    walk = _Walk(max_elements, passed)
    walk.run(tree if body is None else body)
    return walk.out


class _Walk:
    """State of the one walk: open block-level nodes, and the pieces of the block being gathered."""

    def __init__(self, budget: int, passed: frozenset[etree._Element]) -> None:
        self.budget, self.passed = budget, passed
        self.out: list[Block] = []
        self.pieces: list[Piece] = []
        self.images: list[etree._Element] = []

    def run(self, root: etree._Element) -> None:  # noqa: C901, PLR0912, PLR0915  one loop: calls per element double its time
        passed = self.passed
        node = Node(root, None, hidden=False, first=0)
        link: etree._Element | None = None
        mark = ""
        if root.text:
            self.pieces.append((root.text, None, ""))
        stack: list[tuple[Iterator[etree._Element], etree._Element, Node, etree._Element | None, str]] = []
        children: Iterator[etree._Element] = iter(root)
        element = root
        while True:
            child = next(children, None)
            if child is None or self.budget <= 0:
                if not stack:
                    break
                closed, inner = element, node
                children, element, node, link, mark = stack.pop()
                if inner is not node:
                    self.flush(inner)
                    inner.last = len(self.out)
                    node.chars += inner.chars
                    node.link_chars += inner.link_chars
                    node.blocks += inner.blocks
                if closed.tail:
                    self.pieces.append((closed.tail, link, mark))
                continue
            self.budget -= 1
            tag = child.tag
            if tag in _SKIPPED or not isinstance(tag, str):
                pass
            elif tag in {"br", "hr"}:
                self.flush(node, True)
            elif tag in {"img", "amp-img"}:
                self.images.append(child)
            elif child in passed:
                self.flush(node)
            else:
                stack.append((children, element, node, link, mark))
                if tag in _INLINE or ":" in tag:
                    if tag == "a" and link is None:
                        link = child
                    elif tag in _MARKS:
                        mark = tag
                else:
                    self.flush(node)
                    style = child.get("style")
                    hidden = node.hidden or (
                        bool(style is not None and _HIDDEN_STYLE.search(style)) or child.get("hidden") is not None
                    )
                    node = Node(child, node, hidden=hidden, first=len(self.out))
                    mark = ""
                element = child
                children = iter(child)
                if child.text:
                    self.pieces.append((child.text, link, mark))
                continue
            if child.tail:
                self.pieces.append((child.tail, link, mark))
        self.flush(node)
        node.last = len(self.out)

    def flush(self, node: Node, breaks: bool = False) -> None:
        """Ends the block gathered so far, if it has any text."""
        if not self.pieces:
            return
        pieces, self.pieces = self.pieces, []
        raw = pieces[0][0] if len(pieces) == 1 else "".join([piece[0] for piece in pieces])
        if not raw or raw.isspace():
            return
        text = raw.strip("\n\r") if node.tag == "pre" else " ".join(raw.split())
        block = Block(text, node, pieces, len(self.out), tuple(self.images))
        block.breaks = breaks
        if self.images:
            self.images = []
        self.out.append(block)
        node.chars += len(text)
        node.link_chars += block.link_chars
        node.blocks += 1


def _tag(element: etree._Element) -> str:
    return element.tag if isinstance(element.tag, str) else ""


def _names(element: etree._Element) -> str:
    names, key = element.get("class"), element.get("id")
    if names is None:
        return "" if key is None else key.lower()
    return names.lower() if key is None else f"{names} {key}".lower()
