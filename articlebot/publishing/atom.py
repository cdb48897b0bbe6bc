"""Atom feeds (RFC 4287) of entries in JSON Feed's form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree  # only written here; nothing foreign is parsed

from articlebot.archive import Edit, as_text, shortened
from articlebot.archive.record import iso

_ATOM = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom(
    feed_id: str, title: str, items: Sequence[Mapping[str, Any]], *, author: str, own_url: str | None = None
) -> bytes:
    """The feed. An item's ``content_html`` is taken before its ``content_text``."""
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    _add(feed, "id", feed_id)
    _add(feed, "title", title)
    _add(feed, "updated", items[0]["date_modified"] if items else "1970-01-01T00:00:00+00:00")
    _add(feed, "author/name", author)
    if own_url:
        ElementTree.SubElement(feed, f"{{{_ATOM}}}link", rel="self", href=own_url)
    for item in items:
        _entry(feed, item)
    ElementTree.register_namespace("", _ATOM)
    return bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))


def edits_feed(edits: Sequence[Edit], title: str = "Edits") -> bytes:
    """An Atom feed of edits: what was deleted and inserted, with the words around it."""
    items = []
    for edit in edits:
        row = edit.row
        items.append(
            {
                "id": f"urn:articlebot:{row['page_key']}-{row['version']}",
                "url": row["url"],
                "title": f"{row['title']} ({row['change']}, +{edit.added} -{edit.removed})",
                "date_modified": iso(row["archived_at"]),
                "content_html": _html(edit),
            }
        )
    return atom("urn:articlebot:edits", title, items, author="articlebot")


def _html(edit: Edit) -> str:
    fields = "".join(
        f"<p>{escape(name)}: <del>{escape(as_text(old, name))}</del> <ins>{escape(as_text(new, name))}</ins></p>"
        for name, (old, new) in edit.changed.items()
    )
    tags = {"delete": "del", "insert": "ins"}
    text = "".join(
        f"<{tags[piece.op]}>{escape(piece.text)}</{tags[piece.op]}>" if piece.op in tags else escape(piece.text)
        for piece in shortened(edit.pieces)
    )
    return f"{fields}<p>{text}</p>"


def _entry(feed: ElementTree.Element, item: Mapping[str, Any]) -> None:
    entry = ElementTree.SubElement(feed, f"{{{_ATOM}}}entry")
    _add(entry, "id", item["id"])
    _add(entry, "title", item["title"])
    _add(entry, "updated", item["date_modified"])
    if "date_published" in item:
        _add(entry, "published", item["date_published"])
    ElementTree.SubElement(entry, f"{{{_ATOM}}}link", rel="alternate", href=_xml(item["url"]))
    for author in item.get("authors", ()):
        _add(entry, "author/name", author["name"])
    for tag in item.get("tags", ()):
        ElementTree.SubElement(entry, f"{{{_ATOM}}}category", term=_xml(tag))
    if "summary" in item:
        _add(entry, "summary", item["summary"])
    if "content_html" in item:
        _add(entry, "content", item["content_html"]).set("type", "html")
    else:
        _add(entry, "content", item["content_text"])


def _add(parent: ElementTree.Element, path: str, text: str) -> ElementTree.Element:
    for part in path.split("/"):
        parent = ElementTree.SubElement(parent, f"{{{_ATOM}}}{part}")
    parent.text = _xml(text)
    return parent


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
