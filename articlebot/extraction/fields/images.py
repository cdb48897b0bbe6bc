"""The images of an article with their captions."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def images_of(page: Page, body: Sequence[Block]) -> tuple[Image, ...]:
    """Images that stand between the first and the last block of the body or in a figure just above it, in order."""
    if not body:
        return ()
    found: dict[str, Image] = {}
    first, last = body[0].index, body[-1].index
    for block in page.blocks[first : last + 2]:
        for element in block.images:
            if block.index > last and not _in_figure(element):
                continue
            url = image_url(page, element)
            if url and url not in found and len(found) < MAX_IMAGES:
                found[url] = Image(
                    url=url, caption=caption_of(element), alt=" ".join((element.get("alt") or "").split())[:500]
                )
    return tuple(found.values())


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
