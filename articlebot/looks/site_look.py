"""Looking through one site: what its home page, robots.txt, feeds, sitemaps, sections and scripts offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from scrapy.crawler import Crawler
from scrapy.http import Response

from articlebot.extraction.shapes import ARTICLE_KINDS, Shapes
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.url_words import is_about_site, is_offer
from articlebot.extraction.urlshape import is_one_of_many
from articlebot.looks import look_archives
from articlebot.looks.article_data import details_of
from articlebot.looks.look_fetch import LookFetch
from articlebot.looks.look_language import Language
from articlebot.looks.look_sections import Sections
from articlebot.looks.look_stated import Stated
from articlebot.looks.map_samples import MapSamples
from articlebot.looks.part import own, part_of
from articlebot.looks.scripted import load_more
from articlebot.looks.seen import Seen, has_menu, has_moved, kind_of, shows_few
from articlebot.looks.shown import behind_browser
from articlebot.looks.twin_lists import TwinLists
from articlebot.looks.vouched import vouch
from articlebot.page import Page, page_of
from articlebot.runtime import Runtime
from articlebot.runtime.barren import why_home
from articlebot.seeds.jobblock import Entry, SiteSeeds, covers
from articlebot.seeds.offers import FEED_PATHS, SITEMAP_PATHS, Offers, offers, robots_sitemaps
from articlebot.sources import Listing, read_listing
from articlebot.sources.choices import entrance, frames
from articlebot.sources.dated import dated, is_index
from articlebot.sources.further import is_of
from articlebot.urls import canonical_url

# Articles that make a fetched answer a list, and a page that looks like an article itself.
_LEAST_DATA, _LEAST_NEW = 2, 3
# Lists of a site that has sections; of one without, its own search is tried.
_LEAST_LISTS = 2


class SiteLook:
    """One look at a site, politely and within a budget.

    Args:
        home: where it begins, canonical; then where that leads, if to another site.
        max_pages: pages fetched at most.
        thorough: also tries addresses that nothing names, as people do who ask what a site offers.
        meta: of its requests, such as the visit that says which job they are for.
        seconds: ends after so many in any case.

    Attributes:
        found: what a job needs to follow the site.
        seen: the answers that name articles, so that the crawl need not ask again.
        stated, samples, sections: the site's sitemaps and feeds; pages of these maps; what goes through its sections.
        lists: its list pages with what they name, the home page first.
        listings: what these list in full, and indexes of archives.
        shells: pages without a list, which scripts may bring.
        turned, passed: further pages of lists that the crawl need not ask for: read, or named whole by another list.
        led: where the addresses of articles have led, which are articles as well.
        scripts: the site's own that were read.
        nameless, held: answers with articles without addresses; articles that scripts have as data, beside the lists'.
        menu, language, twins: what an answer called the sections; its language and zone; lists that repeat others.
        as_list: whether home is one list alone where it has a folder and its articles lie elsewhere.
    """

    def __init__(
        self, crawler: Crawler, home: str, max_pages: int, *, thorough: bool = True, meta: dict[str, Any] | None = None,
        seconds: float | None = None,
    ) -> None:  # fmt: skip
        self.runtime = Runtime.of(crawler)
        self.home, self.thorough = home, thorough
        self.found = SiteSeeds(home)
        self.fetching = LookFetch(crawler, self.found, max_pages, meta=meta or {}, seconds=seconds)
        self.seen: list[Seen] = []
        self.shapes = Shapes()
        self.stated, self.sections, self.samples = Stated(self), Sections(self), MapSamples(self)
        self.turned, self.passed, self.led = set[str](), set[str](), set[str]()
        self.lists, self.listings = list[Entry](), list[Listing]()
        self.shells, self.nameless = list[Listing](), list[Response]()
        self.scripts: list[str] = []
        # Of scripts, by their addresses: answers, and the parts of a program that they name; what the first sends.
        self.answers, self.parts, self.sent = dict[str, Response | None](), dict[str, dict[str, int]](), ""
        self.held = frozenset[str]()
        self.menu: tuple[Mapping[str, str], ...] = ()
        self.language, self.twins = Language(self), TwinLists()
        self.as_list = self._has_cookie = False  # whether the last page that was read has set one

    async def run(self) -> None:
        """Home page, sitemaps, feeds, sections, archives, in this order while the budget lasts; fills ``found``."""
        home, holders = await self._home(), []
        if home is not None:
            # What a request for consent offers is no navigation: to follow it is to press what the job does not allow.
            page = home.page
            plain = page is not None and self.found.walls.get(page.url) != "consent"
            offered = await self.sections.framed(home, offers(page)) if page is not None and plain else Offers()
            await self.stated.read_home(self.found.why[0])
            self.found.part = part_of(self.home, self.first.articles) or ("" if self.as_list else "/")
            if not self.found.part:
                await load_more(self, endless=True)
                self.found.list_pages = self.lists[:1]
                self.language.settle()
                return
            offered = offered.below(self.found.part)
            self.lists[:1] = [replace(one, articles=self.own(one.articles)) for one in self.lists[:1]]
            self.found.hubs, self.found.menu = list(offered.hubs), offered.sections
            named = await self.fetching.robots(self.home, robots_sitemaps)
            why = "robots.txt names it" if named else "declared" if offered.sitemaps else ""
            named = named or offered.sitemaps
            await self.stated.read_sitemaps(named or self._places(SITEMAP_PATHS[:1]), why)
            await self.stated.read_feeds(offered.feeds, declared=True)
            await self.samples.read()
            await self.sections.turn_home(home, offered)
            await self.sections.go_through(home, offered)
            holders = await look_archives.holders(self, offered)
            if len(self.lists) < _LEAST_LISTS and not self.leads_back():
                for url in offered.searches[:1]:
                    await self.list_at(url, "the site's own search")
            if page is not None and page.by_tag["script"] and plain and not (self.known or holders):
                await behind_browser(self, home)
            if self.thorough or not (self.known or holders):
                # Each costs a fetch that most sites answer with 404: asked for last, where nothing names an article.
                if not offered.feeds:
                    await self.stated.read_feeds(self._places(FEED_PATHS), declared=False)
                if not (named or self.stated.maps):
                    await self.stated.read_sitemaps(self._places(SITEMAP_PATHS[1:]))
            if page is not None and self.found.api and (self.found.article_url or needs_scripts(page)):
                await details_of(self, page)
        self.language.settle()
        await vouch(self)
        beyond, stated = await self.sections.lead_beyond(), self.stated
        self.samples.settle()
        known = stated.feeds, stated.news, stated.maps, self.lists, self.sections.through
        self.found.choose(*known, beyond=beyond, deep=bool(self.whole()))
        self.found.archives += holders
        self.found.list_pages = self.found.list_pages or holders[:1] or ([] if self.found.entries else self.lists[:1])
        hollow = not self.found.entries and "needs_javascript" in self.found.problems
        self.found.needs_browser |= hollow or bool(self.found.rendered)

    @property
    def known(self) -> set[str]:
        """The articles that sources named so far."""
        listed = (*self.lists, *self.found.api, *self.found.more)
        return self.led.union(self.held, *(entry.articles for entry in (*self.stated.entries, *listed)))

    @property
    def fresh(self) -> set[str]:
        """What feeds, news sitemaps and the home page name; all lists, where scripts fetch what follows them.

        So do sitemaps of the whole site beside which its lists are gone through.
        """
        lists = self.lists if self.found.more else self.lists[:1]
        maps = () if self.whole() else self.stated.maps
        return set().union(*(entry.articles for entry in (*self.stated.feeds, *self.stated.news, *lists, *maps)))

    @property
    def first(self) -> Entry:
        """The home page as a list."""
        return self.lists[0] if self.lists else Entry(self.home, frozenset())

    def _places(self, paths: Sequence[str]) -> list[str]:
        return [urljoin(self.home, path) for path in paths]

    async def _home(self) -> Listing | None:
        read = await self.read(self.home)
        if read and not (read.links or has_menu(read)) and (read.url != self.home or self._has_cookie):
            # A notice, which has set a cookie: whoever comes again is let in.
            read = await self.read(self.home, again=True) or read
        listing = self.note(read, "the home page", is_home=True)
        if listing is None:
            self.found.why = next(iter(self.found.problems), ""), ""
            return None
        if (page := listing.page) is not None:
            self.language.of_home(page)
            if not listing.links and page.tree is not None and needs_scripts(page):
                self.fetching.problem("needs_javascript", page.url)
        return listing

    def leads_back(self) -> bool:
        """Whether anything leads to what is older than the lists show."""
        further = self.held or (self.stated.maps and not self.samples.only_listed()) or self.found.more
        behind = any(len(one.archives) > (not one.links) for one in self.listings)
        return bool(further or behind or any(entry.goes_on for entry in (*self.lists, *self.found.api)))

    def whole(self) -> frozenset[str]:
        """What sitemaps of the whole site name; nothing where lists show more, or alone tell the days."""
        named = frozenset[str]().union(*(entry.articles for entry in self.stated.maps))
        shown = frozenset[str]().union(*(entry.articles for entry in self.lists))
        return named if covers(named, shown) and not self.samples.only_listed() else frozenset()

    async def list_at(self, url: str, why: str) -> Listing | None:
        """A page that may be a list; what it names is noted where it is one."""
        return self.note(await self.read(url), why)

    def note(self, listing: Listing | None, why: str, *, is_home: bool = False) -> Listing | None:
        """Notes what a page names where it is a list, and returns it then."""
        if listing is None or self.fetching.is_walled(listing.page):
            return listing if is_home else None
        if listing.next_url in self.found.menu:  # /list/4.html behind /list/3.html: sections have numbers, too
            listing = replace(listing, next_url=None)
        named = self.named(listing)
        if not is_home and listing in self.twins:
            self.found.leave_out([listing.url], "shows at addresses of its own what another list shows")
            return None
        if is_home or (named and self._is_list(listing, named)):
            if listing.template and not self.found.article_url:
                self.found.article_url = listing.template
            remark = why + (", in its data" if listing.hidden and listing.hidden == len(listing.links) else "")
            if named or not is_home:
                # An e-paper's address leads to its newest day, another one tomorrow.
                stays = is_home and dated(listing.url) is not None
                address = self.home if stays else canonical_url(listing.url)
                goes_on = (on := listing.next_url) is not None and self.runtime.usage.allows(on)
                self.lists.append(Entry(address, named, remark, goes_on=goes_on))
                self.twins.note(listing)
            self.listings.append(listing)
            return listing
        # A widget of months stands beside each article, too.
        known = {day.url for one in self.listings for day in one.archives}
        days = {day.url for day in listing.archives} - known
        if (is_index(listing.url, listing.archives) or len(days) >= _LEAST_DATA) and not self._is_known(listing):
            self.listings.append(listing)  # an index of issues names no article itself
        elif not named and listing.page is not None:
            self.shells.append(listing)
        return None

    def _is_list(self, listing: Listing, named: frozenset[str]) -> bool:
        """Whether a page is no article with others beside it, nor a book's chapter before the next one."""
        # Teasers make a list look like an article; it goes on, or names several that are new, and nothing names it.
        if kind_of(listing) not in ARTICLE_KINDS and not self._is_known(listing):
            return True
        own = self.own([listing.url])
        is_new = not own & self.known and len(named - self.known) >= _LEAST_NEW
        return is_new or (listing.next_url is not None and is_of(listing.next_url, listing.url) and not own & self.led)

    async def read(self, url: str, *, again: bool = False) -> Listing | None:
        """What an address lists, None where it does not answer."""
        answer = await self.fetching.get(url, again=again, insist=url == self.home)
        if answer is None:
            return None
        self._has_cookie = "Set-Cookie" in answer.headers
        listing, is_home = self.reading(answer), url == self.home
        if not is_home and self.own([url]) & self.known:
            self.led |= self.own([listing.url])
        if is_home and has_moved(url, listing):
            self.home = canonical_url(listing.url)  # the site is there now
        page, named = listing.page, self.named(listing)
        # A page around a list, or before the site.
        if not (listing.links or page is None) and (shown := entrance(page) if is_home else frames(page)[:1]):
            inner = await self.read(shown[0])
            return inner if inner and (inner.links or not is_home or has_menu(inner)) else listing
        if is_home and not named:
            self.found.why = why_home(page_of(answer, self.runtime.now()), answer.body)
        if (named or listing.archives) and not (self._is_known(listing) or listing in self.twins):
            self.seen.append(Seen("list", answer, named, shows_few(listing, named)))
        if named:
            self.language.of_list(page.lang if page is not None else "", listing.links, answer.body)
        return listing

    def note_again(self, page: Page, why: str) -> None:
        """Notes what a page names by addresses that were unknown when it was read."""
        listing = self._listing(page, page.text.encode())
        if self.named(listing) - self.known:
            self.note(listing, why, is_home=True)

    def _is_known(self, listing: Listing) -> bool:
        """Whether another list names it as an article, and it lists nothing new but what is related to it."""
        known, own = self.known, self.own([listing.url])
        if is_index(listing.url, listing.archives) or not own & known:
            return False  # "All releases" of a home page, which lists the years below it
        whole = is_one_of_many(listing.url, known) and kind_of(listing) in ARTICLE_KINDS and not listing.next_url
        return whole or len(self.named(listing) - known) < _LEAST_NEW

    def reading(self, answer: Response) -> Listing:
        """What an answer lists."""
        return self._listing(page_of(answer, self.runtime.now()), answer.body)

    def _listing(self, page: Page, body: bytes) -> Listing:
        return read_listing(page, body, judge=self.shapes.judge, template=self.found.article_url, home=self.home)

    def named(self, listing: Listing) -> frozenset[str]:
        """The site's own articles in a list; what it offers, or says of itself, only where there is nothing else."""
        own = self.own(link.url for link in listing.links)
        return frozenset(url for url in own if not (is_offer(url) or is_about_site(url))) or (
            frozenset() if self.lists or self.stated.entries else own
        )

    def own(self, urls: Iterable[str]) -> frozenset[str]:
        """Those of these addresses that are of the site, or of the part of it that is looked at."""
        return own(urls, self.home, self.found.part or "/")

    async def page(self, url: str) -> Page | None:
        """The page of an address, in a browser where it is empty without; None where there is none."""
        answer = await self.fetching.get(url, shown=True)
        return None if answer is None else page_of(answer, self.runtime.now())
