"""Those of the items that data list that are articles: each once, at the address that readers have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from articlebot.extraction.lists import Judge, scored
from articlebot.extraction.url_words import is_side_list
from articlebot.items import Link
from articlebot.sources.counting import number_of
from articlebot.sources.data import Item
from articlebot.sources.dated import dated
from articlebot.sources.templates import addressed
from articlebot.urls import canonical_or_none, same_site

# Letters of a text that says more than a date archive's, as "All news of Wednesday, November".
HEADLINE = 30
# Hosts of systems that readers never see.
_BEHIND = re.compile(r"(?:cms|api|admin|backend|headless)\d?[.-]", re.I)
# Articles of a list that another names at other addresses, at least and as a share.
_LEAST_TWINS, _MOSTLY = 5, 0.8


def told_once(items: Sequence[Item]) -> list[Item]:
    """The items without those of lists that name by other addresses what another list does.

    A program has its menu, its pages and what else they may be called by; what the last leads to may be shown by the
    program alone. The list that says when its articles were published is the one that it shows, else the first.
    """
    lists: dict[str, list[Item]] = {}
    for item in items:
        lists.setdefault(item.place, []).append(item)
    if len(lists) < 2:
        return [*items]
    at: dict[str, str] = {}
    left: set[str] = set()
    for place, members in sorted(lists.items(), key=lambda one: -sum(item.published_at is not None for item in one[1])):
        twins = sum(bool(item.url) and at.get(item.title, item.url) != item.url for item in members)
        if twins >= _LEAST_TWINS and twins >= _MOSTLY * len(members):
            left.add(place)
            continue
        for item in members:
            at.setdefault(item.title, item.url)
    return [item for item in items if item.place not in left]


def without_address(items: Iterable[Item], base: str, template: str | None) -> tuple[Item, ...]:
    """The items that are articles and whose addresses cannot be told."""
    return tuple(item for item in items if item.rich and not addressed(item, base, template))


def as_links(
    items: Iterable[Item], base: str, pattern: str | None, judge: Judge, template: str | None, *, trusted: bool = False
) -> tuple[list[Link], dict[str, float | None]]:
    """The links of items that are articles, and when they appeared."""
    found: dict[str, tuple[Link, Item]] = {}
    for item in items:
        url = addressed(item, base, template)
        key = key_of(_as_shown(url, base)) if url else ""
        if key and (key not in found or (item.rich and not found[key][1].rich)):
            found[key] = Link(url=key, text=item.title, region=item.place), item
    links = [link for link, _ in found.values()]
    headings = {link.url for link, item in found.values() if item.rich}
    kept = scored(links, urlsplit(base).hostname or "", judge, pattern, headings=headings, chosen=trusted)
    # A program that holds all of a site's pages has the further ones of its tags, too.
    kept = [one for one in kept if number_of(one.url) is None or not is_side_list(one.url)]
    kept = [one for one in kept if dated(one.url) is None or width(one.text) >= HEADLINE]
    own = [link for link in kept if same_site(link.url, base)]
    return own, {link.url: found[link.url][1].published_at for link in own}


def _as_shown(url: str, base: str) -> str:
    """The address at which readers have what a system behind the site calls by its own host: cms.paper.example."""
    host, shown = urlsplit(url).hostname or "", urlsplit(base)
    is_behind = _BEHIND.match(host) is not None and _BEHIND.match(shown.hostname or "") is None
    return urlsplit(url)._replace(scheme=shown.scheme, netloc=shown.netloc).geturl() if is_behind else url


def width(text: str) -> int:
    """The letters of a text; Chinese ones count two."""
    return sum(1 + (ch >= "\u2e80") for ch in text if ch.isalpha())


def key_of(url: str) -> str:
    """The canonical address, "" of what is none."""
    return canonical_or_none(url) or ""
