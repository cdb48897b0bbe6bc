"""The lists of a site beside its sections: what follows them by scripts, those by tag, and those that they lead to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from articlebot.looks.scripted import behind_shells, load_more
from articlebot.seeds.offers import Offers, offers
from articlebot.sources import Listing

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Lists by tag or author that are looked at for older articles, and those that are tried where no other list has any.
_MOST_SIDE, _MOST_TRIES = 12, 3
# Of these in a row that add nothing; lists that are tried to which one alone leads.
_MOST_BARREN, _MOST_LED = 2, 2
# Sections without links whose scripts are looked at in vain.
_MOST_SHELLS = 2
_TAGGED = "a list by tag or author"
_LED = f"{_TAGGED} leads to it"


async def behind_lists(look: SiteLook, offered: Offers, asked: set[str]) -> None:
    """What follows the lists that were found, by scripts; lists by tag or author where there are no others.

    Args:
        asked: sections that need no further look; grows.
    """
    side = offered.side_lists[:_MOST_SIDE]
    asked.update(offered.side_lists)
    alone = all(not entry.articles for entry in look.lists)
    if alone:
        for url in side[:_MOST_TRIES]:
            await _tagged(look, url, asked)
        side = side[_MOST_TRIES:]
    goes_on = any(entry.goes_on for entry in look.lists) or any(one.archives for one in look.listings)
    await load_more(look, endless=not goes_on)
    barren = 0
    for url in side if alone or not look.leads_back() else ():
        barren = 0 if await _tagged(look, url, asked) else barren + 1
        if barren >= _MOST_BARREN:
            break
    await behind_shells(look, _MOST_SHELLS)


async def _tagged(look: SiteLook, url: str, asked: set[str]) -> bool:
    """Reads a list by tag or author, and whether it adds articles, or another list does to which it alone leads."""
    known = _named(look)
    read = await look.read(url)
    listing = look.note(read, _TAGGED)
    for one in led_beside(listing, asked, [*led_to(read), *_alike(look, read)]):
        asked.add(one)
        if look.own([one]):
            await look.list_at(one, _LED)
    return bool(_named(look) - known)


def _named(look: SiteLook) -> set[str]:
    """The articles that are named so far, by lists where these alone tell the days."""
    return set().union(*(one.articles for one in look.lists)) if look.samples.only_listed() else look.known


def led_to(read: Listing | None) -> Sequence[str]:
    """What the sections seem to be that a page leads to."""
    return () if read is None or read.page is None else offers(read.page).sections


def _alike(look: SiteLook, read: Listing | None) -> list[str]:
    """What a page leads to that lies in a folder beside lists to which others like it have led."""
    if read is None or read.page is None:
        return []
    folders = {_folder(one.url) for one in look.lists if one.note.startswith(_LED)}
    return [one for one in offers(read.page).side_lists if _folder(one) in folders]


def _folder(url: str) -> str:
    return url.rstrip("/").rpartition("/")[0]


def led_beside(listing: Listing | None, asked: Collection[str], led: Sequence[str]) -> list[str]:
    """The first of the lists that a page alone leads to where it does not go on: /topics/arts shows /category/arts.

    Args:
        listing: the page as a list, None where it is none.
        asked: what others lead to.
        led: what the page does.
    """
    if listing is not None and listing.next_url:
        return []
    return [one for one in led if one not in asked][:_MOST_LED]
