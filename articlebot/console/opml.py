"""OPML 2.0: the followed sites for a feed reader, and those of a feed reader to be followed."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, count
from typing import Any
from urllib.parse import SplitResult, urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring  # only written here, never parsed

from lxml import etree

from articlebot.errors import ConfigError, RefusedError
from articlebot.jobs.book import JobBook
from articlebot.jobs.model import name_from
from articlebot.urls import typed_url

_MOST_OUTLINES = 20_000


def write_opml(book: JobBook) -> bytes:
    """The sites of the jobs, an outline for each feed, or for a site without one its address."""
    root = Element("opml", version="2.0")
    SubElement(SubElement(root, "head"), "title").text = "articlebot"
    body = SubElement(root, "body")
    for job in book.every.values():
        site = job.site or next(iter((*job.list_pages, *(() if job.feeds else job.sitemaps))), "")
        for feed in job.feeds or ("",):
            outline = {"text": job.name, **({"htmlUrl": site} if site else {})}
            SubElement(body, "outline", {**outline, "type": "rss", "xmlUrl": feed} if feed else outline)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))


def read_opml(document: bytes) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Keys of a job for each site, its address and the feeds that are named, by a name that the job may have.

    Beside them the outlines whose address is none, with the reason.

    Raises:
        ConfigError: it is no OPML document, or names no site.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=False, huge_tree=False)
    try:
        root = etree.fromstring(document, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ConfigError(f"this is no OPML document: {error}") from None
    found: dict[str, dict[str, Any]] = {}
    # Several sites may have one host, each a folder of it.
    names: dict[tuple[str, ...], str] = {}
    refused: dict[str, str] = {}
    for number, outline in enumerate(root.iter("outline")):
        if number >= _MOST_OUTLINES:
            raise ConfigError(f"an OPML document of more than {_MOST_OUTLINES:,} outlines")
        feed, site = outline.get("xmlUrl", "").strip(), outline.get("htmlUrl", "").strip()
        address = site or feed
        if not address:
            continue  # a folder
        try:
            known = typed_url(address)
        except (ConfigError, RefusedError) as error:
            refused[outline.get("text") or address] = str(error)
            continue
        parts = urlsplit(known)
        place = (parts.netloc.removeprefix("www."), *((parts.path.rstrip("/"), parts.query) if site else ("", "")))
        name = names.setdefault(place, _name(parts, found))
        keys = found.setdefault(name, {})
        keys.setdefault("site", known if site else f"{parts.scheme}://{parts.netloc}/")
        if feed:
            keys["feeds"] = [*keys.get("feeds", ()), feed]
    if not (found or refused):
        raise ConfigError("no outline of the OPML document has an htmlUrl or xmlUrl")
    return found, refused


def _name(parts: SplitResult, taken: Collection[str]) -> str:
    """A name for a job: that of its host, with what follows it where another site has that."""
    if (host := name_from(parts.netloc)) not in taken:
        return host
    whole = name_from(f"{parts.netloc}{parts.path.rstrip('/')}")
    return next(name for name in chain([whole], (f"{whole[:56]}-{n}" for n in count(len(taken)))) if name not in taken)
