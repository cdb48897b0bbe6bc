"""Entries of a feed: RSS 0.9x to 2.0, RDF, Atom and JSON Feed.

What other namespaces say of an entry (a picture's title, a podcast's) stands behind what the feed itself says.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin

from articlebot.page.js_values import encodable
from articlebot.page.own_host import under_own
from articlebot.page.tags import MARKUP
from articlebot.page.xml import name_of, parse_xml, space_of
from articlebot.times import stated_time
from articlebot.urls import joined, same_site

MAX_BYTES = 20_000_000
MAX_ENTRIES = 2000

# Where a feed says that it goes on.
_HEAD_BYTES = 20_000
_MOST_HEAD = 40  # elements in which a feed says its own address
_LINK = re.compile(r"<(?:\w{1,10}:)?link\b[^<>]{1,600}>")
_IS_NEXT, _HREF = re.compile(r"\brel\s?=\s?[\"']next[\"']"), re.compile(r"\bhref\s?=\s?[\"']([^\"'<>\s]{1,500})[\"']")
_SHOWS_CHANGE = re.compile(r"(?:\A|&)(?:do=diff|diff=\d{1,12})(?:&|\Z)")
_CHANGE = re.compile(r"(?:\A|&)(?:do=diff|(?:diff|oldid|rev)=\d{1,12})(?=&|\Z)")
_BY_TITLE = re.compile(r"/index\.php\?title=([^&#]{1,500})\Z")
_NEXT_URL = re.compile(r"\"next_url\"\s{0,9}:\s{0,9}\"([^\"\s]{1,500})\"")
_ENTRY_TAGS = frozenset({"item", "entry"})
_PUBLISHED = ("pubDate", "published", "issued", "date", "created")
_UPDATED = ("updated", "modified", "lastBuildDate")
_FILE = re.compile(r"\.(?:xml|rdf|json|atom|rss)\Z", re.I)
_UNSET = re.compile(r"\s{0,99}(?:\w{3}, 01 \w{3} 0001 |0001-01-01)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry of a feed. Times are epoch seconds, None where the feed states none that can be read.

    In a feed that tells of no entry when it was published, as many in Atom do, the last change stands for that.
    """

    url: str
    title: str = ""
    published_at: float | None = None
    updated_at: float | None = None
    summary: str = ""


def parse_feed(body: bytes, url: str, zone: tzinfo = UTC) -> list[FeedEntry]:
    """The entries in the feed's order, at most 2,000; empty when the body is not a feed.

    Args:
        zone: of the times that name none.

    Never raises for content.
    """
    body = body[:MAX_BYTES]
    head = body[:512].lstrip(b"\xef\xbb\xbf\r\n\t ")
    entries = _json_feed(body, url, zone) if head.startswith(b"{") else _xml_feed(body, url, zone)
    if any(entry.published_at for entry in entries):
        return entries
    return [replace(entry, published_at=entry.updated_at) for entry in entries]


def _xml_feed(body: bytes, url: str, zone: tzinfo) -> list[FeedEntry]:
    root = parse_xml(body)
    if root is None or name_of(root) not in ("rss", "feed", "RDF", "channel"):
        return []
    elements = [*islice((one for one in root.iter() if name_of(one) in _ENTRY_TAGS), MAX_ENTRIES)]
    # Beside posts, pages of the site stand as of the year 1, the zero of Go's time (Hugo): "About", "Archive".
    dated = [one for one in elements if not any(_UNSET.match(child.text or "") for child in one)]
    entries = [entry for one in dated or elements if (entry := _entry(one, url, zone)) is not None]
    return _at_home(_as_linked(entries, root), root, url)


def _as_linked(entries: list[FeedEntry], root: Any) -> list[FeedEntry]:
    """The entries of a wiki's feed of changes where its pages link to them.

    MediaWiki asks there for each by its title, ``/w/index.php?title=Snow``; how it links it says of the page of changes
    itself, ``/wiki/Special:RecentChanges``.
    """
    links = (one for one in islice(root.iter(), _MOST_HEAD) if name_of(one) == "link")
    pages = (one.get("href") or one.text or "" for one in links if one.get("rel", "alternate") == "alternate")
    folder, _, name = next(pages, "").strip().rpartition("/")
    if not folder or ":" not in name or "?" in name:
        return entries
    home = _front(f"{folder}/")
    split = ((one, _BY_TITLE.search(one.url) if one.url.startswith(home) else None) for one in entries)
    return [one if title is None else replace(one, url=f"{folder}/{title[1]}") for one, title in split]


def _at_home(entries: list[FeedEntry], root: Any, url: str) -> list[FeedEntry]:
    """The entries under the host that sent the feed, where this states its own address (RFC 4287) on another site.

    A site that has moved may name its old host so.
    """
    told = next((str(one.get("href")) for one in islice(root.iter(), _MOST_HEAD) if one.get("rel") == "self"), "")
    there, here = _front(told), _front(url)
    if told.partition("?")[0][len(there) :] != url.partition("?")[0][len(here) :] or same_site(told, url):
        return entries
    return [replace(one, url=here + one.url[len(there) :]) if one.url.startswith(there) else one for one in entries]


