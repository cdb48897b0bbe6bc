"""Lists that a page's scripts fetch: the addresses are told by their texts, tried once, and kept where they answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from articlebot.page import page_of
from articlebot.seeds.jobblock import Entry
from articlebot.sources import read_listing
from articlebot.sources.data import template_of
from articlebot.sources.further import tries
from articlebot.spiders.seen import Seen

if TYPE_CHECKING:
    from articlebot.page import Page
    from articlebot.sources import Listing
    from articlebot.spiders.site_look import SiteLook

# Addresses of one page that are tried, scripts that are fetched, and articles that make an answer a list.
_MOST_TRIES, _MOST_SCRIPTS = 3, 3
_LEAST_DATA = 2


async def behind_scripts(look: SiteLook, home: Listing) -> None:
    """The lists that a home page without any fetches: addresses in its own scripts, then in those it takes."""
    page = home.page
    if page is None or page.tree is None:
        return
    if await _try(look, tries(page, 0), page):
        return
    for element in page.by_tag["script"]:
        src: Any = element.get("src")
        url = page.resolve(src) if src else ""
        if not url or not look.own([url]) or look.fetching.scripts >= _MOST_SCRIPTS:
            continue
        answer = await look.fetching.get(url)
        text = answer.body[:2_000_000].decode("utf-8", "replace") if answer is not None else ""
        look.fetching.scripts += 1
        if text and await _try(look, tries(page, 0, text), page, [text]):
            return


async def load_more(look: SiteLook) -> None:
    """What follows a list whose end only its scripts know."""
    whole = look.whole()
    for listing in look.listings[:2]:
        if whole or listing.next_url or listing.page is None or not listing.links:
            continue
        for url in tries(listing.page, len(listing.links))[:2]:
            known = look.known
            more = await look.read(url)
            if more is not None and (named := look.named(more)) - known:
                look.found.more.append(Entry(url, named, f"follows {urlsplit(listing.url).path}"))
                return


async def _try(look: SiteLook, urls: Iterable[str], page: Page, scripts: Sequence[str] = ()) -> bool:
    """Tries addresses; keeps those that answer with lists of articles."""
    texts = scripts or [one.text or "" for one in page.by_tag["script"] if not one.get("src")]
    for url in list(urls)[:_MOST_TRIES]:
        answer = await look.fetching.get(url)
        if answer is None:
            continue
        inner = page_of(answer, look.runtime.now())
        listing = read_listing(inner, answer.body, judge=look.shapes.judge, template=look.found.article_url)
        if not listing.links and listing.unnamed:
            look.found.article_url = template_of(texts, listing.unnamed, ())
            listing = read_listing(inner, answer.body, judge=look.shapes.judge, template=look.found.article_url)
        named = look.named(listing)
        if len(named) >= _LEAST_DATA:
            look.listings.append(listing)
            look.found.api.append(Entry(url, named, "scripts of the home page fetch it", bool(listing.next_url)))
            look.seen.append(Seen("list", answer, named))
            look._tell_by(" ".join(link.text for link in listing.links))
            return True
    return False
