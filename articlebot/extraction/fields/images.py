"""The images of an article with their captions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

from articlebot.items import Image
from articlebot.page.blocks import Block
from articlebot.page.page import Page

MAX_IMAGES = 100
_SOURCES = ("data-original", "data-src", "data-lazy-src", "data-actualsrc", "data-url", "src")
_DECORATION = re.compile(
    r"(?:^|[/_.-])(?:logo|icon|avatar|sprite|blank|spacer|pixel|loading|placeholder|transparent|1x1|btn|button|qrcode|erweima|emoji)(?:[/_.-]|\d|$)",
    re.I,
)
_CAPTION = re.compile(r"caption|legend|credit|tushuo|img-?desc|pic-?(?:desc|note)")
_SMALL = 60
_NO_CAPTIONS: Mapping[etree._Element, str] = {}


def image_url(page: Page, element: etree._Element) -> str:
    """The absolute address of an ``img``, lazily loaded ones included; "" for decoration and inline data."""
    for key in _SOURCES:
        value = (element.get(key) or "").strip()
        if value and not value.startswith(("data:", "about:", "javascript:")):
            url = page.resolve(value)
            break
    else:
        first = (element.get("srcset") or element.get("data-srcset") or "").split(",")[0].split()
        url = page.resolve(first[0]) if first else ""
    if not url.startswith(("http://", "https://")) or _DECORATION.search(url.rpartition("?")[0] or url):
        return ""
    sizes = [element.get("width") or "", element.get("height") or ""]
    return "" if any(size.isdigit() and int(size) < _SMALL for size in sizes) else url


def images_between(page: Page, body: Sequence[Block]) -> list[tuple[int, Image]]:
    """The images between the first and the last block of a body, or in a figure just behind it, with their places."""
    if not body:
        return []
    order = [block.index for block in body]
    first, last = order[0], order[-1]
    among = [
        one for one in page.pictures
        if first <= one.before <= last or (one.before == last + 1 and _in_figure(one.element))
    ]  # fmt: skip
    return images_of(page, [(bisect_left(order, one.before), one.element) for one in among])


def images_of(
    page: Page, elements: Iterable[tuple[int, etree._Element]], captions: Mapping[etree._Element, str] = _NO_CAPTIONS
) -> list[tuple[int, Image]]:
    """The images of an article, each once, with their places; decoration is left out.

    Args:
        elements: each with its place, which is the number of the article's blocks before it.
        captions: of those that have one which ``caption_of`` does not find.
    """
    found: dict[str, tuple[int, Image]] = {}
    for place, element in elements:
        url = image_url(page, element)
        if url and url not in found and len(found) < MAX_IMAGES:
            caption = captions.get(element) or caption_of(element)
            alt = " ".join((element.get("alt") or "").split())[:500]
            found[url] = place, Image(url=url, caption=caption, alt=alt)
    return list(found.values())


def _in_figure(element: etree._Element) -> bool:
    return next(element.iterancestors("figure", "picture"), None) is not None


def caption_of(element: etree._Element) -> str:
    """The text of the figure's caption, or of the element next to the image that is named one; "" without."""
    for depth, above in enumerate(element.iterancestors()):
        if above.tag == "figure" or depth < 3:
            for candidate in above.iter("figcaption", "div", "p", "span", "dd", "em"):
                if candidate.tag == "figcaption" or _CAPTION.search((candidate.get("class") or "").lower()):
                    text = " ".join("".join(map(str, candidate.itertext())).split())
                    if 2 < len(text) <= 600:
                        return text
        if above.tag == "figure" or depth >= 3 or above.tag in {"body", "article", "main"}:
            break
    return ""
