"""Pages that a sitemap alone names, of which a look reads some: whether they are there, and tell their days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import Response

from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.dates import read_beside
from articlebot.extraction.fields.lead import stated_leads
from articlebot.extraction.gone import says_gone
from articlebot.jobs.backfill import Bounds
from articlebot.page import Page, page_of
from articlebot.page.metadata import language_of
from articlebot.runtime.fetched import is_doubtful
from articlebot.seeds.jobblock import Entry
from articlebot.sources import Listing
from articlebot.urls import is_front

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Pages of one map that are read, so many more where one of them is gone, and gone ones that are enough; maps of which
# some are.
_SAMPLE, _MORE, _ENOUGH, _MOST_MAPS = 2, 3, 3, 3
# Entries with days that make a list one that tells them, of so many that are looked at.
_LEAST_TOLD, _LOOKED_AT = 3, 8


class MapSamples:
    """What some of the pages say that only sitemaps name. The crawl need not ask for these again.

    Attributes:
        stale: maps that name many pages which are gone: they do not stand for the site's lists.
        pictures: which pictures each of the pages states for itself.
        dated: whether the site's articles tell their days by themselves.
    """

    def __init__(self, look: SiteLook) -> None:
        self._look = look
        self.stale, self.pictures = list[Entry](), list[set[str]]()
        self._there, self._alive = list[Response](), set[str]()
        self._dayless = self.dated = False
        self._read_listings = 0

    async def read(self) -> None:
        """Reads some pages of each map that neither feeds nor the home page name, and sets stale maps apart.

        Of a job that asks for so many days nothing is read, for a page may be older.
        """
        look, job = self._look, self._look.fetching.job
        if job is not None and Bounds.of(job.backfill).days is not None:
            return
        for entry in look.stated.maps[:_MOST_MAPS]:
            others = (*look.stated.feeds, *look.stated.news, *look.lists)
            alone = sorted(entry.articles.difference(*(one.articles for one in others)))
            gone, asked = 0, 0
            some = alone[:: max(1, len(alone) // (_SAMPLE + _MORE))][: _SAMPLE + _MORE]
            # What is gone mostly lies in another folder, first or last among them.
            for place, url in enumerate(some[:1] + some[:0:-1]):
                if (place >= _SAMPLE and not gone) or gone == _ENOUGH:
                    break
                is_gone = await self._is_gone(url)
                asked += is_gone is not None
                gone += bool(is_gone)
            if gone * 2 >= asked > 1:
                self.stale.append(entry)
        look.stated.maps = [one for one in look.stated.maps if one not in self.stale]

    async def _is_gone(self, url: str) -> bool | None:
        """Whether a page is not there any more; None where it does not come for another reason."""
        look = self._look
        answer = await look.fetching.get(url, guessed=True)
        if answer is None:
            return url in look.fetching.gone or None
        page = page_of(answer, look.runtime.now())
        if is_front(page.url) or says_gone(page):
            return True
        self._there.append(answer)
        self.pictures.append({lead.image.url for lead in stated_leads(page)})
        self._alive.add(url)
        return False

    def settle(self) -> None:
        """Stale maps are taken all the same where nothing else names what is there of them, or leads further back."""
        look, stale = self._look, self.stale
        named = frozenset[str]().union(*(one.articles for one in stale))
        is_listed = bool(look.known) and self._alive & named <= look.known
        if not (is_listed or look.leads_back()):
            look.stated.maps += stale
            return
        look.found.leave_out([one.url for one in stale], "many pages that it names are not there")
        look.seen = [one for one in look.seen if one.form != "sitemap" or not one.articles or one.articles - named]

    def only_listed(self) -> bool:
        """Whether lists tell the days of articles whose own pages do not."""
        while self._there and self._read_listings < len(self._look.listings):
            self._read_listings += 1
            if _days_told(self._look.listings[self._read_listings - 1]) >= _LEAST_TOLD:
                pages = [page_of(answer, self._look.runtime.now()) for answer in self._there]
                self._there = []
                self._dayless = all(is_doubtful(extract(page)) for page in pages)
        return self._dayless

    async def compare_days(self) -> None:
        """Notes whether the articles of a list that tells the day of each tell it by themselves: two are read.

        Where an API has the lists, it may have the articles, and their pages tell nothing by themselves.
        """
        look, pages = self._look, list[Page]()
        if look.found.api or look.found.article_url:
            return
        listing = next((one for one in look.listings if _days_told(one) == _LOOKED_AT), None)
        for url in sorted(look.own(link.url for link in listing.links[:_LOOKED_AT])) if listing is not None else ():
            # None where it was asked for before, too.
            if len(pages) < _SAMPLE and (answer := await look.fetching.get(url)) is not None:
                pages.append(page_of(answer, look.runtime.now()))
        self.dated = len(pages) == _SAMPLE and not any(is_doubtful(extract(page)) for page in pages)


def _days_told(listing: Listing) -> int:
    """Of how many of its first links a list tells the day."""
    page, told = listing.page, 0
    spoken = language_of(page) if page is not None else None
    for link in listing.links[:_LOOKED_AT]:
        beside = page is not None and read_beside(link.context, link.text, page, spoken) is not None
        told += beside or bool(listing.published.get(link.url))
    return told
