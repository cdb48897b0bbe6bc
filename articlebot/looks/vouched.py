"""Which of a look's lists are followed: those of articles, each of them at one address."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from articlebot.extraction.kinds import kind
from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.url_words import is_offer
from articlebot.looks.twin_lists import leave_spelled_anew
from articlebot.page import page_of
from articlebot.urls import canonical_url

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Entries of a list from which on it is worth a look at some, and these.
_LEAST, _SAMPLE = 8, 3


async def vouch(look: SiteLook) -> None:
    """Takes from a look the lists of what are no articles, and what its scripts hold that lists name, too.

    A list that shares no entry with anything else, as sections do with the home page or a feed, may be of firms, lots
    or classified advertisements: three of its entries are read. The first that is an article, or may be one behind a
    wall or scripts, vouches for it; the crawl need not ask for that one again.
    """
    beside = {day.url for one in look.listings[:1] for day in one.archives}  # months that stand on every page
    leading = {canonical_url(one.url) for one in look.listings if any(day.url not in beside for day in one.archives)}
    for entry in [one for one in look.lists[1:] if one.url not in leading]:  # issues are lists themselves
        found = (*look.lists, *look.stated.entries, *look.found.api, *look.found.more)
        others = frozenset[str]().union(*(one.articles for one in found if one is not entry))
        if len(entry.articles) < _LEAST or entry.articles & others or not others:
            continue
        if await _has_articles(look, entry.articles):
            continue
        look.lists.remove(entry)
        look.seen = [one for one in look.seen if not one.articles & entry.articles]
        look.turned = {url for url in look.turned if not url.startswith(entry.url)}
        look.found.leave_out([entry.url], "of three that it lists none is an article")
    leave_spelled_anew(look)
    _leave_offers(look)
    await look.samples.compare_days()


def _leave_offers(look: SiteLook) -> None:
    """A home page that shows goods, jobs or events alone is no list of articles where others are."""
    shown = look.first.articles
    others = frozenset[str]().union(*(one.articles for one in look.lists[1:]))
    if shown and all(map(is_offer, shown)) and not all(map(is_offer, others)):
        look.lists[0] = replace(look.first, articles=frozenset(), goes_on=False)
        look.seen = [one for one in look.seen if one.articles != shown]


async def _has_articles(look: SiteLook, urls: Collection[str]) -> bool:
    ordered = sorted(urls)
    for url in ordered[:: len(ordered) // _SAMPLE][:_SAMPLE]:
        answer = await look.fetching.get(url)
        page = None if answer is None else page_of(answer, look.runtime.now())
        if page is None or page.tree is None or needs_scripts(page) or kind(page).name in ARTICLE_KINDS | {"wall"}:
            return True
    return False
