"""The text of a page as a flat list of blocks, each with its path: what every statistic over pages is made of.

A block is the text that one block-level element holds directly (its inline children included) up to the next
block-level child. One walk over the tree, without recursion, so that nesting costs no stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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


def blocks(
    root: Any, *, start_path: str = "", namer: Namer = step, prune: Callable[[str], bool] | None = None
) -> list[Block]:
    """The blocks below an element in document order, at most 20,000; hidden and invisible elements are left out.

    Args:
        start_path: path of ``root`` itself.
        namer: an element's name in paths.
        prune: whether the subtree at a path is to be left out.
    """
    return _Walk(root, start_path, namer, prune).run()


def blocks_and_images(root: Any, namer: Namer) -> tuple[list[Block], list[tuple[int, Any, str]]]:
    """The blocks below an element, and its images as (order of the block they stand before, element, path)."""
    walk = _Walk(root, "", namer, None)
    return walk.run(), walk.images


class _Walk:
    """The state of one walk: the stack of open block-level elements and the text gathered for the innermost."""

    def __init__(self, root: Any, start_path: str, namer: Namer, prune: Callable[[str], bool] | None) -> None:
        self.out: list[Block] = []
        self.parts: list[str] = []
        self.links = 0
        self.marks: list[tuple[int, str]] = []
        self.images: list[tuple[int, Any, str]] = []
        self.namer, self.prune = namer, prune
        self.open: list[tuple[Any, str]] = [(root, start_path)]

    def flush(self) -> None:
        if not self.parts:
            return
        text = "".join(self.parts)
        if not text.isspace():
            lines = [folded for line in text.split("\x00") if (folded := fold(line))]
            if lines:
                element, path = self.open[-1]
                block = Block(element, "\n".join(lines), path, self.links, len(self.out), element.tag)
                if self.marks:
                    block.marks, block.parts = tuple(self.marks), tuple(self.parts)
                self.out.append(block)
        self.parts = []
        self.marks = []
        self.links = 0

    def run(self) -> list[Block]:
        root = self.open[0][0]
        if root.text:
            self.parts.append(root.text)
        # (element, entering or leaving, inside an anchor)
        stack: list[tuple[Any, bool, bool]] = [(c, True, False) for c in reversed(root)]
        while stack and len(self.out) < MAX_BLOCKS:
            element, entering, anchored = stack.pop()
            if entering:
                self._enter(element, anchored, stack)
            else:
                self.flush()
                self.open.pop()
                self._text(element.tail, anchored)
        self.flush()
        return self.out

    def _enter(self, element: Any, anchored: bool, stack: list[tuple[Any, bool, bool]]) -> None:
        tag = element.tag
        if tag in INLINE:
            inside = anchored or tag == "a"
            mark = self._open_mark(tag, element)
            if mark or element.tail:
                stack.append((_Tail(element.tail, mark), True, anchored))
            self._text(element.text, inside)
            stack.extend((c, True, inside) for c in reversed(element))
            return
        if not isinstance(tag, str) or tag in SKIPPED or (tag != "body" and is_hidden(element)):
            if isinstance(element, _Tail) and element.mark:
                self.marks.append((len(self.parts), "/" + element.mark))
            self._text(element.tail, anchored)
            return
        if tag == "img":
            self.images.append((len(self.out) + bool(self.parts), element, self.open[-1][1]))
            self._text(element.tail, anchored)
            return
        if tag == "br":
            self.parts.append("\x00")
            self._text(element.tail, anchored)
            return
        self.flush()
        path = self._path(element)
        if self.prune is not None and self.prune(path):
            self._text(element.tail, anchored)
            return
        self.open.append((element, path))
        self._text(element.text, anchored)
        stack.append((element, False, anchored))
        stack.extend((c, True, anchored) for c in reversed(element))

    def _open_mark(self, tag: str, element: Any) -> str:
        if tag not in _MARKED:
            return ""
        href = element.get("href") if tag == "a" else None
        self.marks.append((len(self.parts), f"a {href}" if href else tag))
        return tag

    def _path(self, element: Any) -> str:
        if len(self.open) > MAX_DEPTH:
            return self.open[-1][1]
        above = self.open[-1][1]
        name = self.namer(element)
        return f"{above}/{name}" if above else name

    def _text(self, text: str | None, anchored: bool) -> None:
        if text:
            self.parts.append(text)
            if anchored:
                self.links += len(text.strip())


class _Tail:
    """Stands on the stack for the text behind an inline element."""

    __slots__ = ("mark", "tail")
    tag = None

    def __init__(self, tail: str | None, mark: str) -> None:
        self.tail, self.mark = tail, mark
