"""The text of a page as a flat list of blocks, each with its path: what every statistic over pages is made of.

A block is the text that one block-level element holds directly (its inline children included) up to the next
block-level child. One walk over the tree, without recursion, so that nesting costs no stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp "
    "small span "
    "strike strong sub sup time tt u var wbr o:p st1:place st1:city".split()
)
SKIPPED = frozenset(
    "script style noscript template iframe svg head select option textarea input audio video math datalist".split()
)
_MARKED = frozenset("a b strong i em code sub sup mark kbd".split())
MAX_BLOCKS = 20_000
MAX_DEPTH = 100

_WIDTHLESS = re.compile(r"[\u200b\ufeff]+")
_DIGITS = re.compile(r"\d+")
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_STATE_CLASS = re.compile(
    r"^(?:first|last|odd|even|active|current|open|show|hidden|lazy|lazyload\w*|js|no-js|col|row|\w{1,2})$|[#.@:\[\]!/\s]"
)
_ODD = re.compile(r"[\d#.@/\s]")


@dataclass(slots=True)
class Block:
    """Text of one block-level element between its block-level children.

    ``path`` is the names from below body down to the element; ``links`` the characters inside anchors; ``order`` the
    position on the page; lines broken by ``<br>`` are separated by a newline. ``marks`` are (index into ``parts``,
    tag) of the inline elements that open and close in it, links as ``a href``.
    """

    element: Any
    text: str
    path: str
    links: int
    order: int
    tag: str
    marks: tuple[tuple[int, str], ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def units(self) -> int:
        """Length with a CJK character counted as two and a half: about equal information in both scripts."""
        return units(self.text)

    @property
    def link_share(self) -> float:
        """Share of the characters that stand inside anchors, 0 to 1."""
        return min(1.0, self.links / len(self.text)) if self.text else 0.0


def units(text: str) -> int:
    """Length of a text in Latin characters: a CJK character counts two and a half."""
    # in UTF-8 a CJK character takes two bytes more than it counts as characters; an accent counts a little, too
    return len(text) if text.isascii() else len(text) + (len(text.encode("utf-8", "replace")) - len(text)) * 3 // 4


def step(element: Any) -> str:
    """An element's name in a path: its tag with those of its id and classes that are not made for one page."""
    tag = element.tag
    names = stable_names(element)
    return f"{tag}{''.join(names)}"


def stable_names(element: Any) -> list[str]:
    """``#id`` and ``.class`` names of an element; digits become 0, names of states and of single pages are left out."""
    names = []
    identity = element.get("id")
    if identity and len(identity) < 60 and not _ODD.search(identity):
        names.append("#" + identity)
    classes = element.get("class")
    if classes and len(classes) < 400:
        kept = {_DIGITS.sub("0", c) for c in classes.split()[:12] if not _STATE_CLASS.search(c)}
        names.extend("." + c for c in sorted(kept)[:4])
    return names


def is_hidden(element: Any) -> bool:
    """Whether an element says of itself that it is not shown."""
    if element.get("hidden") is not None:
        return True
    style = element.get("style")
    return bool(style) and _HIDDEN_STYLE.search(style) is not None


def fold(text: str) -> str:
    """A text with runs of white space folded to one blank."""
    if "\u200b" in text or "\ufeff" in text:
        text = _WIDTHLESS.sub(" ", text)
    return " ".join(text.split())


Namer = Callable[[Any], str]


def blocks(root: Any, namer: Namer = step) -> list[Block]:
    """The blocks below an element in document order, at most 20,000; hidden and invisible elements are left out."""
    return blocks_and_images(root, namer)[0]


def blocks_and_images(root: Any, namer: Namer) -> tuple[list[Block], list[tuple[int, Any, str]]]:
    """The blocks below an element, and its images as (order of the block they stand before, element, path)."""
    walk = _Walk(root)
    walk.run(root, namer)
    return walk.out, walk.images


class _Walk:
    """The state of one walk: the innermost open block-level element and the text gathered for it."""

    def __init__(self, root: Any) -> None:
        self.out: list[Block] = []
        self.images: list[tuple[int, Any, str]] = []
        self.element, self.path = root, ""
        self.parts: list[str] = []
        self.marks: list[tuple[int, str]] = []
        self.links = 0

    def flush(self) -> None:
        """Ends the block gathered so far, if it has any text."""
        parts, marks, links = self.parts, self.marks, self.links
        self.parts, self.links = [], 0
        if marks:
            self.marks = []
        raw = parts[0] if len(parts) == 1 else "".join(parts)
        if not raw or raw.isspace():
            return
        text = (
            fold(raw) if "\x00" not in raw else "\n".join([line for part in raw.split("\x00") if (line := fold(part))])
        )
        if text:
            block = Block(self.element, text, self.path, links, len(self.out), self.element.tag)
            if marks:
                block.marks, block.parts = tuple(marks), tuple(parts)
            self.out.append(block)

    def run(self, root: Any, namer: Namer) -> None:  # noqa: C901, PLR0912, PLR0915  one loop: calls per element double its time
        if root.text:
            self.parts.append(root.text)
        # What to go on with behind an element: its siblings, itself, its mark, whether its parent is inside an anchor,
        # and the block-level element around it with its path; None for an inline element, which ends no block.
        stack: list[tuple[Iterator[Any], Any, str, bool, tuple[Any, str] | None]] = []
        children = iter(root)
        depth = 0
        anchored = False
        while True:
            child = next(children, None)
            if child is None:
                if not stack or len(self.out) >= MAX_BLOCKS:
                    break
                children, child, mark, anchored, around = stack.pop()
                if around is not None:
                    self.flush()
                    self.element, self.path = around
                    depth -= 1
                elif mark:
                    self.marks.append((len(self.parts), "/" + mark))
            else:
                tag = child.tag
                if tag in INLINE:
                    mark = tag if tag in _MARKED else ""
                    stack.append((children, child, mark, anchored, None))
                    if mark:
                        href = child.get("href") if tag == "a" else None
                        self.marks.append((len(self.parts), f"a {href}" if href else tag))
                        anchored = anchored or tag == "a"
                    text = child.text
                    if text:
                        self.parts.append(text)
                        if anchored:
                            self.links += len(text.strip())
                    children = iter(child)
                    continue
                if tag == "img":
                    if not is_hidden(child):
                        self.images.append((len(self.out) + bool(self.parts), child, self.path))
                elif tag == "br":
                    self.parts.append("\x00")
                elif isinstance(tag, str) and tag not in SKIPPED and (tag == "body" or not is_hidden(child)):
                    if self.parts or self.marks:
                        self.flush()
                    stack.append((children, child, "", anchored, (self.element, self.path)))
                    if depth < MAX_DEPTH:
                        name = namer(child)
                        self.path = f"{self.path}/{name}" if self.path else name
                    self.element = child
                    depth += 1
                    text = child.text
                    if text:
                        self.parts.append(text)
                        if anchored:
                            self.links += len(text.strip())
                    children = iter(child)
                    continue
            tail = child.tail
            if tail:
                self.parts.append(tail)
                if anchored:
                    self.links += len(tail.strip())
        self.flush()
