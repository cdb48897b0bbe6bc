"""XML as sites write it: damaged, called by another encoding than its own, or with a server's warnings before it.

Parsed with lxml, without entities, network or DTD: a hostile document costs no more than its length.
"""

from __future__ import annotations

import html
import re
from typing import Any

from lxml import etree

from articlebot.page.decode import codec, decode

_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})["']""")
_XML_DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(
    r"\A(?:\s*+<!--.{0,8000}?-->)*+\s*+<!DOCTYPE[^\[>]{0,500}(?:\[.{0,8000}?\]\s{0,20})?>", re.S | re.I
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NO_REFERENCE = re.compile(r"&(?!#?\w{1,12};)")
_NAMED_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w{1,11};")
# Behind the first damage libxml2 leaves out what a name stands for, and reads numbers still.
_NUMBERS = {"amp": "&#38;", "lt": "&#60;", "gt": "&#62;", "quot": "&#34;", "apos": "&#39;"}
_NAMED = re.compile(r"&(amp|lt|gt|quot|apos);")
_ROOT = re.compile(rb"<\?xml\b|<(?:rss|feed|rdf:RDF|opml|urlset|sitemapindex)\b")
_HEAD = 4000  # bytes in which a document begins, whatever stands before it


def parse_xml(body: bytes) -> Any:
    """The root element of an XML document that may be damaged or hostile; None where there is none."""
    text = _CONTROL.sub("", _decode(from_root(body)))
    text = _DOCTYPE.sub("", _XML_DECLARATION.sub("", text, count=1), count=1).lstrip("\ufeff \t\r\n")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True, remove_comments=True,
        remove_pis=True, encoding="utf-8",
    )  # fmt: skip
    try:
        return etree.fromstring(_references(text).encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def from_root(body: bytes) -> bytes:
    """A document without what a server wrote before it, such as blank lines and warnings of its programs."""
    match = _ROOT.search(body[:_HEAD])
    return body if match is None else body[match.start() :]


def name_of(element: Any) -> str:
    """An element's name without its namespace, and without a prefix that stands for none."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""


def space_of(element: Any) -> str:
    """What stands before an element's name: its namespace, a prefix that stands for none, or nothing."""
    tag = element.tag
    return tag.removesuffix(name_of(element)) if isinstance(tag, str) else ""


def _references(text: str) -> str:
    """A text in which every ``&`` outside of CDATA begins a reference that any reader knows."""
    first, *rest = text.split("<![CDATA[")
    parts = [_numbered(first)]
    for part in rest:
        data, end, markup = part.partition("]]>")
        parts += ["<![CDATA[", data, end, _numbered(markup)]
    return "".join(parts)


def _numbered(markup: str) -> str:
    markup = _NAMED_ENTITY.sub(lambda match: html.unescape(match[0]), markup)
    return _NAMED.sub(lambda match: _NUMBERS[match[1]], _NO_REFERENCE.sub("&#38;", markup))


def _decode(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        # libxml2 stops at the first GBK character of a feed that calls itself gb2312.
        match = _XML_ENCODING.search(body[:400])
        named = codec(match[1].decode("ascii", "replace")) if match else None
        return decode(body).text if named in (None, "utf-8") else body.decode(str(named), "replace")
