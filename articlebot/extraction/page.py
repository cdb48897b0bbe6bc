"""A fetched page: decoded once, parsed once, with the facts that several extractors read.

Everything here is bounded: a page over the size limit is cut, a tag with thousands of attributes loses them (libxml2
compares every attribute with every other), and nesting beyond what libxml2 takes is flattened before a second parse.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from articlebot.extraction.decode import decode
from articlebot.extraction.generic.blocks import Block, blocks_of
from articlebot.extraction.metadata import jsonld_nodes, meta_values

MAX_BYTES = 20_000_000
MAX_ELEMENTS = 200_000
_MAX_ATTRIBUTES = 200
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# A page whose tags all match this has no tag with more than about 2,000 attributes. One regular expression without
# backtracking, because a Python loop over the tags costs more than the parse itself.
_TAME = re.compile(
    r"""(?:[^<]++|<script\b(?:[^<]++|<(?!/script))*+|<style\b(?:[^<]++|<(?!/style))*+|<!--(?:[^-]++|-(?!->))*+"""
    r"""|<(?=[^a-zA-Z])|<[^>"']{0,400}+(?:(?:"[^"]*+"|'[^']*+')[^>"']{0,100}+){0,60}+>)*+""",
    re.I,
)
_TAG = re.compile(r"""<[a-zA-Z](?:[^"'>]++|"[^"]*+"|'[^']*+')*+>?""")
_ATTRIBUTE = re.compile(r"""[^\s=>"']++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"']*+))?+""")
_FLAT = re.compile(
    r"</?(?!(?:p|a|br|li|ul|h[1-6]|title|meta|head|body|html|script|style|time|img)\b)[a-zA-Z][^>]*>", re.I
)
_TEXT_TYPES = ("html", "xml", "text/plain", "octet-stream", "text/")
_MAGIC = (
    b"%PDF",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x00\x00\x00\x18ftyp",
    b"7z\xbc",
)


class Page:
    """A page ready for extraction. Make one with :meth:`parse`; facts are computed on first use and kept.

    Attributes:
        url: the page's own address, "" where unknown.
        text: the decoded source.
        encoding: the charset it was read in.
        tree: the root element, None where nothing could be parsed; parsed exactly once, do not change it.
        fetched_at: epoch seconds, None where unknown; relative dates are read against it.
        refused: ``empty``, ``not_html`` or None.
    """

    def __init__(
        self,
        *,
        url: str,
        text: str,
        encoding: str,
        tree: etree._Element | None,
        fetched_at: float | None,
        refused: str | None,
    ) -> None:
        self.url, self.text, self.encoding, self.tree = url, text, encoding, tree
        self.fetched_at, self.refused = fetched_at, refused

    @classmethod
    def parse(cls, body: bytes, url: str, content_type: str | None = None, fetched_at: float | None = None) -> Page:
        """The page of these bytes. Never raises for content.

        Args:
            body: uncompressed bytes; what is beyond 20 MB is cut off.
            content_type: value of the HTTP header, for its charset and to tell what is no HTML.
        """
        body = body[:MAX_BYTES]
        if not body.strip():
            return cls(url=url, text="", encoding="utf-8", tree=None, fetched_at=fetched_at, refused="empty")
        if _is_binary(body, content_type):
            return cls(url=url, text="", encoding="", tree=None, fetched_at=fetched_at, refused="not_html")
        text, encoding = decode(body, content_type)
        tree, refused = _parse(text)
        return cls(url=url, text=text, encoding=encoding, tree=tree, fetched_at=fetched_at, refused=refused)

    @cached_property
    def base_url(self) -> str:
        """What relative addresses are relative to."""
        if self.tree is not None:
            for base in self.tree.iter("base"):
                href = (base.get("href") or "").strip()
                if href:
                    return self.resolve(href, self.url) or self.url
        return self.url

    def resolve(self, href: str, base: str | None = None) -> str:
        """The absolute address of ``href``, "" where it is none."""
        try:
            return urljoin(self.base_url if base is None else base, href.strip())
        except ValueError:
            return ""

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Lower-case name, property or itemprop of each meta element to its contents, in page order."""
        return meta_values(self.tree)

    @cached_property
    def jsonld(self) -> list[dict[str, Any]]:
        """All JSON-LD nodes, ``@graph`` and nested articles laid flat; damaged scripts are read as far as possible."""
        return jsonld_nodes(self.tree)

    @cached_property
    def blocks(self) -> list[Block]:
        """The page's text in blocks (runs of text between block-level tags), in page order."""
        return blocks_of(self.tree, MAX_ELEMENTS)


def _is_binary(body: bytes, content_type: str | None) -> bool:
    if body.startswith(_MAGIC):
        return True
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind and not any(word in kind for word in _TEXT_TYPES):
        return b"<html" not in body[:2048].lower()
    head = body[:1024]
    return head.count(0) * 20 > len(head) and head[:2] not in (b"\xff\xfe", b"\xfe\xff") and b"<\0" not in head


def _parse(text: str) -> tuple[etree._Element | None, str | None]:
    """The root element and why there is none."""
    text = _CONTROL.sub("", text)
    if "<" not in text:
        text = f"<html><body><pre>{text}</pre></body></html>"
    match = _TAME.match(text)
    if match is None or match.end() < len(text):
        text = _TAG.sub(_shorten, text)
    tree, too_deep = _tree(text)
    if too_deep:
        tree, too_deep = _tree(_FLAT.sub(" ", text))
    return tree, None if tree is not None else "empty"


def _tree(text: str) -> tuple[etree._Element | None, bool]:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        tree = etree.fromstring(text.encode("utf-8", "ignore"), parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return None, False
    return tree, any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)


def _shorten(match: re.Match[str]) -> str:
    """The tag with its first attributes only."""
    tag = match[0]
    if len(tag) < 2 * _MAX_ATTRIBUTES:
        return tag
    end = 0
    for count, attribute in enumerate(_ATTRIBUTE.finditer(tag)):
        if count > _MAX_ATTRIBUTES:
            return tag[:end] + ">"
        end = attribute.end()
    return tag
