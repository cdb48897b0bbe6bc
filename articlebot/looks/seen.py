"""What a look has fetched and a crawl need not fetch again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from scrapy.http import Response

from articlebot.extraction.kinds import kind
from articlebot.page.anchors import anchors_of
from articlebot.seeds.offers import offers
from articlebot.sources import Listing
from articlebot.sources.dated import archives, dated
from articlebot.urls import canonical_url, same_site, spelled_as, subdomain

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

Form = Literal["list", "feed", "sitemap"]
_LEAST_SECTIONS = 2
# Pages that a page before the site leads to: its languages, its parts, and what the law asks for.
_MOST_DOORS = 8
# Articles for each month that a year leads to, from which its own list may be whole: lists cut at ten have fewer.
LEAST_EACH = 2


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry page that answered during the look: a crawl need not ask for it again.

    Attributes:
        articles: that it names.
        few: it is of a year or month, and shows fewer than it has months or days.
    """

    form: Form
    response: Response
    articles: frozenset[str]
    few: bool = False


def shows_few(listing: Listing, named: Sized) -> bool:
    """Whether a date archive names so few articles that those of its time which it leads to have others."""
    own = dated(listing.url)
    return own is not None and len(named) < LEAST_EACH * sum(own.holds(one) for one in listing.archives)


def has_menu(listing: Listing) -> bool:
    """Whether a page behind a site's entrance leads on to several others, though it lists no article."""
    return listing.page is not None and len(offers(listing.page).sections) >= _LEAST_SECTIONS


def is_before(home: Listing) -> bool:
    """Whether a home page stands before the site, which lists nothing itself: to choose a language or a part from."""
    if home.links or home.page is None:
        return False
    return sum(same_site(anchor.url, home.page.url) for anchor in anchors_of(home.page)) <= _MOST_DOORS


def kind_of(listing: Listing) -> str:
    """What the page reads as that lists something; "list" where it is no document."""
    return kind(listing.page).name if listing.page is not None and listing.page.tree is not None else "list"


def has_moved(home: str, listing: Listing) -> bool:
    """Whether the site is where its home page, canonical, has led: at ``www.`` or https, or at another host.

    What shows no links at another host may be a notice, and an e-paper's newest day is at another address tomorrow.
    """
    there = canonical_url(listing.url)
    if spelled_as(home, there) == there:
        return True
    return bool(listing.links) and subdomain(there) != subdomain(home) and dated(there) is None


def ends_of(look: SiteLook) -> set[str]:
    """The oldest date archive that a look has read, and those that list others and few articles or none."""
    read = {seen.response.url: seen for seen in look.seen if seen.form == "list"}
    days = [one.url for one in archives(read)]
    return {*days[-1:], *(url for url in days if read[url].few or not read[url].articles)}


def in_order(every: Sequence[Seen], entries: Collection[str]) -> Iterator[Seen]:
    """Feeds first, which state dates; of sitemaps the newest children first, indexes that are followed last.

    Args:
        entries: addresses of the entry pages that are followed.
    """
    for form in ("feed", "list"):
        yield from (seen for seen in every if seen.form == form)
    maps = [seen for seen in every if seen.form == "sitemap"]
    yield from (seen for seen in maps if seen.articles)
    yield from (seen for seen in reversed(maps) if not seen.articles and seen.response.url in entries)
