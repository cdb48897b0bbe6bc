"""The sections that a look at a site may still ask, in the order of what they promise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articlebot.extraction.kinds import kind
from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.extraction.urlshape import shape
from articlebot.looks.look_tags import led_beside, led_to
from articlebot.looks.scripted import is_filled
from articlebot.looks.seen import is_before
from articlebot.seeds.jobblock import Entry, covers
from articlebot.seeds.offers import Offers, offers
from articlebot.seeds.plans import plans
from articlebot.sources import Listing
from articlebot.urls import is_front

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Sections in a row that add nothing to what a sitemap of the whole site names: then the others do neither.
MOST_BARREN = 2
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


class Waiting:
    """Sections that wait, and what those that were asked lead to.

    Args:
        look: at the site.
        home: what its home page lists.
        offered: by the home page.
        taken: addresses that were asked before.

    Attributes:
        sections: to be asked, the next one first.
        deeper: below pages that are no lists: of categories, that repeat others, or of regions.
        offered: by the home page and by the pages behind one before the site.
        asked: all addresses that wait or waited.
    """

    def __init__(self, look: SiteLook, home: Listing, offered: Offers, taken: Collection[str]) -> None:
        self._look, self.offered, self.asked = look, offered, {*offered.sections}
        self.sections = [url for url in offered.sections if url not in taken]
        self.sections.sort(key=lambda url: not self._holds(url))
        self.deeper: list[str] = []
        self._plan = plans(home.page)[:1] if home.page is not None else []
        self._planned, self._doors = frozenset(self._plan), {*offered.sections} if is_before(home) else set[str]()
        # In a row: sections with nothing new, and with next to nothing. Pages that are no lists, by shape.
        self._idle, self._thin, self._vain = 0, 0, Counter[str]()
        # Of pages that are no lists: what they lead to and was looked at, and what was not.
        self._spared: list[tuple[list[str], list[str]]] = []

    def pop(self) -> str | None:
        """The section to be asked next, which waits no longer; None when there are no more."""
        self.sections = self.sections or self._others()
        return self.sections.pop(0) if self.sections else None

    async def is_vain(self, url: str) -> bool:
        """Whether it looks as others did that are no lists (threads of a forum, products), or is a part of a list."""
        form = shape(url)
        self._vain[form] -= _MOST_FILLED * (self._vain[form] == MOST_BARREN and await is_filled(self._look, form))
        return self._vain[form] >= MOST_BARREN or self._is_part(url)

    async def ask(self, url: str, known: AbstractSet[str]) -> Listing | None:
        """Reads a section and queues what it leads to; None where it is no list.

        Args:
            url: of the section.
            known: the articles that the look has found so far.
        """
        look, is_plan, leads = self._look, url in self._planned, url in self._planned | self._doors
        read = await look.read(url)
        listing = None if is_plan else look.note(read, "in the navigation")
        look.listings += [read] if is_plan and read is not None and read.archives else []
        self.offered = await self._behind(read) if url in self._doors else self.offered
        led = [one for one in led_to(read) if one not in self.asked and look.own([one])]
        below = [one for one in led if _is_below(url, one, read, is_list=listing is not None, leads=leads)]
        articles = look.known  # a headline of few words looks like a section: its fetch would be made twice
        for one in below:
            (self.deeper if (listing is None and not leads) or one in articles else self.sections).append(one)
        self.deeper += self._beside(listing, below, led)
        self.asked.update(below, self.deeper)
        new = look.named(listing) - known if listing is not None else frozenset()
        goes_on = listing is not None and bool(listing.next_url)
        self._idle = 0 if new else self._idle + 1
        self._thin = 0 if below or len(new) > 1 or goes_on else self._thin + 2 - len(new)
        self._spare()
        if listing is None or listing.page is None:
            self._vain[shape(url)] += not below
            return None
        return listing

    async def _behind(self, read: Listing | None) -> Offers:
        """What is offered together with a page behind the one before the site; its feeds are read."""
        if read is None or read.page is None:
            return self.offered
        inner = offers(read.page)
        await self._look.stated.read_feeds(inner.feeds, declared=True)
        return self.offered.beside(inner)

    def _others(self) -> list[str]:
        """What is gone through behind the navigation, which is taken out of these.

        What lies deeper, where nothing leads back; the site's plan there, too, and where the navigation may leave
        sections out: it has few, and no sitemap names what they list. At last what stands beside others that have led
        to lists, as a university's departments do, each of which has news of its own.
        """
        look = self._look
        if self.deeper and not look.leads_back():
            some = self.deeper
        elif (len(look.lists) < _FEW_LISTS or not look.leads_back()) and not look.whole():
            some = self._plan
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

    def _spare(self) -> None:
        """Leaves out the sections to be asked, after so many in a row with nothing new, or next to nothing.

        That is where one list has all news, or where many are left and lists that go on lead to it.
        """
        going = [one for one in self._look.lists[1:] if one.goes_on]
        has_all = self._idle == MOST_BARREN and any(self._holds(one.url) for one in going)
        if not has_all and not (self._thin >= _MOST_THIN and len(self.sections) > _CLOUD and self._are_shown(going)):
            return
        holders = {one.rpartition("/")[0] for one in self._look.known}
        kept = [one for one in self.sections if _TELLS.search(urlsplit(one).path) or one.rstrip("/") in holders]
        rest = [one for one in (*self.sections, *self.deeper) if one not in kept]
        self._look.found.leave_out(rest, "lists that go on have all that the home page names")
        self.sections, self.deeper = kept, []

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


def _is_below(url: str, one: str, read: Listing | None, *, is_list: bool, leads: bool) -> bool:
    """Whether a section that a page leads to is of its own: any of a plan, behind a page before the site, or a front.

    Elsewhere it lies below the page, or its address tells it as the page's does: /list/1-0.html, /list/1-2.html.
    """
    if leads or is_front(url) or is_front(one) or one.startswith(url.rstrip("/") + "/"):
        return True
    alike = not is_list and read is not None and read.page is not None and kind(read.page).name not in ARTICLE_KINDS
    return alike and "<" in shape(url) and shape(one) == shape(url)
