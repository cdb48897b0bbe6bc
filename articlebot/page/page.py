"""A fetched page: decoded once, parsed once, with the facts that several extractors read.

Everything here is bounded: a page over the size limit is cut, a tag with thousands of attributes loses them (libxml2
compares every attribute with every other), and nesting beyond what libxml2 takes is flattened before a second parse.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import tzinfo
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

from articlebot.front import Front
from articlebot.page.blocks import Block, Picture, Walked
from articlebot.page.decode import TWICE, decode, decoded_again
from articlebot.page.metadata import document_title, jsonld_nodes, meta_values
from articlebot.page.source import NO_CHARACTERS, Parsed, parse, parse_utf8, without_image_data
from articlebot.page.walk import walked

MAX_BYTES = 20_000_000
# Joined to whatever base, it stays as it is.
_PLAIN_ADDRESS = re.compile(r"https?://[a-z0-9.-]+(?::\d+)?(?:/[\w./%~=&,!@+-]*(?:\?[\w.%~=&,!@+/-]+)?)?\Z")
_PLAIN_PATH = re.compile(r"(?:/(?![/.])[\w.%~=&,!@+-]*)+(?:\?[\w.%~=&,!@+-]+)?\Z")
# Of a site or, where the page's own address is unknown, of none: no file, script or mail.
_MAY_BE_BASE = re.compile(r"https?://[^/]|(?![a-z][a-z0-9+.-]*:)", re.I)
_TEXT_BYTES = bytes(range(8, 14)) + b"\x1b" + bytes(range(32, 256))
_TEXT_TYPES = ("html", "xml", "text/plain", "octet-stream", "text/")
# Sessions by their usual names. A number alone may be a story's, a word a section's.
_SESSION = re.compile(
    r"[?&;](?:amp;)?((?:s|sid|sess|session|session_?id|sessid|zenid|oscsid)=(?=[0-9,-]*[A-Za-z])(?=[A-Za-z,-]*[0-9])"
    r"[0-9A-Za-z,-]{6,64})(?=[\"'&#<>\s])",
    re.I,
)
_LEAST_LINKS, _SAMPLED = 3, 40
_NOTHING = Parsed(None, [], defaultdict(list))
_MAGIC = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\3\4", b"\x1f\x8b", b"RIFF", b"\0\0\0\x18ftyp", b"7z\xbc")


class Page:
    """A page ready for extraction. Make one with :meth:`parse`; facts are computed on first use and kept.

    Attributes:
        url: the page's own address, "" where unknown.
        text: the decoded source, without the data of images that stand in it.
        tree: the root element, None where nothing could be parsed; parsed exactly once, do not change it.
        elements: the first 200,000 elements in page order; to walk over them again is cheaper than over the tree.
        by_tag: those of each tag, in page order.
        fetched_at: epoch seconds, None where unknown; relative dates are read against it.
        refused: ``empty``, ``not_html`` or None.
        zone: of the times that the page states without one, where it is known for its site; None: the page tells it.
        day_first: whether its site's other pages write 5/12 for a day in December, None where that is not known.
        listed_at, changed_at: when a feed, list or sitemap says that it appeared and changed, epoch seconds, None where
            none does.
        following: what the answer's headers call the next page, as written, "" where they name none.
        front: what its site's front page says, nothing where that was not seen.
        told_orders: the same of this page, as its dates have told when they were read.
    """

    day_first: bool | None = None
    listed_at: float | None = None
    changed_at: float | None = None
    following = ""
    front = Front()

    def __init__(self, url: str, fetched_at: float | None, zone: tzinfo | None, refused: str) -> None:
        self.url, self.fetched_at, self.zone = url, fetched_at, zone
        self.text = ""
        self.tree, self.elements, self.by_tag = _NOTHING
        self.refused: str | None = refused
        self.told_orders: list[bool] = []

    @classmethod
    def parse(
        cls, body: bytes, url: str, content_type: str | None = None, fetched_at: float | None = None,
        zone: tzinfo | None = None,
    ) -> Page:  # fmt: skip
        """The page of these bytes. Never raises for content.

        Args:
            body: uncompressed bytes; what is beyond 20 MB is cut off.
            content_type: value of the HTTP header, for its charset and to tell what is no HTML.
        """
        body = without_image_data(body[:MAX_BYTES])
        if not body or body.isspace():
            return cls(url, fetched_at, zone, "empty")
        page = cls(url, fetched_at, zone, "not_html")
        if _is_binary(body, content_type):
            return page
        text, encoding = decode(body, content_type)
        odd = not text.isascii() and any(char in text for char in ("\ufffd", *NO_CHARACTERS))
        if encoding == "utf-8" and TWICE in text:
            text, odd = decoded_again(text), True
        sound = encoding == "utf-8" and not odd and not body.startswith(codecs.BOM_UTF8)
        page.text = text
        page.tree, page.elements, page.by_tag = parse_utf8(body) if sound else parse(text)
        page.refused = None if page.tree is not None else "empty"
        return page

    @cached_property
    def base_url(self) -> str:
        """What relative addresses are relative to."""
        for base in self.by_tag["base"]:
            href = (base.get("href") or "").strip()
            joined = self.resolve(href, self.url) if href else ""
            if joined and _MAY_BE_BASE.match(joined):
                return joined
        return self.url

    def resolve(self, href: str, base: str | None = None) -> str:
        """The absolute address of ``href``, "" where it is none."""
        href = href.strip()
        if self.session and self.session in href:
            href = self._without_session(href)
        # Most links of most pages; to join them takes ten times as long.
        try:
            if _PLAIN_ADDRESS.match(href):
                return href
            if base is None and _PLAIN_PATH.match(href):
                return self.origin + href
            return urljoin(self.base_url if base is None else base, href)
        except ValueError:
            return ""

    @cached_property
    def session(self) -> str:
        """The parameter with the session's id that most of the page's links have, such as ``sid=3dde2504``; else ""."""
        # To look through the whole text takes a twentieth of reading a page; most pages' links have none.
        hrefs = (element.get("href") for element in self.by_tag["a"][:_SAMPLED])
        if not any(href and "=" in href and _SESSION.search(f'{href}"') for href in hrefs):
            return ""
        found = Counter(match[1] for match in _SESSION.finditer(self.text))
        most = max(_LEAST_LINKS, self.text.count("href=") // 2)
        return next(iter(found)) if len(found) == 1 and found.total() >= most else ""

    def _without_session(self, href: str) -> str:
        address, _, rest = href.partition("?")
        query, mark, fragment = rest.partition("#")
        kept = "&".join(pair for pair in query.split("&") if pair != self.session)
        return f"{address}{'?' if kept else ''}{kept}{mark}{fragment}"

    @cached_property
    def origin(self) -> str:
        """Scheme, host and port of its addresses."""
        return urljoin(self.base_url, "/")[:-1]

    @property
    def lang(self) -> str:
        """The language tag that the page states for itself, such as ``es-MX``, "" for none."""
        root: Any = self.tree
        return "" if root is None else root.get("lang") or ""

    @cached_property
    def title(self) -> str:
        """The document's title, "" where it has none."""
        return document_title(self.by_tag["title"])

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Lower-case name, property or itemprop of each meta element to its contents, in page order."""
        return meta_values(self.by_tag["meta"])

    @cached_property
    def jsonld(self) -> list[dict[str, Any]]:
        """All JSON-LD nodes, ``@graph`` and nested articles laid flat; damaged scripts are read as far as possible."""
        return jsonld_nodes(self.by_tag["script"])

    @cached_property
    def walked(self) -> Walked:
        """What one walk over the page's text finds."""
        return walked(self.tree)

    @property
    def blocks(self) -> list[Block]:
        """The page's text in blocks (runs of text between block-level tags), in page order."""
        return self.walked.blocks

    def behind(self, block: Block, most: int) -> Sequence[Block]:
        """The first blocks that follow one of them."""
        return self.blocks[block.index + 1 : block.index + 1 + most]

    @property
    def pictures(self) -> list[Picture]:
        """The page's images with their places among the blocks, in page order."""
        return self.walked.pictures


def _is_binary(body: bytes, content_type: str | None) -> bool:
    if body.startswith(_MAGIC):
        return True
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind and not any(word in kind for word in _TEXT_TYPES):
        return b"<html" not in body[:2048].lower()
    head = body[:1024]
    return (
        len(head.translate(None, _TEXT_BYTES)) * 50 > len(head)
        and head[:2] not in (b"\xff\xfe", b"\xfe\xff")
        and b"<\0" not in head
    )
