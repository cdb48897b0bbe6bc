"""A stored page as it is shown to somebody who points at its parts: its text in boxes, and nothing else of it.

The page is anybody's. So nothing of its markup is cleaned and kept: a new tree is made of ``div``, ``span`` and ``br``
alone, whose attributes are a number and a name of ours. What could run or load is not left out but never put in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree

from articlebot.page import Page
from articlebot.page.tags import HEADINGS, INLINE, SKIPPED, is_hidden
from articlebot.page.text import fold
from articlebot.text import NOT_XML

# Elements that are shown of a page; few pages have a quarter of it.
_MOST = 20_000
# Of those so many can be chosen from a list.
_MOST_LISTED = 400
_MOST_CHARACTERS = 80
# The parser puts all that follows such an element into it.
_HIDDEN = SKIPPED - {"embed", "source", "track"}
# From so many characters on a box with a name is listed by itself: it may be the whole text.
_BOX_CHARACTERS = 200
_LOOKS = HEADINGS | {"p", "li", "td", "th", "time", "blockquote", "a", "strong", "em", "b", "i", "small"}
# Policy of the page in its frame: no script, nothing loaded but our style sheet, nothing sent, a frame of ours alone.
FRAME_POLICY = (
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; "
    "sandbox allow-same-origin"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """An element that can be chosen without pointing: its place among the page's elements, its tag, its first words."""

    number: int
    tag: str
    text: str
    box: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A page to point at: the HTML of its body, and what can be chosen there."""

    html: str
    choices: tuple[Choice, ...]

    @classmethod
    def of(cls, page: Page) -> Shown:
        """What is shown of a page; nothing of one that could not be parsed."""
        body = next(iter(page.by_tag["body"]), None)
        if body is None:
            return cls("", ())
        numbers: dict[Any, int] = {element: number for number, element in enumerate(page.elements)}
        kept, root = _copied(body, numbers)
        return cls(etree.tostring(root, encoding="unicode", method="html"), tuple(_choices(kept, numbers)))


def _copied(body: Any, numbers: dict[Any, int]) -> tuple[list[Any], Any]:
    """The elements of the body that are shown, and the new tree of them."""
    root = etree.Element("div")
    copies: dict[Any, Any] = {body: root}
    last: dict[Any, Any] = {root: None}
    for node in islice(body.iter(), _MOST):
        if node is body:
            root.text = _plain(node.text)
            continue
        parent = copies.get(node.getparent())
        if parent is None:
            continue
        if node not in numbers or node.tag in _HIDDEN or is_hidden(node):
            _append(parent, last, _plain(node.tail))
            continue
        copy = etree.SubElement(parent, _tag_of(node.tag), {"data-n": str(numbers[node])})
        if node.tag in _LOOKS:
            copy.set("class", f"t-{node.tag}")
        copy.text, copy.tail = _plain(node.text), _plain(node.tail)
        copies[node], last[parent], last[copy] = copy, copy, None
    return [node for node in copies if node is not body], root


def _plain(text: str | None) -> str:
    return NOT_XML.sub("", text or "")  # the parser takes `&#1;` for a character, which no tree may be given


def _tag_of(tag: str) -> str:
    return "br" if tag in ("br", "hr") else "span" if tag in INLINE else "div"


def _append(parent: Any, last: dict[Any, Any], text: str) -> None:
    """Text behind what the new element has so far."""
    behind = last[parent]
    if behind is None:
        parent.text = (parent.text or "") + text
    else:
        behind.tail = (behind.tail or "") + text


def _choices(kept: list[Any], numbers: dict[Any, int]) -> list[Choice]:
    """Elements with text of their own, and named boxes with much text below them, in page order."""
    found: list[Choice] = []
    for node in kept:
        own = fold(" ".join([node.text or "", *(child.tail or "" for child in islice(node, _MOST_LISTED))]))
        named = node.get("id") or node.get("class") or node.tag in ("article", "main", "section")
        text = fold("".join(islice(node.itertext(), _MOST_LISTED))) if own or named else ""
        if (own and text) or len(text) >= _BOX_CHARACTERS:
            found.append(Choice(numbers[node], node.tag, text[:_MOST_CHARACTERS], not own))
        if len(found) == _MOST_LISTED:
            break
    return found
