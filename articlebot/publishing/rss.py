"""RSS 2.0 feeds of items in JSON Feed's form, for readers that know nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import Any
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring  # only written here, never parsed

from articlebot.publishing.atom import xml_text

# The modules that readers take whole texts and authors from; RSS itself has an author's mail address alone.
_CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
_DC = "{http://purl.org/dc/elements/1.1/}"
register_namespace("content", _CONTENT[1:-1])
register_namespace("dc", _DC[1:-1])


def rss(link: str, title: str, items: Sequence[Mapping[str, Any]]) -> bytes:
    """The feed; ``link`` is where it is to be had."""
    root = Element("rss", version="2.0")
    channel = SubElement(root, "channel")
    for name, text in (("title", title), ("link", link), ("description", title)):
        _add(channel, name, text)
    for item in items:
        _item(SubElement(channel, "item"), item)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))


def _item(into: Element, item: Mapping[str, Any]) -> None:
    _add(into, "title", item["title"])
    _add(into, "link", item["url"])
    _add(into, "guid", item["id"], isPermaLink="false")
    at = datetime.fromisoformat(item.get("date_published") or item["date_modified"])
    _add(into, "pubDate", format_datetime(at))
    for author in item.get("authors", ()):
        _add(into, f"{_DC}creator", author["name"])
    for tag in item.get("tags", ()):
        _add(into, "category", tag)
    _add(into, "description", escape(item.get("summary", "")))
    paragraphs = filter(str.strip, item["content_text"].split("\n"))
    _add(into, f"{_CONTENT}encoded", "".join(f"<p>{escape(one)}</p>" for one in paragraphs))


def _add(parent: Element, name: str, text: str, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = xml_text(text)
