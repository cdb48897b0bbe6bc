"""Looking through one site: what its home page, robots.txt, feeds, sitemaps, sections and scripts offer."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from articlebot.errors import RefusedError
from articlebot.extraction.kinds import kind
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.urlshape import Shapes, is_offer, shape
from articlebot.extraction.walls import wall_in
from articlebot.page import Page, page_of
from articlebot.page.feeds import parse_feed
from articlebot.page.sitemaps import MAX_DEPTH, parse_sitemap
from articlebot.page.text import units
from articlebot.runtime import Runtime
from articlebot.seeds.jobblock import Entry, SiteSeeds, covers
from articlebot.seeds.offers import (
    FEED_PATHS,
    SITEMAP_PATHS,
    Offers,
    frames,
    hubs_of_feed,
    offers,
    robots_sitemaps,
)  # fmt: skip
from articlebot.sources import Listing, read_listing
from articlebot.sources.dated import dated
from articlebot.sources.fetches import fetches
from articlebot.sources.maps import article_entries, children
from articlebot.spiders.barren import why_listless
from articlebot.spiders.look_fetch import LookFetch
from articlebot.spiders.scripted import behind_scripts, details_of, following, load_more
from articlebot.spiders.seen import Seen
from articlebot.text import language
from articlebot.text.zones import told_zone
from articlebot.urls import canonical_url, is_front, site

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)
_MOST_FEEDS, _MOST_SITEMAPS = 8, 12
# Of the budget, what sections and what tries of a page's scripts may take.
_SECTION_SHARE, _MOST_TRIES, _MOST_SCRIPTS = 0.7, 3, 3
# Articles that make a fetched answer a list, and a page that looks like an article itself.
_LEAST_DATA, _LEAST_NEW, _MOST_FRAMES = 2, 3, 4
# Characters of which a language is told, and the least units: a Chinese character counts two and a half.
_LANGUAGE_CHARS, _LEAST_CHARS = 4000, 200
# Sections in a row that add nothing to what a sitemap of the whole site names: then the others do neither.
_MOST_BARREN = 2
# The same where the home page was turned to its end, which says less: it may leave sections out.
_MOST_REPEATED = 3
# Further pages of the home page that are turned before its sections are looked at, which often repeat them.
_MOST_TURNED = 6
# Lists of a site that has sections; of one without, its own search is tried.
_LEAST_LISTS = 2
# Articles of a list that others show at other addresses, at least and as a share; units of a text that is a title.
_LEAST_TWINS, _MOSTLY, _LEAST_TITLE = 5, 0.8, 15
# Lists by tag or author that are looked at for older articles.
_MOST_SIDE = 12
# Sections without any link whose scripts are looked at in vain, where nothing else leads to older articles.
_MOST_SHELLS = 2


class SiteLook:
    """One look at a site, politely and within a budget.

    Args:
        home: where it begins, canonical.
        max_pages: pages fetched at most.
        thorough: also tries addresses that nothing names, as people do who ask what a site offers.
        meta: of its requests, such as the visit that says which job they are for.
        seconds: ends after so many in any case.
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
        self._feed_entries: list[Entry] = []
        self._news: list[Entry] = []
        self._maps: list[Entry] = []
        self._through: frozenset[str] = frozenset()  # what the home page's own further pages name
        self._ended = False  # whether these were turned to the last one
        self._beyond = False  # whether sections were seen to lead further back
        self.turned: set[str] = set()  # the last of these, and second pages of sections that were looked at
        self._lists: list[Entry] = []
        self.listings: list[Listing] = []
        self._shells: list[Listing] = []
        self.scripts: list[str] = []  # the site's own that were read
        self.menu: tuple[Mapping[str, str], ...] = ()  # what an answer called the site's sections
        self._languages: set[str] = set()
        self._tag = ""  # what the home page says of its language
        self._titled: dict[str, str] = {}  # the article that a title was seen to lead to first
        self._has_cookie = False  # whether the last page that was read has set one

    async def run(self) -> None:
        """Home page, sitemaps, feeds, sections, archives, in this order while the budget lasts; fills ``found``."""
        home, holders = await self._home(), []
        if home is not None:
            # What a request for consent offers is no navigation: to follow it is to press what the job does not allow.
            page = home.page
            plain = page is not None and self.found.walls.get(page.url) != "consent"
            offered = await self._framed(home, offers(page)) if page is not None and plain else Offers()
            self.found.hubs = list(offered.hubs)
            named = await self.fetching.robots(self.home, robots_sitemaps)
            await self._sitemaps(named or [urljoin(self.home, SITEMAP_PATHS[0])], named=bool(named))
            await self._feeds(offered.feeds, declared=True)
            await self._onward(home)
            await self._sections(home, offered)
            holders = await self._archives(offered)
            if len(self._lists) < _LEAST_LISTS and not self._leads_back():
                for url in offered.searches[:1]:
                    await self._list(url, "the site's own search")
            if self.thorough or not self.known:
                # Each costs a fetch that most sites answer with 404: asked for last, where nothing names an article.
                await self._feeds([] if offered.feeds else self._places(FEED_PATHS), declared=False)
                await self._sitemaps([] if named or self._maps else self._places(SITEMAP_PATHS[1:]), named=False)
            if page is not None and self.found.article_url and self.found.api:
                await details_of(self, page)
        if len(self._languages) > 1:
            self.found.language = None  # a site in several: each article tells its own
        beyond = await self._goes_beyond()
        self.found.choose(self._feed_entries, self._news, self._maps, self._lists, self._through, beyond=beyond)
        self.found.archives += holders
        if holders and not self.found.list_pages:
            self.found.list_pages = holders[:1]
        if home is not None and not self.found.entries and self._lists:
            self.found.list_pages = self._lists[:1]
        self.found.needs_browser = not self.found.entries and self.found.problems.get("needs_javascript", 0) > 0

    @property
    def known(self) -> set[str]:
        """The articles that sources named so far."""
        listed = (*self._lists, *self.found.api, *self.found.more)
        return set().union(*(entry.articles for entry in (*self._feed_entries, *self._news, *self._maps, *listed)))

    @property
    def fresh(self) -> set[str]:
        """What feeds, news sitemaps and the home page name; all lists, where scripts fetch what follows them."""
        lists = self._lists if self.found.more else self._lists[:1]
        return set().union(*(entry.articles for entry in (*self._feed_entries, *self._news, *lists)))

    @property
    def first(self) -> Entry:
        """The home page as a list."""
        return self._lists[0] if self._lists else Entry(self.home, frozenset())

    # -- the home page

    async def _home(self) -> Listing | None:
        read = await self.read(self.home)
        if read is not None and not read.links and (read.url != self.home or self._has_cookie):
            # A notice, which has set a cookie: whoever comes again is let in.
            read = await self.read(self.home, again=True) or read
        listing = self._note(read, "the home page", is_home=True)
        if listing is None:
            self.found.why = next(iter(self.found.problems), ""), ""
            return None
        if listing.page is not None:
            self._tell(listing.page)
        if (
            not listing.links
            and listing.page is not None
            and listing.page.tree is not None
            and needs_scripts(listing.page)
        ):
            self.fetching.problem("needs_javascript")
        return listing

    def _tell(self, page: Page) -> None:
        """Language and zone, where the page has enough text; of a shell the titles of its list tell them."""
        tree: Any = page.tree
        self._tag = page.lang
        text = " ".join(" ".join(map(str, tree.itertext())).split()) if tree is not None else ""
        self._tell_by(text)

    def _tell_by(self, text: str) -> None:
        if self.found.language is None and units(text[:_LANGUAGE_CHARS]) >= _LEAST_CHARS:
            self.found.language = language(text[:_LANGUAGE_CHARS])
        zone = told_zone(urlsplit(self.home).hostname or "", self.found.language, self._tag)
        self.found.timezone = None if zone is None else zone.key

    # -- sitemaps and feeds

    def _places(self, paths: Sequence[str]) -> list[str]:
        return [urljoin(self.home, path) for path in paths]

    async def _sitemaps(self, urls: Sequence[str], *, named: bool) -> None:
        why = "robots.txt names it" if named else "at the usual place"
        # The file that was named, its depth below it, and the map to fetch.
        waiting = [(url, 0, url) for url in urls]
        found: dict[str, set[str]] = {}
        while waiting and self.fetching.maps < _MOST_SITEMAPS:
            top, depth, url = waiting.pop(0)
            answer = await self.fetching.get(url, guessed=not named, form="sitemap")
            if answer is None:
                continue
            self.fetching.maps += 1
            sitemap = parse_sitemap(answer.body, answer.url, depth=depth)
            if named and not (sitemap.entries or sitemap.children):
                self.fetching.problem("no_sitemap", answer.url)
            if sitemap.truncated:
                self.fetching.problem("sitemap_truncated", answer.url)
            if depth < MAX_DEPTH:
                waiting = [(top, depth + 1, one.url) for one in children(sitemap.children)[:20]] + waiting
            articles = article_entries(sitemap.entries, self.shapes.judge, lambda url: None)
            if own := self.own(entry.url for entry in articles):
                # News are in one file of their own, all articles in whatever the index names.
                if any(entry.title or entry.published_at for entry in sitemap.entries):
                    self._news.append(Entry(canonical_url(answer.url), own, f"{why}, news"))
                else:
                    found[top] = found.get(top, set()) | own
            if own or sitemap.children:
                self.seen.append(Seen("sitemap", answer, own))
            if own and not named:
                break
        self._maps += [Entry(canonical_url(top), frozenset(urls), why) for top, urls in found.items()]

    async def _feeds(self, urls: Sequence[str], *, declared: bool) -> None:
        for url in urls[: 2 * _MOST_FEEDS]:
            answer = await self.fetching.get(url, guessed=not declared, form="feed")
            if answer is None:
                continue
            entries = parse_feed(answer.body, answer.url)
            named = {entry.url for entry in entries}
            own = self.own(named)
            if not own or len(own) * 2 < len(named):
                if declared or named:
                    self.fetching.problem("no_feed" if not named else "feed_of_others", answer.url)
                continue
            for address in list(own)[:20]:
                self.shapes.observe(address, "article", 0.5)
            hubs = hubs_of_feed(answer.body, answer.url, _header(answer, "Link"))
            self.found.hubs += [hub for hub in hubs if hub not in self.found.hubs]
            why = ("declared" if declared else "at the usual place") + (", with a hub" if hubs else "")
            self._feed_entries.append(Entry(canonical_url(answer.url), own, why))
            self.seen.append(Seen("feed", answer, own))
            self._tell_by(" ".join(f"{entry.title} {entry.summary}" for entry in entries[:40]))
            if not declared:
                break

    # -- lists

    async def _onward(self, home: Listing) -> None:
        """The home page's own further pages, which a first visit goes through in any case: sections may repeat them."""
        listing: Listing | None = home
        if self.thorough or self.whole():
            return
        if home.next_url is None and home.links and home.page is not None:
            listing = await following(self, home)
            self._through |= self.named(listing) if listing is not None else frozenset()
            self._lists[:1] = [replace(one, goes_on=listing is not None) for one in self._lists[:1]]
        for _ in range(_MOST_TURNED):
            url = listing.next_url if listing is not None else None
            if url is None or self.fetching.spent or not self.runtime.usage.allows(url):
                self._ended = url is None and bool(self._through)
                return
            listing = await self.read(url)
            named = self.named(listing) if listing is not None else frozenset()
            if not named - self._through - self.named(home):
                self.turned.clear()  # its last page: the crawl need not ask for it again
                self._ended = listing is not None and bool(self._through)
                return
            self._through |= named
            self.turned = {canonical_url(url)}

    async def _goes_beyond(self) -> bool:
        """Whether sections lead further back than the home page, whose last page was seen: two are tried."""
        if self._beyond or not self._ended or self.whole():
            return self._beyond
        known = self._through | self.first.articles
        repeating = [one for one in self.listings[1:] if one.next_url and covers(known, self.named(one))]
        for one in repeating[:_MOST_BARREN]:
            if one.next_url and not self.fetching.spent and await self._adds(one.next_url, known):
                return True
        return False

    async def _sections(self, home: Listing, offered: Offers) -> None:
        """Sections until the budget's share is spent, or until a whole sitemap is seen to name all that they do."""
        if not home.links and not self._lists:
            await behind_scripts(self, home)
        waiting = list(offered.sections)
        budget = int(self.fetching.max_pages * _SECTION_SHARE)
        asked, barren, vain = set(waiting), 0, Counter[str]()
        deeper: list[str] = []  # below pages that are no lists: of categories, that repeat others, or of regions
        while waiting or (deeper and not self._leads_back()):
            if not waiting:
                waiting, deeper = deeper, []
            if self.found.fetched >= budget:
                self.fetching.problem("sections_left_out")
                self._leave_out((*waiting, *offered.doubtful), "a look at a site takes no more pages")
                break
            url = waiting.pop(0)
            known, whole = self.known, self.whole()
            if vain[shape(url)] >= _MOST_BARREN:
                continue  # threads of a forum, products: they look like sections, and none so far was a list
            read = await self.read(url)
            listing = self._note(read, "in the navigation")
            # A host of its own has a navigation of its own; elsewhere a section names the sections below it.
            inner = offers(read.page).sections if read is not None and read.page is not None else ()
            below = [one for one in inner if is_front(url) or is_front(one) or one.startswith(url.rstrip("/") + "/")]
            (deeper if listing is None else waiting).extend(one for one in below if one not in asked)
            asked.update(below)
            if listing is None or listing.page is None:
                vain[shape(url)] += 1
                continue
            named = whole or (self._through | self.first.articles if self._ended else frozenset())
            if not named:
                continue
            barren = 0 if self.named(listing) - known - named else barren + 1
            if barren == 1 and listing.next_url and await self._adds(listing.next_url, named):
                barren, self._beyond = 0, not whole
            if barren >= (_MOST_BARREN if whole else _MOST_REPEATED):
                source = "the sitemap names" if whole else "the home page and its further pages name"
                self._leave_out((*waiting, *deeper), f"{source} all that other sections do")
                break
        else:
            if not self.whole():
                await self._doubtful(offered.doubtful)
        await self._behind_lists(offered)

    async def _behind_lists(self, offered: Offers) -> None:
        """What follows the lists that were found, by scripts; lists by tag or author where there are no others."""
        side = offered.side_lists[:_MOST_SIDE]
        if not self._lists or all(not entry.articles for entry in self._lists):
            for url in side[:_MOST_TRIES]:
                await self._list(url, "a list by tag or author")
            side = side[_MOST_TRIES:]
        goes_on = any(entry.goes_on for entry in self._lists) or any(one.archives for one in self.listings)
        await load_more(self, endless=not goes_on)
        await self._by_tag(side)
        vain = _MOST_SHELLS if self._leads_back() else 0
        for shell in self._shells:
            if vain >= _MOST_SHELLS or self.fetching.spent:
                return
            vain += not await behind_scripts(self, shell)

    async def _by_tag(self, side: Sequence[str]) -> None:
        """Lists by tag or author, where nothing else leads back, until two in a row add nothing."""
        barren = 0
        for url in side if not self._leads_back() else ():
            known = self.known
            listing = await self._list(url, "a list by tag or author")
            barren = 0 if listing is not None and self.named(listing) - known else barren + 1
            if barren >= _MOST_BARREN:
                return

    def _leads_back(self) -> bool:
        """Whether anything leads to what is older than the lists show."""
        goes_on = any(entry.goes_on for entry in (*self._lists, *self.found.api))
        return bool(goes_on or self._maps or self.found.more or any(one.archives for one in self.listings))

    async def _doubtful(self, urls: Sequence[str]) -> None:
        """Sections that are called as pages are that list nothing, until two in a row add nothing indeed.

        First those below which articles lie that are known, then those at the site's top.
        """
        folders = {one.rpartition("/")[0] for one in self.known}
        holders = [url for url in urls if url.rstrip("/") in folders]
        urls = holders + [url for url in urls if url not in holders and urlsplit(url).path.strip("/").count("/") == 0]
        barren = 0
        for place, url in enumerate(urls):
            if barren >= _MOST_BARREN or self.fetching.spent:
                self._leave_out(urls[place:], "by its name no list of news")
                return
            known = self.known
            listing = await self._list(url, "in the navigation")
            barren = 0 if listing is not None and len(self.named(listing) - known) else barren + 1

    def _leave_out(self, urls: Iterable[str], why: str) -> None:
        self.found.left_out += [Entry(url, frozenset(), why) for url in urls]

    def whole(self) -> frozenset[str]:
        """What sitemaps of the whole site name, where they name all that the lists so far show; else nothing."""
        named = frozenset[str]().union(*(entry.articles for entry in self._maps))
        shown = frozenset[str]().union(*(entry.articles for entry in self._lists))
        return named if covers(named, shown) else frozenset()

    async def _adds(self, url: str, known: frozenset[str]) -> bool:
        """Whether the next page of a section names what the sitemap does not."""
        listing = await self.read(url)
        if listing is None or covers(known, self.named(listing)):
            return False
        self.turned.add(canonical_url(listing.url))
        return True

    async def _list(self, url: str, why: str) -> Listing | None:
        """A page that may be a list; what it names is noted where it is one."""
        return self._note(await self.read(url), why)

    async def _framed(self, home: Listing, offered: Offers) -> Offers:
        """What the home page offers together with the frames that it consists of, which are lists as it is."""
        for url in frames(home.page)[:_MOST_FRAMES] if home.page is not None and not home.links else ():
            listing = await self.read(url)
            self._note(listing, "a frame of the home page")
            if listing is not None and listing.page is not None:
                offered = offered.beside(offers(listing.page))
        return offered

    def _note(self, listing: Listing | None, why: str, *, is_home: bool = False) -> Listing | None:
        """Notes what a page names where it is a list, and returns it then."""
        if listing is None or self._is_walled(listing):
            return listing if is_home else None
        named = self.named(listing)
        if not is_home and self._is_twin(listing):
            self._leave_out([listing.url], "shows at addresses of its own what another list shows")
            return None
        told = kind(listing.page).name if listing.page is not None and listing.page.tree is not None else "list"
        # Teasers make a list look like an article; what goes on, or names several that are new, is a list all the same.
        plain = told not in ("article", "video") and not self._is_known(listing)
        lists = plain or listing.next_url or len(named - self.known) >= _LEAST_NEW
        if is_home or (named and lists):
            if listing.template and not self.found.article_url:
                self.found.article_url = listing.template
            remark = why + (", in its data" if listing.hidden and listing.hidden == len(listing.links) else "")
            if named or not is_home:
                # An e-paper's address leads to its newest day, another one tomorrow.
                stays = is_home and dated(listing.url) is not None
                address = self.home if stays else canonical_url(listing.url)
                on = listing.next_url
                entry = Entry(address, named, remark, goes_on=on is not None and self.runtime.usage.allows(on))
                self._lists.append(entry)
                self._titled |= {link.text: link.url for link in reversed(listing.links)} | self._titled
            self.listings.append(listing)
            return listing
        if len(listing.archives) >= _LEAST_DATA and not self._is_known(listing):
            self.listings.append(listing)  # an index of issues names no article itself
        elif not named and listing.page is not None and _is_shell(listing.page):
            self._shells.append(listing)
        return None

    def _is_twin(self, listing: Listing) -> bool:
        """Whether a list shows the articles of others below another folder: /sh/news/1.html beside /bj/news/1.html."""
        titled = [link for link in listing.links if units(link.text) >= _LEAST_TITLE]
        twins = sum(differ_in_a_folder(link.url, self._titled.get(link.text, "")) for link in titled)
        return twins >= _LEAST_TWINS and twins >= _MOSTLY * len(listing.links)

    async def read(self, url: str, *, again: bool = False) -> Listing | None:
        """What an address lists, None where it does not answer."""
        answer = await self.fetching.get(url, again=again)
        if answer is None:
            return None
        self._has_cookie = "Set-Cookie" in answer.headers
        listing = self.reading(answer)
        page, named = listing.page, self.named(listing)
        if url == self.home and not named:
            self.found.why = _why_home(page_of(answer, self.runtime.now()), answer.body)
        if (named or listing.archives) and not (self._is_known(listing) or self._is_twin(listing)):
            self.seen.append(Seen("list", answer, named))
        if named:
            self._tell_by(" ".join(link.text for link in listing.links))
            stated = page.lang if page is not None else ""
            self._languages |= {stated.replace("_", "-").partition("-")[0].strip().lower()} - {""}
        return listing

    def note_again(self, page: Page, why: str) -> None:
        """Notes what a page names by addresses that were unknown when it was read."""
        listing = self._listing(page, page.text.encode())
        if self.named(listing) - self.known:
            self._note(listing, why, is_home=True)

    def _is_known(self, listing: Listing) -> bool:
        """Whether another list names it as an article, and it lists nothing new: it is fetched as one."""
        known = self.known
        return bool(self.own([listing.url]) & known) and len(self.named(listing) - known) < _LEAST_NEW

    def reading(self, answer: Response) -> Listing:
        """What an answer lists."""
        return self._listing(page_of(answer, self.runtime.now()), answer.body)

    def _listing(self, page: Page, body: bytes) -> Listing:
        return read_listing(page, body, judge=self.shapes.judge, template=self.found.article_url, home=self.home)

    def _is_walled(self, listing: Listing) -> bool:
        page = listing.page
        if page is None or page.tree is None:
            return False
        wall = wall_in(page)
        if wall is not None:
            self.found.walls[page.url] = wall
            self.fetching.problem(f"wall_{wall}")
        return wall is not None

    def named(self, listing: Listing) -> frozenset[str]:
        """The site's own articles in a list; events, jobs and goods only where the home page has nothing else."""
        own = self.own(link.url for link in listing.links)
        return frozenset(url for url in own if not is_offer(url)) or (frozenset() if self._lists else own)

    async def _archives(self, offered: Offers) -> list[Entry]:
        """Date archives, where nothing else leads to what is older."""
        days = {one.url: one for one in offered.archives}
        days |= {one.url: one for listing in self.listings for one in listing.archives}
        if not days or self.whole() or any(entry.goes_on for entry in self._lists) or self.found.api or self.found.more:
            return []
        # Lists of the newest may name all that the newest days do: then the oldest tells.
        *newest, oldest = sorted(days.values(), key=lambda one: one.order, reverse=True)
        waiting = [*newest[: _MOST_TRIES - 1], oldest]
        for _ in range(2 * _MOST_TRIES):
            if not waiting:
                break
            day, *waiting = waiting
            known = self.known
            listing = await self.read(day.url)
            if listing is not None and (named := self.named(listing)) - known:
                holders = [one for one in self.listings if one.archives] or self.listings[:1]
                return [Entry(one.url, named, "leads to date archives") for one in holders[:_MOST_TRIES]]
            if listing is not None and not listing.links:
                # A year of months, or a month of days, which list what was published.
                waiting = [one for one in listing.archives if day.holds(one)][:_MOST_TRIES] + waiting
            elif listing is not None:
                # Sections may show all of the newest days, and a day lead to the one before alone.
                before = (one for one in listing.archives if one.order < day.order and one.url not in days)
                waiting += islice(before, 1)
        return []

    def own(self, urls: Iterable[str]) -> frozenset[str]:
        """Those of these addresses that are of the site."""
        own = set()
        for url in urls:
            try:
                address = canonical_url(url)
                if site(address) == site(self.home):
                    own.add(address)
            except RefusedError:
                continue
        return frozenset(own)

    async def page(self, url: str) -> Page | None:
        """The page of an address, None where there is none."""
        answer = await self.fetching.get(url)
        if answer is None:
            return None
        return page_of(answer, self.runtime.now())


def differ_in_a_folder(url: str, other: str) -> bool:
    """Whether two addresses of a host differ in the name of one folder alone."""
    there, here = urlsplit(url), urlsplit(other)
    pairs = [*zip(there.path.split("/"), here.path.split("/"), strict=False)]
    same = (there.netloc, there.query, there.path.count("/")) == (here.netloc, here.query, here.path.count("/"))
    return same and pairs[-1][0] == pairs[-1][1] and sum(a != b for a, b in pairs) == 1


def _is_shell(page: Page) -> bool:
    """Whether what a page without articles lists comes by its scripts: it is empty, or they ask for numbered pages."""
    return needs_scripts(page) or any(one.paged for one in fetches(page))


def _why_home(page: Page, body: bytes) -> tuple[str, str]:
    """Why the address that a look begins with lists no article, and what else there is to say of it."""
    if parse_feed(body, page.url):
        return "is_feed", ""
    if parse_sitemap(body, page.url).entries:
        return "is_sitemap", ""
    return ("not_html", "") if body.lstrip()[:1] in (b"{", b"[") else why_listless(page)


def _header(response: Response, name: str) -> str:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else ""
