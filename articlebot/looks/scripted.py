"""Lists that a page's scripts fetch: the addresses are told by their texts, tried once, and kept where they answer.

A bundle takes tenths of a second to look through (350 kB: .4 s). That goes on in a thread: the event loop waits for a
single expression's next match, 20 to 40 ms.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articlebot.extraction.shells import lacks_list, needs_scripts
from articlebot.extraction.urlshape import shape
from articlebot.looks.alike import LEAST_DATA, is_alike, place_of
from articlebot.looks.beginnings import beginning, go_on, list_of
from articlebot.looks.script_answers import fetched
from articlebot.looks.seen import Seen
from articlebot.looks.taken_scripts import LIBRARY, taken
from articlebot.looks.written_lists import placed, written
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.seeds.jobblock import Entry
from articlebot.sources.counting import counts_entries
from articlebot.sources.fetches import fetches, tries
from articlebot.sources.posts import posts
from articlebot.sources.templates import template_of
from articlebot.urls import canonical_url

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook
    from articlebot.sources import Listing

# Addresses of one page that are tried.
_MOST_TRIES = 3
_WORD = re.compile(r"[a-z]{2,40}", re.I)
# Lists that one script goes on with.
_MOST_SECTIONS = 16


async def behind_scripts(look: SiteLook, shell: Listing) -> bool:
    """The lists that a page without any fetches: addresses in its own scripts, then in those it takes.

    Returns:
        Whether there are such lists.
    """
    page = shell.page
    if page is None or page.tree is None:
        return False
    known, begun = look.found.article_url, len(look.found.api)
    answered = await written(look, page) or await _try(look, page) or await _posted(look, shell, None)
    # What was read for another page may ask by what this one has in its attributes.
    for text in look.scripts[:]:
        answered = answered or await _try(look, page, text) or await _posted(look, shell, text)
    # What an attribute names alone may go on as a script asks that the page takes.
    ends = not any(one.goes_on for one in look.found.api[begun:]) and not look.leads_back()
    if not answered or ends:
        async for text in taken(look, page):
            if await _try(look, page, text) or await _posted(look, shell, text) or await _told(look, text):
                answered = True
                look.fetching.scripts -= 1  # a section may have its own
                break
    if look.found.article_url is None and shell.unnamed:
        # The page has the list itself, and its scripts how addresses are made.
        hrefs = [anchor.url for anchor in anchors_of(page)]
        look.found.article_url = await asyncio.to_thread(template_of, look.scripts, shell.unnamed, hrefs)
    if look.found.article_url not in (None, known):
        # What follows may begin behind what the page's own data list, which can be told only now.
        look.note_again(page, "in its data")
    return answered


async def _told(look: SiteLook, script: str) -> bool:
    """Whether a script holds articles, or says where those are that an answer listed before without addresses."""
    for answer in look.nameless if look.found.article_url is None else ():
        look.found.article_url = await asyncio.to_thread(template_of, [script], look.reading(answer).unnamed, ())
        listing = look.reading(answer)
        if len(named := look.named(listing)) >= LEAST_DATA:
            look.seen.append(Seen("list", answer, named))
            look.listings.append(listing)
            look.found.api.append(Entry(answer.url, named, "scripts fetch it", bool(listing.next_url)))
            return True
    return bool(look.held)


async def behind_shells(look: SiteLook, most: int) -> None:
    """Looks for lists of pages that have none in their document, until so many have none by scripts either."""
    leads = look.leads_back()
    for shell in look.shells:
        if most <= 0 or look.fetching.spent:
            return
        if shell.page is not None and await asyncio.to_thread(_is_shell, shell.page):
            most -= not await (asks_alike(look, shell) if leads else behind_scripts(look, shell))


async def is_filled(look: SiteLook, form: str) -> bool:
    """Whether scripts fill the lists of sections whose addresses have a shape, where nothing else leads back: one is
    tried.
    """
    every = [one for one in look.shells if shape(one.url) == form and one.page is not None and _is_shell(one.page)]
    if not every or look.leads_back():
        return False
    look.shells.remove(every[0])
    return await behind_scripts(look, every[0])


def _is_shell(page: Page) -> bool:
    """Whether what a page without articles lists comes by its scripts: its place is empty, or they ask for it."""
    if needs_scripts(page) or lacks_list(page) or placed(page):
        return True
    return any(one.paged for one in fetches(page)) or bool(posts(page, 0))


async def load_more(look: SiteLook, *, endless: bool) -> None:
    """What follows a list whose end only its scripts know.

    Args:
        endless: nothing else leads to what is older, so that the scripts which the page takes are looked at too.
    """
    if look.whole() or look.found.more:
        return
    every = [one for one in look.listings if one.page is not None and one.links and not one.next_url]
    ending = [one for one in look.listings[:2] if one in every]
    for listing in ending:
        if await _follows(look, listing):
            if listing is not look.listings[0]:  # else it has all
                await _note_going(look, every)
            return
    for page in (one.page for one in reversed(ending) if endless and one.page is not None):
        async for text in taken(look, page, known=LIBRARY):
            if look.held:
                return
            for place, listing in enumerate(ending):
                if await _follows(look, listing, text):
                    look.fetching.scripts -= 1
                    await _follow_alike(look, every[place + 1 : _MOST_SECTIONS], text)
                    return


async def _note_going(look: SiteLook, listings: Sequence[Listing]) -> None:
    """Notes which sections go on by scripts of their own pages: the crawl comes to these, and tries that then."""
    going = set[str]()
    for one in listings:
        found = () if one.page is None else await asyncio.to_thread(tries, one.page, len(one.links))
        going.update([canonical_url(one.url)] if any(found) else ())
    look.lists[1:] = [replace(one, goes_on=one.goes_on or one.url in going) for one in look.lists[1:]]


async def _follow_alike(look: SiteLook, others: Sequence[Listing], script: str) -> None:
    """What follows the lists of other sections, by the script of one or else by a script of their own.

    What a page of a section says of itself is in the address, so that each has its own.
    """
    for other in others:
        assert other.page is not None
        if await _follows(look, other, script):
            continue
        async for text in taken(look, other.page, known=LIBRARY):
            if await _follows(look, other, text):
                look.fetching.scripts -= 1
                break


async def _follows(look: SiteLook, listing: Listing, script: str | None = None) -> bool:
    """Tries what may follow a list, by GET and by POST."""
    return await following(look, listing, script) is not None or await _posted(look, listing, script)


async def following(look: SiteLook, listing: Listing, script: str | None = None) -> Listing | None:
    """What follows a list by its own script or the given one; kept where it names others than the list does.

    Sections may show them, too.
    """
    assert listing.page is not None
    begun = {list_of(one.url) for one in look.found.more if counts_entries(one.url)}
    every = await asyncio.to_thread(tries, listing.page, len(listing.links), script)
    for url in every[:2]:
        if list_of(url) in begun:  # the same list, from another entry on
            return None
        if (kept := await _kept(look, listing, url, script)) is not None:
            if any(is_alike(place_of(one), place_of(url)) and list_of(one) != list_of(url) for one in every):
                await _try(look, listing.page, script, kept=place_of(url))  # tabs beside it have lists of their own
            return kept
    return None


async def _kept(look: SiteLook, listing: Listing, url: str, script: str | None, sent: str = "") -> Listing | None:
    """What an address has that may follow a list; kept where it names others than the list does."""
    assert listing.page is not None
    more = await fetched(look, url, listing.page, script, sent=sent)
    if more is None:
        return None
    if len((named := look.named(more)) - look.named(listing)) < LEAST_DATA:
        # The first page by a cursor may be what the page shows: the next one tells.
        on = more.next_url if named else None
        behind = await fetched(look, on, listing.page, script, sent=sent) if on else None
        if behind is None or len(look.named(behind) - look.named(listing)) < LEAST_DATA:
            return None
        look.listings.append(more)
        look.found.api.append(Entry(url, named, "scripts fetch it", True))
        look.turned.add(behind.url)
        return behind
    if (entry := await beginning(look, listing, url, more, script, sent=sent)) is not None:
        look.found.api.append(entry)
    if entry is not None and (entry.goes_on or entry.url == url):
        look.turned.add(url)
    else:
        look.found.more.append(Entry(url, named, f"follows {urlsplit(listing.url).path}", bool(sent and more.next_url)))
    return more


async def _posted(look: SiteLook, listing: Listing, script: str | None, kept: str = "") -> bool:
    """Tries the lists that scripts ask for by POST; keeps what names others than the list that is shown.

    Args:
        kept: where lists were found before, which alone is tried.
    """
    page, found, answered = listing.page, look.found, False
    assert page is not None
    said = await asyncio.to_thread(lambda: list(posts(page, len(listing.links), script, look.menu)))
    for number, one in enumerate(said):
        # As by GET, each section of a list is tried.
        if one.place != kept if kept else number >= _MOST_TRIES:
            continue
        if listing.links:
            more = await _kept(look, listing, one.url, script, one.sent)
        elif (more := await fetched(look, one.url, page, script, sent=one.sent)) is not None:
            named = look.named(more)
            more = more if len(named) >= LEAST_DATA else None
        if more is not None:
            found.post(kept := one.place, as_json=one.as_json)
            answered = True
        if more is not None and not listing.links:
            found.api.append(Entry(one.url, named, "scripts post it", bool(more.next_url)))
            await go_on(look, more, named, script, page=page, url=one.url, sent=one.sent)
    return answered


async def asks_alike(look: SiteLook, shell: Listing) -> bool:
    """Whether the page of a section asks by its own script for a list as another does that was found, and of others.

    What it is asked by may be told on that page alone: a number of the section, a signature; how, by another's script.
    """
    places = dict.fromkeys(place_of(entry.url) for entry in look.found.api)
    page, found = shell.page, False
    assert page is not None
    for place in (*places, *look.found.forms, *look.found.json_forms):
        word = next(iter(_WORD.findall(urlsplit(place).path)[-1:]), place)
        for script in (None, *(one for one in look.scripts if word in one)):
            by_get = place in places and await _try(look, page, script, kept=place)
            found |= by_get or (place not in places and await _posted(look, shell, script, kept=place))
    return found


async def _try(look: SiteLook, page: Page, script: str | None = None, kept: str = "") -> bool:
    """Tries addresses; keeps those that answer with lists of articles.

    An answer that lists none may name what others are asked for by: a tree of categories with their numbers. Where
    lists were found before, ``kept``, others of that place are tried alone, and kept for what none has named.
    """
    known = look.known if kept else frozenset[str]()
    begun = {list_of(one.url) for one in look.found.more} if kept else frozenset[str]()
    tried, waiting, found = 0, list(await asyncio.to_thread(tries, page, 0, script)), False
    asked: list[str] = []
    while waiting:
        url = waiting.pop(0)
        # Of a list that is asked for by its section, each section is tried.
        if not (url in asked or is_alike(place_of(url), kept)) if kept else tried >= _MOST_TRIES:
            continue
        if list_of(url) in begun:
            continue
        tried += 1
        listing = await fetched(look, url, page, script)
        if listing is None:
            continue
        named = look.named(listing)
        if len(named) >= LEAST_DATA and named - known:
            found = True
            look.listings.append(listing)
            look.found.api.append(Entry(url, named, "scripts fetch it", bool(listing.next_url)))
            await go_on(look, listing, named, script, page=page, url=url)
            look.language.tell_by(" ".join(link.text for link in listing.links))
            kept = place_of(url)
        elif not kept and not look.menu and listing.menu:
            look.menu = listing.menu
            anew = await asyncio.to_thread(tries, page, 0, script, listing.menu)
            asked = [one for one in anew if one not in (*waiting, url)]
            waiting, tried = asked + waiting, 0
    return found
