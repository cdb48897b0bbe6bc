"""What a site's pages, robots.txt and feeds say of where its news can be had."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from articlebot.errors import RefusedError
from articlebot.extraction.urlshape import looks_like_article
from articlebot.page.feeds import parse_xml
from articlebot.page.page import Page
from articlebot.urls import canonical_url, site

FEED_PATHS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feed.json")
SITEMAP_PATHS = ("/news-sitemap.xml", "/sitemap_news.xml", "/sitemap.xml", "/sitemap_index.xml")
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"})
_FEED_LINK = re.compile(r"(?:/|\b)(?:rss|feeds?|atom|rdf)(?:[/._?=-]|\Z)", re.I)
_COMMENTS = re.compile(r"/comments?(?:/|\Z)", re.I)
_NOT_PAGES = re.compile(r"\.(?:jpe?g|png|gif|svg|webp|css|js|pdf|zip|mp[34]|xml|json|ico|apk|exe)\Z", re.I)
_ROBOTS_SITEMAP = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.I | re.M)
_LINK_HEADER = re.compile(r"<([^>]+)>\s*;[^,]*?\brel=\"?([^\";,]+)")
_MOST_SECTION_TEXT = 24
_MOST_SECTION_DEPTH = 3
_HEAD = 512_000


@dataclass(frozen=True, slots=True)
class Offers:
    """What one page offers; each address canonical and once, in the page's order.

    Attributes:
        feeds: that the page declares, then those that its links look like.
        sections: pages of the same site that may be list pages.
        hubs: WebSub hubs.
    """

    feeds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    hubs: tuple[str, ...] = ()


def offers(page: Page) -> Offers:
    """What a page of a site offers. Never raises for content."""
    declared: list[str] = []
    linked: list[str] = []
    sections: list[str] = []
    hubs: list[str] = []
    tree: Any = page.tree
    if tree is None:
        return Offers()
    for link in tree.iter("link"):
        rel = (link.get("rel") or "").lower().split()
        if "alternate" in rel and (link.get("type") or "").split(";")[0].strip().lower() in _FEED_TYPES:
            declared.append(page.resolve(link.get("href") or ""))
        elif "hub" in rel:
            hubs.append(page.resolve(link.get("href") or ""))
    for anchor in tree.iter("a"):
        url = page.resolve(anchor.get("href") or "")
        if not url.startswith(("http://", "https://")) or not _same_site(url, page.url):
            continue
        if _FEED_LINK.search(urlsplit(url).path):
            linked.append(url)
        elif _is_section(url, "".join(map(str, anchor.itertext())).strip()):
            sections.append(url)
    feeds = [url for url in [*declared, *linked] if not _COMMENTS.search(urlsplit(url).path)]
    return Offers(_canonical(feeds), _canonical(sections), _canonical(hubs))


def hubs_of_feed(body: bytes, url: str, link_header: str = "") -> tuple[str, ...]:
    """The WebSub hubs of a feed (W3C WebSub 2018, 4): from its Link header, its links or a JSON Feed's ``hubs``."""
    found = [target for target, rel in _LINK_HEADER.findall(link_header[:4000]) if "hub" in rel.split()]
    root: Any = parse_xml(body[:_HEAD]) if body.lstrip()[:1] == b"<" else None
    found += [
        element.get("href") or ""
        for element in (root.iter() if root is not None else ())
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "link" and element.get("rel") == "hub"
    ]
    return _canonical(urljoin(url, one) for one in found)


def robots_sitemaps(body: bytes, url: str) -> tuple[str, ...]:
    """The sitemaps that a robots.txt names."""
    named = _ROBOTS_SITEMAP.findall(body[:_HEAD].decode("utf-8", "replace"))
    return _canonical(urljoin(url, one) for one in named[:200])


def _same_site(url: str, other: str) -> bool:
    try:
        return site(url) == site(other)
    except RefusedError:
        return False


def _is_section(url: str, text: str) -> bool:
    """Whether a link may lead to a list page: a short name, a short path, nothing of an article's address."""
    path = urlsplit(url).path
    depth = len([part for part in path.split("/") if part])
    if not 0 < len(text) <= _MOST_SECTION_TEXT or not 0 < depth <= _MOST_SECTION_DEPTH or _NOT_PAGES.search(path):
        return False
    return looks_like_article(url) < 0.5


def _canonical(urls: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for url in urls:
        try:
            found.setdefault(canonical_url(url))
        except RefusedError:
            continue
    return tuple(found)
