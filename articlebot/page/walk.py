"""The walk over a page's tree that makes its blocks and images.

For each block-level element it makes a :class:`Node` with the sums that features and rules need, so that nothing later
goes back to lxml for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from math import inf

from lxml import etree

from articlebot.page.blocks import Block, Node, Picture, Piece, Walked
from articlebot.page.source import MAX_ELEMENTS
from articlebot.page.tags import HEADINGS, INLINE, MARKS, PICTURED, SKIPPED, is_hidden, is_unseen
from articlebot.page.text import fold

_NONE: frozenset[etree._Element] = frozenset()
_SKIP, _BREAK, _PICTURE, _INLINE = range(1, 5)
# What a walk does at an element; others begin a block.
_KINDS = (
    dict.fromkeys(INLINE, _INLINE) | dict.fromkeys(("img", "amp-img"), _PICTURE) | dict.fromkeys(("br", "hr"), _BREAK)
    | dict.fromkeys(SKIPPED, _SKIP)
)  # fmt: skip
# Skipped elements whose content the parser gives as elements; to look for paragraphs in 20 bounds hostile nesting.
_HOLDERS = frozenset("button template noscript dialog object svg select".split())
_MAX_HOLDERS = 20
# Elements within a line that are made for nothing but what their names and styles say: most others are links.
_MAY_HIDE = frozenset({"span", "font"})
_MIN_LOST = 300  # characters of paragraphs, as a short article has
# Of the text that is not displayed, the most that is where a script will show it all: on 779 pages the other is below a
# 29th on the five whose article is hidden, and near a half or above on all others with more hidden than shown.
_SHOWN_LATER = 0.25
_MIN_HIDDEN = 100
# A heading's link to itself, as generators of documentation set it behind the words.
_PERMANENT = frozenset("#¶§🔗")


def walked(root: etree._Element | None, passed: frozenset[etree._Element] = _NONE, above: Node | None = None) -> Walked:
    """The text and the images of an element, or of the body where it has one; elements ``passed`` are not looked at.

    ``above`` is the node of the element's parent, where it has one.

    After 200,000 elements the walk ends. Where an element that is skipped holds most of the page's paragraphs, the page
    is lost in it and it is read like any other: a ``button`` that is never closed, the shadow tree of a component, an
    article for readers without scripts.
    """
    if root is None:
        return Walked([], [])
    body = root.find("body")
    start = root if body is None else body
    walk = _Walk(passed)
    walk.run(start, above)
    if walk.holders and (lost := _lost(walk)):
        walk = _Walk(passed, lost)
        walk.run(start, above)
    _show(walk.out, walk.pictures)
    return Walked(walk.out, walk.pictures)


def behind(element: etree._Element, most: int) -> list[Block]:
    """The first blocks that stand behind an element."""
    walk = _Walk(_NONE)
    walk.most = most
    with suppress(_Enough):
        for parent in element.iterancestors():
            walk.run(parent, None, element)
            element = parent
    return walk.out


def _show(blocks: Sequence[Block], pictures: Sequence[Picture]) -> None:
    """Takes a page for displayed that hides nearly all of its text: a script will show it."""
    hidden = [block for block in blocks if block.node.hidden]
    if not hidden:
        return
    away = sum([len(block.text) - block.link_chars for block in hidden])
    shown = sum([len(block.text) - block.link_chars for block in blocks if not block.node.hidden])
    if away >= _MIN_HIDDEN and shown <= _SHOWN_LATER * away:
        for block in hidden:
            for node in block.node.ancestors():
                node.hidden = False
        for picture in pictures:
            away_with_it = [*takewhile(lambda node: node.hidden, picture.node.ancestors())]
            for node in away_with_it if not any(is_hidden(node.element) for node in away_with_it) else ():
                node.hidden = False


def _lost(walk: _Walk) -> frozenset[etree._Element]:
    """Those of the skipped elements with paragraphs that hold more of them than all that was read."""
    least = max(_MIN_LOST, sum([len(block.text) - block.link_chars for block in walk.out]))
    return frozenset([element for element in walk.holders if sum(map(_chars, element.iter("p"))) > least])


def _chars(paragraph: etree._Element) -> int:
    return len(paragraph.text or "") + sum([len(child.tail or "") for child in paragraph])


class _Enough(Exception):
    """There are as many blocks as somebody wants."""


class _Walk:
    """State of the one walk: open block-level nodes, and the pieces of the block being gathered."""

    most: float = inf  # blocks

    def __init__(self, passed: frozenset[etree._Element], opened: frozenset[etree._Element] = frozenset()) -> None:
        self.passed, self.opened = passed, opened
        self.holders: list[etree._Element] = []
        self.out: list[Block] = []
        self.pictures: list[Picture] = []

    def run(self, root: etree._Element, above: Node | None, after: etree._Element | None = None) -> None:  # noqa: C901, PLR0912, PLR0915  one loop: calls per element double its time
        passed, left, out = self.passed, MAX_ELEMENTS, self.out
        node = Node(root, str(root.tag), above, False, len(out))
        link: etree._Element | None = None
        mark = ""
        text, children = (root.text, iter(root)) if after is None else (after.tail, after.itersiblings())
        pieces: list[Piece] = [(text, None, "")] if text else []  # of the block being gathered
        stack: list[tuple[Iterator[etree._Element], etree._Element, Node, etree._Element | None, str]] = []
        element = root
        while True:
            for child in children:
                if left <= 0:
                    continue
                left -= 1
                tag = child.tag
                kind = _KINDS.get(tag)
                if (kind is _SKIP and child not in self.opened) or not isinstance(tag, str):
                    self.skip(child, node, pieces)
                elif kind is _BREAK:
                    if pieces:
                        self.flush(node, pieces, True)
                        pieces = []
                elif kind is _PICTURE:
                    self.picture(child, node, pieces)
                elif tag in _MAY_HIDE and is_unseen(child):
                    pass
                elif (kind is _INLINE or ":" in tag) and not (passed and child in passed):
                    inner_link = child if tag == "a" and link is None else link
                    inner_mark = tag if tag in MARKS else mark
                    if text := child.text:
                        pieces.append((text, inner_link, inner_mark))
                    if len(child):
                        stack.append((children, element, node, link, mark))
                        link, mark, element, children = inner_link, inner_mark, child, iter(child)
                        break
                else:
                    if pieces:
                        self.flush(node, pieces)
                        pieces = []
                    if not (passed and child in passed) and ((text := child.text) or len(child)):
                        stack.append((children, element, node, link, mark))
                        # asked first, because most elements have neither attribute
                        hidden = (child.get("style") or child.get("hidden")) is not None and is_hidden(child)
                        node = Node(child, tag, node, node.hidden or hidden, len(out))
                        mark, element, children = "", child, iter(child)
                        if text:
                            pieces.append((text, link, ""))
                        break
                if tail := child.tail:
                    pieces.append((tail, link, mark))
            else:
                if not stack:
                    break
                closed, inner = element, node
                children, element, node, link, mark = stack.pop()
                if inner is not node:
                    if pieces:
                        self.flush(inner, pieces)
                        pieces = []
                    inner.last = len(out)
                    node.chars += inner.chars
                    node.link_chars += inner.link_chars
                    node.blocks += inner.blocks
                if tail := closed.tail:
                    pieces.append((tail, link, mark))
        self.flush(node, pieces)
        node.last = len(out)

    def skip(self, element: etree._Element, node: Node, pieces: Sequence[Piece]) -> None:
        """Takes what an element has whose text is not read: its images, and word that it has paragraphs inside."""
        if element.tag in PICTURED:
            for image in element.iter("img"):
                self.picture(image, node, pieces)
        if element.tag in _HOLDERS and len(self.holders) < _MAX_HOLDERS and next(element.iter("p"), None) is not None:
            self.holders.append(element)

    def picture(self, element: etree._Element, node: Node, pieces: Sequence[Piece]) -> None:
        """Keeps an image; one within a line stands before the next block."""
        self.pictures.append(Picture(len(self.out) + any(not one[0].isspace() for one in pieces), element, node))

    def flush(self, node: Node, pieces: list[Piece], breaks: bool = False) -> None:
        """Makes a block of what was gathered, if it is any text."""
        if node.tag in HEADINGS:  # a link to itself is none, and the sign that is one no word
            pieces = [
                (raw, None if link is not None and (link.get("href") or "").startswith("#") else link, mark)
                for raw, link, mark in pieces
                if link is None or raw.strip() not in _PERMANENT
            ]
        raw = pieces[0][0] if len(pieces) == 1 else "".join([piece[0] for piece in pieces])
        if not raw or raw.isspace():
            return
        text = raw.strip("\n\r") if node.tag == "pre" else " ".join(raw.split()) if raw.isascii() else fold(raw)
        if not text:
            return
        block = Block(text, node, pieces, len(self.out), breaks=breaks)
        self.out.append(block)
        node.chars += len(text)
        node.link_chars += block.link_chars
        node.blocks += 1
        if len(self.out) >= self.most:
            raise _Enough
