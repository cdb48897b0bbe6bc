"""The hyperlinks of a page with their anchor text, the text around them and where they stand."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from lxml import etree

from articlebot.items import Link
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS, INLINE, SKIPPED

MAX_LINKS = 5000
_MAX_TEXT = 300
_MAX_CONTEXT = 300
_REGION_DEPTH = 5
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.I)
_WITHIN = INLINE | HEADINGS | {"p"}


def links(page: Page) -> list[Link]:
    """The links of a page in page order, one per address and anchor text, at most 5,000.

    Addresses are absolute and keep neither fragment nor surrounding white space; only http(s). ``context`` is the
    text of the nearest block around the link where that says more than the anchor. ``region`` is the path of tags
    and first classes of the last five block-level ancestors, the same for links that stand in the same kind of
    place (``ul.list>li``).
    """
    if page.tree is None:
        return []
    resolve = _Resolver(page)
    regions: dict[etree._Element, tuple[str, str]] = {}
    seen: set[tuple[str, str]] = set()
    found: list[Link] = []
    for anchor in page.tree.iter("a", "area"):
        href = anchor.get("href")
        if not href or href.startswith(("#", "javascript:")):
            continue
        url = resolve(href)
        if not url:
            continue
        text = _anchor_text(anchor)
        if (url, text) in seen:
            continue
        seen.add((url, text))
        parent = _block_parent(anchor)
        place = regions.get(parent)
        if place is None:
            place = regions[parent] = (_region(parent), _text(parent, _MAX_CONTEXT))
        context = place[1] if len(place[1]) > len(text) + 3 else ""
        found.append(Link(url=url, text=text, context=context, rel=anchor.get("rel") or "", region=place[0]))
        if len(found) >= MAX_LINKS:
            break
    return found


class _Resolver:
    """Absolute addresses; the common shapes without the cost of ``urljoin``."""

    def __init__(self, page: Page) -> None:
        self.page = page
        try:
            parts = urlsplit(page.base_url)
        except ValueError:
            parts = urlsplit("")
        self.scheme, self.root = parts.scheme, f"{parts.scheme}://{parts.netloc}"

    def __call__(self, href: str) -> str:
        href = href.strip().partition("#")[0]
        if not href:
            return ""
        if href.startswith(("http://", "https://")):
            return href
        if _OTHER_SCHEME.match(href):
            return href if href[:4].lower() == "http" else ""
        if href.startswith("/") and "/." not in href and self.scheme:
            return f"{self.scheme}:{href}" if href.startswith("//") else self.root + href
        url = self.page.resolve(href)
        return url if url.startswith(("http://", "https://")) else ""


def _anchor_text(anchor: etree._Element) -> str:
    text = _text(anchor, _MAX_TEXT) if len(anchor) else " ".join((anchor.text or "").split())[:_MAX_TEXT]
    if text:
        return text
    for image in anchor.iter("img"):
        text = " ".join((image.get("alt") or image.get("title") or "").split())
        if text:
            return text[:_MAX_TEXT]
    return " ".join((anchor.get("title") or anchor.get("aria-label") or "").split())[:_MAX_TEXT]


def _text(element: etree._Element, limit: int) -> str:
    parts: list[str] = []
    size = 0
    for part in element.itertext():
        parent = part.getparent() if hasattr(part, "getparent") else None
        if parent is not None and parent.tag in SKIPPED and not getattr(part, "is_tail", False):
            continue
        parts.append(str(part))
        size += len(part)
        if size > 4 * limit:
            break
    return " ".join("".join(parts).split())[:limit]


def _block_parent(anchor: etree._Element) -> etree._Element:
    parent = anchor.getparent()
    while parent is not None and parent.tag in _WITHIN:
        above = parent.getparent()
        if above is None:
            break
        parent = above
    return anchor if parent is None else parent


def _region(element: etree._Element) -> str:
    steps: list[str] = []
    node: etree._Element | None = element
    while node is not None and len(steps) < _REGION_DEPTH and node.tag != "body":
        name = (node.get("class") or "").split(None, 1)
        steps.append(f"{node.tag}.{name[0]}" if name else str(node.tag))
        node = node.getparent()
    return ">".join(reversed(steps))
