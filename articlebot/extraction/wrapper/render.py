"""A reading as clean HTML: paragraphs, headings, lists, tables, quotes, code, links, and images with their captions."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from articlebot.extraction.wrapper.blocks import Block, fold
from articlebot.extraction.wrapper.reading import Reading
from articlebot.items import Image

if TYPE_CHECKING:
    from articlebot.page.page import Page

_ROLES = frozenset("li td th blockquote pre h1 h2 h3 h4 h5 h6 dt dd".split())
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-url", "src")
_WIDTH = re.compile(r"\d+")
_MIN_IMAGE = 60  # pixels; what says it is smaller is an icon or a counter


def images_of(reading: Reading, page: Page) -> tuple[Image, ...]:
    """The images of the article in page order, each once, with the captions that stand with them."""
    found: dict[str, Image] = {}
    for _, element in reading.images:
        url = _url_of(element, reading, page)
        if url and url not in found:
            found[url] = Image(url=url, caption=_caption(element, reading), alt=fold(element.get("alt") or ""))
    return tuple(found.values())


def _url_of(element: Any, reading: Reading, page: Page) -> str:
    """The address of an image of a reading, asked for once: some carry all of their data in its place."""
    if element not in reading.urls:
        reading.urls[element] = image_url(element, page)
    return reading.urls[element]


def image_url(element: Any, page: Page) -> str:
    """The address of an image's file, "" for icons, counters and images inside the page itself."""
    for name in ("width", "height"):
        number = _WIDTH.match(element.get(name) or "")
        if number and int(number[0]) < _MIN_IMAGE:
            return ""
    for name in _LAZY:
        value = (element.get(name) or "").strip()
        if value and not value.startswith("data:"):
            url = _absolute(value, page)
            if url.startswith(("http://", "https://")) or (url and not page.url):
                return url
    return ""


def _absolute(href: str, page: Page) -> str:
    """The address that a reference means, "" where it is none."""
    if href.startswith(("http://", "https://")):  # most are; joining them changes nothing and costs ten times as much
        return href
    return page.resolve(href)


def _caption(image: Any, reading: Reading) -> str:
    """The caption cut from the same figure (or box) as the image."""
    box = image
    for _ in range(4):
        box = box.getparent()
        if box is None:
            return ""
        inside = [text for element, text in reading.captions if _within(element, box)]
        if inside:
            return inside[0][:500]
        if box.tag in ("figure", "p", "body"):
            return ""
    return ""


def _within(element: Any, box: Any) -> bool:
    node = element
    while node is not None:
        if node is box:
            return True
        node = node.getparent()
    return False


def html_of(reading: Reading, page: Page) -> str:
    """The body as HTML; the same lines as the text, in the same order."""
    pieces: list[tuple[str, Any, str]] = []
    images = iter(reading.images)
    image = next(images, None)
    for number, (block, lines) in enumerate(reading.kept):
        while image is not None and image[0] <= number:
            pieces.append(("figure", image[1], _figure(image[1], reading, page)))
            image = next(images, None)
        role, group = _role(block, reading)
        pieces.append((role, group, _inline(block, lines, page)))
    while image is not None:
        pieces.append(("figure", image[1], _figure(image[1], reading, page)))
        image = next(images, None)
    return "".join(_grouped(pieces))


def _role(block: Block, reading: Reading) -> tuple[str, Any]:
    """(what a block is, the element it shares with its neighbours): an item its list, a cell its row."""
    node = block.element
    roots = reading.containers
    while node is not None and node not in roots:
        if node.tag in _ROLES:
            if node.tag in ("td", "th") and (len(block.text) > 400 or node.getparent() is None):
                return "p", None
            return node.tag, node.getparent() if node.tag in ("li", "td", "th") else node
        node = node.getparent()
    return "p", None


def _grouped(pieces: list[tuple[str, Any, str]]) -> list[str]:
    out: list[str] = []
    i = 0
    while i < len(pieces):
        role, group, content = pieces[i]
        j = i + 1
        if role in ("li", "td", "th", "blockquote", "pre"):
            while j < len(pieces) and _together(pieces[i], pieces[j]):
                j += 1
            out.append(_group(role, group, pieces[i:j]))
        elif role == "figure":
            out.append(content)
        else:
            tag = role if role[0] == "h" else "p"
            out.append(f"<{tag}>{content}</{tag}>")
        i = j
    return out


def _together(first: tuple[str, Any, str], other: tuple[str, Any, str]) -> bool:
    if first[0] in ("td", "th"):
        return other[0] in ("td", "th") and _table(first[1]) is _table(other[1])
    return first[0] == other[0] and first[1] is other[1]


def _table(row: Any) -> Any:
    node = row
    while node is not None and node.tag != "table":
        node = node.getparent()
    return node


def _group(role: str, group: Any, items: list[tuple[str, Any, str]]) -> str:
    if role == "li":
        tag = "ol" if group is not None and group.tag == "ol" else "ul"
        return f"<{tag}>" + "".join(f"<li>{c}</li>" for _, _, c in items) + f"</{tag}>"
    if role == "pre":
        return "<pre>" + "\n".join(c for _, _, c in items) + "</pre>"
    if role == "blockquote":
        return "<blockquote>" + "".join(f"<p>{c}</p>" for _, _, c in items) + "</blockquote>"
    rows: list[str] = []
    row: Any = None
    for cell, owner, content in items:
        if owner is not row or not rows:
            rows.append("")
            row = owner
        rows[-1] += f"<{cell}>{content}</{cell}>"
    return "<table>" + "".join(f"<tr>{r}</tr>" for r in rows) + "</table>"


def _figure(image: Any, reading: Reading, page: Page) -> str:
    url = _url_of(image, reading, page)
    if not url:
        return ""
    alt = escape(fold(image.get("alt") or ""))
    caption = _caption(image, reading)
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="{escape(url)}" alt="{alt}">{below}</figure>'


def _inline(block: Block, lines: list[str], page: Page) -> str:
    if not block.marks or len(lines) != block.text.count("\n") + 1:
        return "<br>".join(escape(line) for line in lines)
    return _marked(block, page)


def _marked(block: Block, page: Page) -> str:
    """The block's markup rebuilt from its parts; only elements that open and close inside it."""
    closers: list[int] = []
    shown: dict[int, str] = {}
    for number, (_, mark) in enumerate(block.marks):
        if not mark.startswith("/"):
            closers.append(number)
        elif closers:
            opener = closers.pop()
            shown[opener], shown[number] = _tags(block.marks[opener][1], page)
    out: list[str] = []
    position = 0
    for number, (index, _) in enumerate(block.marks):
        out.extend(escape(part) for part in block.parts[position:index])
        position = index
        out.append(shown.get(number, ""))
    out.extend(escape(part) for part in block.parts[position:])
    folded = [fold(line) for line in "".join(out).split("\x00")]
    return "<br>".join(line for line in folded if line)


def _tags(mark: str, page: Page) -> tuple[str, str]:
    tag, _, href = mark.partition(" ")
    if tag != "a":
        return f"<{tag}>", f"</{tag}>"
    url = _absolute(href.strip(), page)
    if not url.startswith(("http://", "https://", "mailto:")):
        return "", ""
    return f'<a href="{escape(url)}">', "</a>"
