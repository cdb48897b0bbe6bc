"""The sections of a site, as a look goes through them: the home page's further pages, navigation, tags, scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articlebot.looks.look_tags import behind_lists
from articlebot.looks.scripted import behind_scripts, following
from articlebot.looks.waiting import MOST_BARREN, Waiting
from articlebot.seeds.jobblock import covers
from articlebot.seeds.offers import Offers, is_archive, offers
from articlebot.sources import Listing
from articlebot.sources.choices import frames, menus_apart
from articlebot.sources.counting import page_behind
from articlebot.urls import canonical_url

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

_SECTION_SHARE = 0.7  # of the budget, what sections may take
# Sections in a row that add nothing where the home page was turned to its end, which says less than a sitemap of the
# whole site does (``MOST_BARREN``): it may leave sections out.
_MOST_REPEATED = 3
# Frames that a home page consists of; its further pages that are turned before its sections, which often repeat them.
_MOST_FRAMES, _MOST_TURNED = 4, 6


class Sections:
    """Goes through the sections of a site until nothing new is to be expected of the others.

    Attributes:
        through: the articles that the home page's own further pages name.
        last: the one of these that was turned last, "" where it leads no further.
        ended: whether these were turned to the last one.
    """

    def __init__(self, look: SiteLook) -> None:
        self._look = look
        self.through: frozenset[str] = frozenset()
        self.last = ""
        self.ended = False
        self._beyond = False  # whether sections were seen to lead further back
        self._tried = 0  # sections whose next page was looked at for that
        self._asked: set[str] = set()

    async def framed(self, home: Listing, offered: Offers) -> Offers:
        """What the home page offers together with the frames that it consists of, or a menu that comes apart."""
        look, page, shown = self._look, home.page, tuple[str, ...]()
        if page is not None:
            shown = frames(page)[:_MOST_FRAMES] if not home.links else ()
            shown += menus_apart(page)[:1] if not offered.sections else ()
        for url in shown:
            listing = await look.read(url)
            look.note(listing, "a part of the home page")
            if listing is not None and listing.page is not None:
                offered = offered.beside(offers(listing.page))
        return offered

    async def turn_home(self, home: Listing, offered: Offers) -> None:
        """The home page's own further pages, which a first visit goes through in any case: sections may repeat them.

        Where a page of all articles, or of all months, is called the archive, it is asked first: these may be needless,
        if it has no next page and the one behind as many articles names no others: it may go on as the reader scrolls.
        """
        look = self._look
        listing: Listing | None = home
        archive = next(filter(is_archive, offered.sections), None)
        every = await look.list_at(archive, "the archive") if archive else None
        self._asked.update([archive] if archive else ())
        if look.thorough or look.whole():
            return
        named, first = look.named(every) if every and not every.next_url else frozenset(), look.named(home)
        if home.next_url and len(named) >= 2 * len(first) and covers(named, first):
            self.ended = not await self._adds(page_behind(home.next_url, len(named), len(first)), named)
            self.through = named
            look.passed |= {home.next_url} if self.ended else set()
            return
        if home.next_url is None and home.links and home.page is not None:
            listing = await following(look, home)
            self.through |= look.named(listing) if listing is not None else frozenset()
            look.lists[:1] = [replace(one, goes_on=listing is not None) for one in look.lists[:1]]
        for _ in range(_MOST_TURNED):
            url = listing.next_url if listing is not None else None
            if url is None or look.fetching.spent or not look.runtime.usage.allows(url):
                self.ended = url is None and bool(self.through)
                return
            listing = await look.read(url)
            named = look.named(listing) if listing is not None else frozenset()
            if not named - self.through - look.named(home):
                look.turned.clear()  # its last page: the crawl need not ask for it again
                self.last = ""
                self.ended = listing is not None and bool(self.through)
                if home.hidden and not self.through:  # what its data name goes on elsewhere, as its scripts tell
                    look.lists[:1] = [replace(one, goes_on=False) for one in look.lists[:1]]
                    look.listings = [replace(one, next_url=None) if one is home else one for one in look.listings]
                return
            self.through |= named
            self.last = canonical_url(url)
            look.turned = {self.last}

    async def lead_beyond(self) -> bool:
        """Whether sections lead further back than the home page, whose last page was seen: two are tried."""
        look = self._look
        if self._beyond or not self.ended or look.whole():
            return self._beyond
        known = self.through | look.first.articles
        repeating = [one for one in look.listings[1:] if one.next_url and covers(known, look.named(one))]
        for one in repeating[: max(0, MOST_BARREN - self._tried)]:
            if one.next_url and not look.fetching.spent and await self._adds(one.next_url, known):
                return True
        return False

    async def go_through(self, home: Listing, offered: Offers) -> None:
        """Sections until the budget's share is spent, or until a whole sitemap is seen to name all that they do."""
        look, barren = self._look, 0
        if not home.links and not look.lists:
            await behind_scripts(look, home)
        rest = Waiting(look, home, offered, self._asked)
        while (url := rest.pop()) is not None:
            if look.found.fetched >= int(look.fetching.max_pages * _SECTION_SHARE):
                look.fetching.problem("sections_left_out")
                why = "a look at a site takes no more pages"
                look.found.leave_out((url, *rest.sections, *rest.offered.doubtful), why)
                break
            known, whole = look.known, look.whole()
            if await rest.is_vain(url) or (listing := await rest.ask(url, known)) is None:
                continue
            named = whole or (self.through | look.first.articles if self.ended else frozenset())
            if not named:
                continue
            barren = 0 if look.named(listing) - known - named else barren + 1
            if barren == 1 and listing.next_url and await self._adds(listing.next_url, named):
                barren, self._beyond = 0, not whole
            if barren >= (MOST_BARREN if whole else _MOST_REPEATED):
                why = "the sitemap names all of it" if whole else "the home page and its further pages name all of it"
                look.found.leave_out((*rest.sections, *rest.deeper), why)
                break
        else:
            if not look.whole():
                await self._doubtful(rest.offered.doubtful)
        await behind_lists(look, rest.offered, rest.asked)

    async def _doubtful(self, urls: Sequence[str]) -> None:
        """Sections that are called as pages are that list nothing, until two in a row add nothing indeed.

        First those below which articles lie that are known, then those at the site's top.
        """
        look = self._look
        folders = {one.rpartition("/")[0] for one in look.known}
        holders = [url for url in urls if url.rstrip("/") in folders]
        urls = holders + [url for url in urls if url not in holders and urlsplit(url).path.strip("/").count("/") == 0]
        barren = 0
        for place, url in enumerate(urls):
            if barren >= MOST_BARREN or look.fetching.spent:
                look.found.leave_out(urls[place:], "by its name no list of news")
                return
            known = look.known
            listing = await look.list_at(url, "in the navigation")
            barren = 0 if listing is not None and len(look.named(listing) - known) else barren + 1

    async def _adds(self, url: str, known: frozenset[str]) -> bool:
        """Whether a further page of a list names what is not known."""
        self._tried += 1
        listing = await self._look.read(url)
        if listing is None or covers(known, self._look.named(listing)):
            return False
        self._look.turned.add(canonical_url(listing.url))
        return True
