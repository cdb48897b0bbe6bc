"""Where a list begins that scripts fetch, and what follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from articlebot.looks.alike import LEAST_DATA
from articlebot.looks.script_answers import fetched
from articlebot.page import Page
from articlebot.seeds.jobblock import Entry
from articlebot.sources.answers import OF_PAGE, behind_last
from articlebot.sources.counting import asks_behind, begins, counts_entries, number_of, page_of
from articlebot.sources.dated import dated
from articlebot.sources.fetches import own_scripts
from articlebot.sources.further import next_page
from articlebot.urls import same_site

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook
    from articlebot.sources import Listing


def list_of(url: str) -> str:
    """An address without the number of its page; months have lists of their own."""
    return url if dated(url) else page_of(url, 0)


async def beginning(
    look: SiteLook, shown: Listing, url: str, more: Listing, script: str | None, *, sent: str = ""
) -> Entry | None:  # fmt: skip
    """The list of which a further page was found, where it begins with others than the page shows.

    What that shows is then no page of the list, but boxes of headlines beside the place that its scripts fill.
    """
    known, number = look.named(shown), number_of(url, loose=True) or 0
    first = url if dated(url) or not number else page_of(url, 0 if counts_entries(url) else number - 1)
    assert shown.page is not None
    if first == url and asks_behind(url) and not begins(url):
        return None
    begin: Listing | None = more
    named = behind = look.named(more)
    if first != url:
        if len(behind) == len(known):
            return None
        begin = await fetched(look, first, shown.page, script, sent=sent)
        named = look.named(begin) if begin is not None else frozenset()
        # Entries are counted from what the page shows, and so too far where boxes stand beside the list's first page.
        is_off = counts_entries(url) and named and known - named
        if number == 1 and not named - behind:  # it is the first itself
            first, begin, named = url, more, behind
        elif len(named - known - behind) < LEAST_DATA and not is_off:
            return None
    if begin is None:
        return None
    look.listings.append(begin)
    if begin is more:
        await go_on(look, more, named, script, page=shown.page, url=url, sent=sent)
    return Entry(first, named, "scripts fetch it", bool(begin.next_url))


async def go_on(
    look: SiteLook, listing: Listing, named: frozenset[str], script: str | None, *, page: Page, url: str, sent: str = ""
) -> None:  # fmt: skip
    """What follows a list that was fetched last, where it does not say so itself, or the script knows better."""
    on = None
    if url.endswith(OF_PAGE) and (following_page := next_page(page)):
        # The page says itself where it goes on; the page there has its file beside it, too.
        on = following_page.rstrip("/") + OF_PAGE
    elif (listing.next_url is None or begins(url)) and listing.page is None:
        on = behind_last(look.seen[-1].response.body, url, script or "\n".join(own_scripts(page)))
        on = None if on == listing.next_url else on
    further = await fetched(look, on, page, script, sent=sent) if on and same_site(on, look.home) else None
    if on and further is not None and (more := look.named(further) - named):
        look.found.more.append(Entry(on, more, "follows it", True))