def _front(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/"


def feeds_of_opml(body: bytes) -> list[str]:
    """The addresses of the feeds that an OPML document (opml.org, 2.0) lists, in order; empty for any other body."""
    root = parse_xml(body[:MAX_BYTES]) if b"xmlUrl" in body else None
    return (
        []
        if root is None
        else [one.get("xmlUrl") for one in islice(root.iter("outline"), MAX_ENTRIES) if one.get("xmlUrl")]
    )


def next_of_feed(body: bytes, url: str) -> str | None:
    """The address of the part of a feed with older entries (RFC 5005, 3; JSON Feed's ``next_url``), None for none."""
    try:
        if body[:_HEAD_BYTES].lstrip(b"\xef\xbb\xbf\r\n\t ").startswith(b"{"):
            match = _NEXT_URL.search(body[:MAX_BYTES].decode("utf-8", "replace"))
            found = str(json.loads(encodable(f'"{match[1]}"'))) if match else ""
        else:
            head = body[:_HEAD_BYTES].decode("utf-8", "replace")
            links = (link for link in _LINK.findall(head) if _IS_NEXT.search(link))
            found = next((html.unescape(match[1]) for link in links if (match := _HREF.search(link))), "")
        return urljoin(url, found) if found else None
    except ValueError:  # no JSON string, or no address
        return None


def part_after(url: str) -> str | None:
    """Where the part after this one is where a feed does not say it, None where the address is of a file.

    WordPress counts them by ``paged`` in any feed. A site that does not know it answers with the same entries again.
    """
    address, _, query = url.partition("?")
    if _FILE.search(address):
        return None
    pairs = parse_qsl(query, keep_blank_values=True)
    number = next((int(value) for name, value in pairs if name == "paged" and value.isdecimal()), 1)
    return f"{address}?{urlencode([*(pair for pair in pairs if pair[0] != 'paged'), ('paged', number + 1)])}"


def _entry(element: Any, base: str, zone: tzinfo) -> FeedEntry | None:
    fields: dict[str, Any] = {}
    links: list[Any] = []
    for child in sorted(element, key=lambda one: space_of(one) != space_of(element)):
        name = name_of(child)
        if name == "link":
            links.append(child)
        else:
            fields.setdefault(name, child)
    sent, base = base, urljoin(base, element.base or "")
    linked = _link(links, fields)
    if not linked or not (url := joined(base, linked)):
        return None
    summary = next((field for name, field in fields.items() if name in ("description", "summary")), None)
    return FeedEntry(
        url=_changed_page(under_own(url, sent)),
        title=_plain(fields.get("title")),
        published_at=_first_time(fields, _PUBLISHED, zone),
        updated_at=_first_time(fields, _UPDATED, zone),
        summary=_plain(summary)[:2000],
    )


def _changed_page(url: str) -> str:
    """The page of which an address shows a change, as wikis' feeds do: ?id=x&rev=1&do=diff, ?title=X&diff=4."""
    address, asks, query = url.partition("?")
    if "diff" not in query or _SHOWS_CHANGE.search(query) is None:
        return url
    left = _CHANGE.sub("", query).strip("&")
    return address + asks + left if left else address


def _link(links: list[Any], fields: dict[str, Any]) -> str:
    # FeedBurner and its like count readers at an address of their own, and say behind it which one that stands for.
    own = "".join(fields["origLink"].itertext()).strip() if "origLink" in fields else ""
    if own.startswith(("http://", "https://")):
        return own
    for link in links:
        if link.get("href") and link.get("rel", "alternate") == "alternate":
            return str(link.get("href")).strip()
    for link in links:
        text = "".join(link.itertext()).strip()
        if text:
            return text
    guid = fields.get("guid")
    if guid is not None and guid.get("isPermaLink", "true") != "false":
        text = "".join(guid.itertext()).strip()
        if text.startswith(("http://", "https://", "/")):
            return text
    return str(links[0].get("href") or "").strip() if links else ""


def _first_time(fields: dict[str, Any], names: tuple[str, ...], zone: tzinfo) -> float | None:
    times = (stated_time("".join(fields[name].itertext()), zone) for name in names if name in fields)
    return next((at for at in times if at is not None), None)


def _plain(element: Any) -> str:
    if element is None:
        return ""
    text = "".join(element.itertext())
    if "<" in text:
        text = MARKUP.sub(" ", text)
    return " ".join(html.unescape(text).split())


def _json_feed(body: bytes, base: str, zone: tzinfo) -> list[FeedEntry]:
    try:
        document = json.loads(encodable(body.decode("utf-8-sig", "replace")))
        items = document["items"] if "jsonfeed.org" in str(document.get("version", "")) else []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    entries = []
    for item in items[:MAX_ENTRIES] if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        url = item.get("url") or item.get("external_url") or ""
        if isinstance(url, str) and url and (url := joined(base, url)):
            entries.append(
                FeedEntry(
                    url=under_own(url, base),
                    title=" ".join(str(item.get("title") or "").split()),
                    published_at=stated_time(_text(item.get("date_published")), zone),
                    updated_at=stated_time(_text(item.get("date_modified")), zone),
                    summary=" ".join(_text(item.get("summary")).split())[:2000],
                )
            )
    return entries


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
