"""The sections of a site, as a look goes through them: the home page's further pages, navigation, tags, scripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articlebot.extraction.kinds import kind
from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.extraction.urlshape import shape
from articlebot.looks.look_tags import behind_lists, led_beside, led_to
from articlebot.looks.scripted import behind_scripts, following, is_filled
from articlebot.looks.seen import is_before
from articlebot.seeds.jobblock import Entry, covers
from articlebot.seeds.offers import Offers, is_archive, offers
from articlebot.seeds.plans import plans
from articlebot.sources import Listing
from articlebot.sources.choices import frames, menus_apart
from articlebot.sources.counting import page_behind
from articlebot.urls import canonical_url, is_front

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

_SECTION_SHARE = 0.7  # of the budget, what sections may take
# Sections in a row that add nothing to what a sitemap of the whole site names: then the others do neither.
_MOST_BARREN = 2
# The same where the home page was turned to its end, which says less: it may leave sections out.
_MOST_REPEATED = 3
# Frames that a home page consists of; its further pages that are turned before its sections, which often repeat them.
_MOST_FRAMES, _MOST_TURNED = 4, 6
_FEW_LISTS = 4  # of a site whose navigation says little: it has a page that lists the others
# Sections in a row that end at once with one new article, or half as many with none, where lists that go on name all
# that the home page does: tags, whose articles those lead to. A site of few sections is asked for all.
_MOST_THIN, _CLOUD = 4, 12
# Sections of a shape that are looked at though they are empty, where one's scripts have led to a list.
_MOST_FILLED = 14
# Articles of a home page that lie below one of its sections; what others are called that may tell news beside it.
_LEAST_BELOW, _MOSTLY, _ENDING = 3, 0.75, re.compile(r"\.\w{2,5}\Z")
_TELLS = re.compile(
    r"news|blog|press|prensa|stampa|imprensa|aktuel|actual|attual|noti[cz]|nachricht|meldung|mitteilung|communi|comuni|"
    r"magazin|journal|stor(?:y|ies)|arti[ckg]|opini|feature|releas|announc|nyhe|nieuws|wiadomo|xinwen|dongtai|zixun|"
    r"gonggao", re.I
)  # fmt: skip


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
        # Of pages that are no lists: what they lead to and was looked at, and what was not.
        self._spared: list[tuple[list[str], list[str]]] = []

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
        for one in repeating[: max(0, _MOST_BARREN - self._tried)]:
            if one.next_url and not look.fetching.spent and await self._adds(one.next_url, known):
                return True
        return False

    async def go_through(self, home: Listing, offered: Offers) -> None:
        """Sections until the budget's share is spent, or until a whole sitemap is seen to name all that they do."""
        look = self._look
        if not home.links and not look.lists:
            await behind_scripts(look, home)
        waiting = [url for url in offered.sections if url not in self._asked]
        waiting.sort(key=lambda url: not self._holds(url))
        asked, barren, idle, thin, vain = {*offered.sections}, 0, 0, 0, Counter[str]()
        deeper: list[str] = []  # below pages that are no lists: of categories, that repeat others, or of regions
        plan = plans(home.page)[:1] if home.page is not None else []
        planned, doors = frozenset(plan), {*offered.sections} if is_before(home) else set[str]()
        while waiting or (waiting := self._others(deeper, plan)):
            if look.found.fetched >= int(look.fetching.max_pages * _SECTION_SHARE):
                look.fetching.problem("sections_left_out")
                look.found.leave_out((*waiting, *offered.doubtful), "a look at a site takes no more pages")
                break
            url = waiting.pop(0)
            known, whole, form = look.known, look.whole(), shape(url)
            vain[form] -= _MOST_FILLED * (vain[form] == _MOST_BARREN and await is_filled(look, form))
            if vain[form] >= _MOST_BARREN or self._is_part(url):
                continue  # threads of a forum, products: they look like sections, and none so far was a list
            read, is_plan, leads = await look.read(url), url in planned, url in planned | doors
            listing = None if is_plan else look.note(read, "in the navigation")
            look.listings += [read] if is_plan and read is not None and read.archives else []
            offered = await self._behind(read, offered) if url in doors else offered
            led = [one for one in led_to(read) if one not in asked and look.own([one])]
            below = [one for one in led if _is_below(url, one, read, is_list=listing is not None, leads=leads)]
            articles = look.known  # a headline of few words looks like a section: its fetch would be made twice
            for one in below:
                (deeper if (listing is None and not leads) or one in articles else waiting).append(one)
            deeper += self._beside(listing, below, led)
            asked.update(below, deeper)
            new = look.named(listing) - known if listing is not None else frozenset()
            idle = 0 if new else idle + 1
            thin = 0 if below or len(new) > 1 or (listing is not None and listing.next_url) else thin + 2 - len(new)
            waiting, deeper = self._worth(waiting, deeper, idle, thin)
            if listing is None or listing.page is None:
                vain[form] += not below
                continue
            named = whole or (self.through | look.first.articles if self.ended else frozenset())
            if not named:
                continue
            barren = 0 if new - named else barren + 1
            if barren == 1 and listing.next_url and await self._adds(listing.next_url, named):
                barren, self._beyond = 0, not whole
            if barren >= (_MOST_BARREN if whole else _MOST_REPEATED):
                why = "the sitemap names all of it" if whole else "the home page and its further pages name all of it"
                look.found.leave_out((*waiting, *deeper), why)
                break
        else:
            if not look.whole():
                await self._doubtful(offered.doubtful)
        await behind_lists(look, offered, asked)

    async def _behind(self, read: Listing | None, offered: Offers) -> Offers:
        """What is offered together with a page behind the one before the site; its feeds are read."""
        if read is None or read.page is None:
            return offered
        inner = offers(read.page)
        await self._look.stated.read_feeds(inner.feeds, declared=True)
        return offered.beside(inner)

    def _others(self, deeper: list[str], plan: list[str]) -> list[str]:
        """What is gone through behind the navigation, which is taken out of these.

        What lies deeper, where nothing leads back; the site's plan there, too, and where the navigation may leave
        sections out: it has few, and no sitemap names what they list. At last what stands beside others that have led
        to lists, as a university's departments do, each of which has news of its own.
        """
        look = self._look
        if deeper and not look.leads_back():
            some = deeper
        elif (len(look.lists) < _FEW_LISTS or not look.leads_back()) and not look.whole():
            some = plan
        else:
            some = []
        if not some and not look.whole():
            some = next((rest for firsts, rest in self._spared if rest and self._have_led(firsts)), [])
        taken = some.copy()
        some.clear()
        return taken

    def _beside(self, listing: Listing | None, below: Sequence[str], led: Sequence[str]) -> list[str]:
        """The first of what a page leads to besides its own sections; of one that is no list the others are kept."""
        first = led_beside(listing, below, led)
        if listing is None:
            self._spared.append((first, [one for one in led if one not in (*below, *first)]))
        return first

    def _have_led(self, urls: Sequence[str]) -> bool:
        """Whether below some pages lists were found that show what the home page does not."""
        folders, own = tuple(one.rstrip("/") + "/" for one in urls), self._look.first.articles
        return any(f"{one.url}/".startswith(folders) and one.articles - own for one in self._look.lists[1:])

    def _worth(self, waiting: list[str], deeper: list[str], idle: int, thin: int) -> tuple[list[str], list[str]]:
        """The sections still to be asked after so many in a row with nothing new, or next to nothing.

        The others are left out where one list has all news, or where many are left and lists that go on lead to it.
        """
        going = [one for one in self._look.lists[1:] if one.goes_on]
        has_all = idle == _MOST_BARREN and any(self._holds(one.url) for one in going)
        if not has_all and not (thin >= _MOST_THIN and len(waiting) > _CLOUD and self._are_shown(going)):
            return waiting, deeper
        holders = {one.rpartition("/")[0] for one in self._look.known}
        kept = [one for one in waiting if _TELLS.search(urlsplit(one).path) or one.rstrip("/") in holders]
        rest = [one for one in (*waiting, *deeper) if one not in kept]
        self._look.found.leave_out(rest, "lists that go on have all that the home page names")
        return kept, []

    def _are_shown(self, going: Sequence[Entry]) -> bool:
        """Whether some lists name what the home page does."""
        return covers(frozenset[str]().union(*(one.articles for one in going)), self._look.first.articles)

    def _holds(self, url: str) -> bool:
        """Whether what the home page names lies below a section, as below /news/ of a firm or a town hall."""
        folder, own = _ENDING.sub("", url).rstrip("/") + "/", self._look.first.articles
        below = sum(one.startswith(folder) for one in own)
        return below >= max(_LEAST_BELOW, _MOSTLY * len(own)) and not is_front(url)

    def _is_part(self, url: str) -> bool:
        """Whether an address asks for a part of a list that goes on by itself, as /news?topic=health does."""
        bare, asks, _ = url.partition("?")
        return bool(asks) and not is_front(bare) and any(one.goes_on and one.url == bare for one in self._look.lists)

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
            if barren >= _MOST_BARREN or look.fetching.spent:
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


def _is_below(url: str, one: str, read: Listing | None, *, is_list: bool, leads: bool) -> bool:
    """Whether a section that a page leads to is of its own: any of a plan, behind a page before the site, or a front.

    Elsewhere it lies below the page, or its address tells it as the page's does: /list/1-0.html, /list/1-2.html.
    """
    if leads or is_front(url) or is_front(one) or one.startswith(url.rstrip("/") + "/"):
        return True
    alike = not is_list and read is not None and read.page is not None and kind(read.page).name not in ARTICLE_KINDS
    return alike and "<" in shape(url) and shape(one) == shape(url)
