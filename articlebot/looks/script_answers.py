"""What an address answers that a page's script fetches: a list, asked for as the script asks where it must be."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.looks.alike import LEAST_DATA
from articlebot.looks.seen import Seen, kind_of
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.sources.counting import counts_entries, page_of
from articlebot.sources.fetches import own_scripts
from articlebot.sources.templates import ending_of, template_of

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook
    from articlebot.sources import Listing

# Addresses of a site that are asked for once more, in vain.
_MOST_AGAIN = 2


async def fetched(
    look: SiteLook, url: str, page: Page, script: str | None, sent: str = "", *, repeats: bool = False
) -> Listing | None:
    """What an address lists that a page's script fetches; the script tells how articles' addresses are made.

    Frameworks give a reader a whole page, or nothing, where they give a script the list. Where that came, the address
    is asked for once more as scripts ask, and kept as such in ``found.ajax`` where that answers with a list.

    Args:
        repeats: a browser has had the answer.
    """
    if (asked := f"{sent} {url}") in look.fetching.tried:  # as another script asks: it says nothing of this page
        return None
    look.fetching.tried.add(asked)
    known, begun = look.known, len(look.seen)
    listing = await _asked(look, url, page, script, sent, repeats=repeats)
    if sent or look.fetching.vain >= _MOST_AGAIN or (listing is not None and not _is_whole(look, listing, known)):
        return listing
    for_readers = len(look.seen)
    again = await _asked(look, url, page, script, "ajax", repeats=True)
    if again is None or _is_whole(look, again, known) or len(look.named(again) - known) < LEAST_DATA:
        look.fetching.vain += 1
        del look.seen[for_readers:]
        return listing
    look.found.ajax.append(url)
    del look.seen[begun:for_readers]
    return again


def _is_whole(look: SiteLook, listing: Listing, known: set[str]) -> bool:
    """Whether it is a page of its own that says nothing new."""
    return _is_page(listing) and not (known and look.named(listing) - known)


def _is_page(listing: Listing) -> bool:
    return listing.page is not None and bool(listing.page.by_tag["title"])


async def _asked(
    look: SiteLook, url: str, page: Page, script: str | None, sent: str, *, repeats: bool
) -> Listing | None:
    answer = await look.fetching.get(url, sent=sent, again=bool(sent), repeats=repeats)
    if answer is None:
        return None
    listing = look.reading(answer)
    if _is_page(listing) and kind_of(listing) in ARTICLE_KINDS:
        return None  # a script that knows all of a site's pages names its articles, too
    if listing.unnamed and not listing.links:
        texts = [script, *look.scripts] if script else own_scripts(page)
        hrefs = [anchor.url for anchor in anchors_of(page)]
        made = await asyncio.to_thread(template_of, texts, listing.unnamed, hrefs)
        look.found.article_url = made or await _shown(look, url, hrefs, sent)
        look.nameless += [] if look.found.article_url or sent else [answer]
        listing = look.reading(answer)
    elif listing.page is None and look.found.article_url is None:
        texts = [script, *look.scripts] if script else own_scripts(page)
        urls = [link.url for link in listing.links]
        look.found.article_url = await asyncio.to_thread(ending_of, urls, look.known, texts)
        listing = look.reading(answer) if look.found.article_url else listing
    if named := look.named(listing):
        look.seen.append(Seen("list", answer, named))
    return listing


async def _shown(look: SiteLook, url: str, hrefs: list[str], sent: str) -> str | None:
    """How addresses are made, where nothing but the page's own links shows it: of those that its data begin with."""
    first = page_of(url, 0 if counts_entries(url) else 1)
    answer = await look.fetching.get(first, sent=sent) if first != url else None
    return None if answer is None else template_of((), look.reading(answer).unnamed, hrefs)
