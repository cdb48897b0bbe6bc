"""The date archives of a site, as a look tries them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from articlebot.extraction.url_words import is_offer
from articlebot.seeds.jobblock import Entry
from articlebot.seeds.offers import Offers
from articlebot.sources import Listing
from articlebot.sources.dated import dated, telling
from articlebot.urls import canonical_url, subdomain

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Lists that may hold date archives, and days of these that are tried; articles that such a list shows alone.
_MOST_TRIES, _LEAST_APART = 3, 3
# Sections that each have months of their own.
_MOST_LEADING = 20


async def holders(look: SiteLook, offered: Offers) -> list[Entry]:
    """The lists of a site that lead to date archives, where nothing else leads to what is older."""
    days = {one.url: one for one in offered.archives}
    days |= {one.url: one for listing in look.listings for one in listing.archives}
    going = {subdomain(entry.url) for entry in look.lists if entry.goes_on}
    apart = _apart(look, offered)
    days = {url: one for url, one in days.items() if subdomain(url) not in going or url in apart}
    days = {url: one for url, one in days.items() if not is_offer(url)} or days  # a calendar of events has more days
    if not days or look.found.api or look.found.more:
        return []
    # Of a sitemap that holds no more than lists show, the oldest tells.
    whole = bool(look.whole())
    waiting = [min(days.values(), key=lambda one: one.order)] if whole else telling(days.values())
    for _ in range(_MOST_TRIES if whole else 2 * _MOST_TRIES):
        if not waiting:
            break
        day, known = waiting.pop(0), look.known
        listing = await look.read(day.url)
        # A day has further pages of its own.
        look.turned |= {day.url} if listing is not None and listing.next_url else set()
        if listing is not None and (named := look.named(listing)) - known:
            return [Entry(_address(look, one), named, "leads to date archives") for one in _leading(look)]
        held = [one for one in listing.archives if day.holds(one)] if listing is not None else []
        if listing is not None and (not listing.links or len(listing.links) < len(held)):
            # A year of months, or a month of days, which list what was published.
            waiting = (held[-1:] if whole else telling(held)) + waiting
        elif listing is not None and not whole:
            # Sections may show all of the newest days, and a day lead to the one before alone.
            before = (one for one in listing.archives if one.order < day.order and one.url not in days)
            waiting += islice(before, 1)
    return []


def _leading(look: SiteLook) -> list[Listing]:
    """The lists that lead to archives: the first ones, and others with articles and archives of their own."""
    lists = [one for one in look.listings if one.archives] or look.listings[:1]
    leading = lists[:_MOST_TRIES]
    known = {day.url for one in leading for day in one.archives}
    for one in lists[_MOST_TRIES:_MOST_LEADING]:
        days = {day.url for day in one.archives}
        leading += [one] if look.named(one) and known.isdisjoint(days) else []
        known |= days
    return leading


def _address(look: SiteLook, listing: Listing) -> str:
    """Where a list is to be asked for: an e-paper's home page leads to its newest day, tomorrow to another."""
    return look.home if listing is look.listings[0] and dated(listing.url) is not None else listing.url


def _apart(look: SiteLook, offered: Offers) -> set[str]:
    """The archives of lists that show what no list that goes on does: of press releases beside a blog.

    So do those of an index without articles, below which the home page shows some: a magazine's issues beside its news.
    """
    reached = look.sections.through.union(*(entry.articles for entry in look.lists if entry.goes_on))
    ending = (one for one in look.listings if not one.next_url and canonical_url(one.url) != look.home)
    rest = look.known - reached
    apart = (
        one for one in ending
        if len(look.named(one) - reached) >= _LEAST_APART
        or (not one.links and any(url.startswith(one.url.rpartition("/")[0] + "/") for url in rest))
    )  # fmt: skip
    return {day.url for one in apart for day in one.archives} - {one.url for one in offered.archives}
