"""Entries of a sitemap: urlset, news sitemap, index, plain text, and any of them gzipped.

Bounded in every direction: bytes after decompression, entries, children, and how deep indexes may nest.
"""

from __future__ import annotations

import codecs
import io
import re
import zlib
from dataclasses import dataclass
from typing import Any

from lxml import etree

from articlebot.page.own_host import under_own
from articlebot.page.xml import from_root, name_of, parse_xml
from articlebot.times import stated_time
from articlebot.urls import joined, spelled_as

MAX_BYTES = 52_428_800  # the protocol's own limit
MAX_ENTRIES = 50_000
MAX_CHILDREN = 1000
MAX_DEPTH = 3

# An ampersand that begins no reference of XML, behind which a stream loses the rest of an address.
_UNKNOWN = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\w{1,10});)")
# Which fields of a page are its own, and not those of its pictures and videos.
_OF_PAGE = frozenset({"url", "sitemap", "news", "publication"})
_PLAIN_LINE = re.compile(r"https?://\S{3,2040}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """A page that a sitemap names. Times are epoch seconds; title and published_at come from news sitemaps."""

    url: str
    modified_at: float | None = None
    published_at: float | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """What one sitemap file holds: pages, or further sitemaps with the time each was modified."""

    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapEntry, ...] = ()
    truncated: bool = False


def parse_sitemap(body: bytes, url: str, *, depth: int = 0, max_entries: int = MAX_ENTRIES) -> Sitemap:
    """The pages or child sitemaps of a file.

    Args:
        depth: how many indexes led here, 0 for a file named by robots.txt or a job; children are dropped at 3.
        max_entries: pages taken at most.

    Never raises for content; what is no sitemap is empty.
    """
    body, truncated = unpacked(body)
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        body = body.decode("utf-16", "replace").encode()
    body = from_root(body)
    head = body[:1024].lstrip(b"\xef\xbb\xbf\r\n\t ")
    if not head.startswith(b"<"):
        return _plain(body, url, max_entries, truncated=truncated)
    entries: list[SitemapEntry] = []
    children: list[SitemapEntry] = []
    copies = set[str]()
    for name, fields, spoken in _records(body):
        location = fields.get("loc", "")
        if not location or location in copies:
            continue
        copies.update(_copies(location, spoken) if spoken else ())
        entry = _entry(location, fields, url)
        if not entry.url:
            continue
        if name == "url":
            entries.append(entry)
        else:
            children.append(entry)
        if len(entries) >= max_entries or len(children) >= MAX_CHILDREN:
            truncated = True
            break
    return Sitemap(entries=tuple(entries), children=tuple(children) if depth < MAX_DEPTH else (), truncated=truncated)


def unpacked(body: bytes) -> tuple[bytes, bool]:
    """The text of a file that may be packed, as far as the protocol lets it go, and whether there is more."""
    if not body.startswith(b"\x1f\x8b"):
        return body[:MAX_BYTES], len(body) > MAX_BYTES
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(body, MAX_BYTES)
    except zlib.error:
        return b"", True
    return data, bool(unpacker.unconsumed_tail) or not unpacker.eof


def _copies(location: str, spoken: dict[str, str]) -> set[str]:
    """The addresses that show a page in the same language once more: in the other script, for another country.

    Args:
        spoken: the addresses of a page in its languages, itself among them, by ``hreflang``.
    """
    own = {tag.partition("-")[0] for tag, url in spoken.items() if url == location} - {"x"}
    return {url for tag, url in spoken.items() if tag.partition("-")[0] in own} - {location}


def _records(body: bytes) -> list[tuple[str, dict[str, str], dict[str, str]]] | Any:
    """(``url`` or ``sitemap``, text by field, address by language) of each record, streamed.

    A damaged file is read as far as it goes.
    """
    named = b"encoding=" in body[:200].lower() and b"utf-8" not in body[:200].lower()
    if b"<!ENTITY" in body[:4096] or named or _UNKNOWN.search(body) is not None:
        root = parse_xml(body)
        yield from () if root is None else (_record(e) for e in root.iter() if name_of(e) in ("url", "sitemap"))
        return
    stream = io.BytesIO(body.replace(b"&amp;", b"&#38;"))
    events = etree.iterparse(
        stream, events=("end",), tag=("{*}url", "{*}sitemap"), recover=True, resolve_entities=False,
        no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        for _, element in events:
            yield _record(element)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except (etree.XMLSyntaxError, ValueError, TypeError):
        return


def _record(element: Any) -> tuple[str, dict[str, str], dict[str, str]]:
    fields: dict[str, str] = {}
    spoken: dict[str, str] = {}
    for child in element.iter():
        if len(child) == 0 and child.text and name_of(child.getparent()) in _OF_PAGE and child is not element:
            fields.setdefault(name_of(child), child.text.strip())
        elif child.get("hreflang") and child.get("href"):
            spoken[child.get("hreflang").lower()] = child.get("href")
    return name_of(element), fields, spoken


def _entry(location: str, fields: dict[str, str], base: str) -> SitemapEntry:
    return SitemapEntry(
        # A file names pages of its own host (https://www.sitemaps.org/protocol.html), which it may spell otherwise.
        url=spelled_as(under_own(joined(base, location), base), base),
        modified_at=stated_time(fields.get("lastmod")),
        published_at=stated_time(fields.get("publication_date")),
        title=" ".join(fields.get("title", "").split()),
    )


def _plain(body: bytes, base: str, max_entries: int, *, truncated: bool) -> Sitemap:
    lines = (line.strip() for line in body.decode("utf-8-sig", "replace").splitlines())
    urls = [line for line in lines if _PLAIN_LINE.match(line) and joined("", line)]
    entries = tuple(SitemapEntry(url=under_own(one, base)) for one in urls[:max_entries])
    return Sitemap(entries=entries, truncated=truncated or len(urls) > max_entries)
