"""Looks at candidates: does their site have entry pages, are there articles that belong, and do new ones come."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

from redis.exceptions import RedisError
from scrapy.crawler import Crawler

from articlebot.errors import ConfigError
from articlebot.extraction.cascade import extract
from articlebot.extraction.lists import article_links
from articlebot.extraction.model import Extracted
from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.extraction.urlshape import shape
from articlebot.looks.site_look import SiteLook
from articlebot.page import Page, page_of
from articlebot.page.feeds import parse_feed
from articlebot.page.sitemaps import parse_sitemap
from articlebot.relevance import Judge, load_topic
from articlebot.seeds import candidates
from articlebot.seeds.candidates import SAMPLE, Candidate, Entry, Look, State, decide, looked
from articlebot.seeds.jobblock import SiteSeeds
from articlebot.seeds.queue import PROBATION_SIZE
from articlebot.spiders.apart import ApartSpider
from articlebot.urls import page_key

logger = logging.getLogger(__name__)
_FIRST_PAGES = 12
_MOST_ENTRIES = 4
_LEAST_BODY = 200
_LEASE_S = 1800.0
# Seconds between two looks: four a day see what a site publishes in its morning and its evening.
LOOK_AGAIN_S = 21_600.0


class ProbationSpider(ApartSpider):
    """Takes candidates that are due, the best first, looks at each and decides; what it decided is in ``decided``.

    Args:
        most: candidates that are looked at.
        decided: a list that gets (candidate, state); those to promote are left to the caller, on probation.
    """

    name = "probation"
    judge: Judge | None = None

    def __init__(self, most: str = "20", decided: list[tuple[Candidate, State]] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not most.isdecimal() or int(most) < 1:
            raise ConfigError(f"-a most={most}: expected a number of candidates")
        self.most = int(most)
        self.decided: list[tuple[Candidate, State]] = [] if decided is None else decided

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        topic = spider.runtime.config.seeds.topic
        spider.judge = Judge(load_topic(topic)) if topic is not None else None
        return spider

    async def work(self) -> None:
        """All looks at once; a host gets one request at a time."""
        taken, lease = await self.runtime.candidates.take(
            self.most, self.runtime.now(), lease_s=_LEASE_S, room=PROBATION_SIZE
        )
        await asyncio.gather(*(self._one(candidate, lease) for candidate in taken))

    async def _one(self, candidate: Candidate, lease: str) -> None:
        try:
            look = await self._look(candidate)
        except Exception:
            # Whatever a site holds, the others are decided.
            logger.exception("The look at %s broke off: it is looked at again when its lease has ended", candidate.key)
            return
        after = looked(candidate, look, self.runtime.now())
        state, reason = decide(after)
        after = after.because(reason)
        at = self.runtime.now()
        stored: State = state
        if state != "dropped":  # who promotes is the command, which writes the job first
            stored, at = "probation", at + (LOOK_AGAIN_S if state == "probation" else 0.0)
        try:
            if not await self.runtime.candidates.settle(after, stored, at, lease):
                logger.info("%s is with another worker by now", candidate.key)
                return
        except RedisError as error:
            logger.warning("%s is looked at again when its lease has ended: %s", candidate.key, error)
            return
        logger.info("%s: %s: %s", candidate.key, state, reason)
        self.decided.append((after, state))

    async def _look(self, candidate: Candidate) -> Look:
        budget = max(SAMPLE + 1, candidates.BUDGET - candidate.fetched)
        look = SiteLook(self.crawler, candidate.url, min(budget, _FIRST_PAGES), thorough=False)
        if candidate.looks and candidate.entries:
            entries, named = await self._again(look, candidate.entries)
        elif candidate.kind == "list":
            entries, named = await self._again(look, (Entry("list", candidate.url, 0),))
        else:
            await look.run()
            entries, named = _entries(look.found)
        likes = {url: like for url in named if (like := _like(url)) not in candidate.barren}
        named, minor = [*likes], {like for like, number in Counter(likes.values()).items() if 2 * number < len(likes)}
        if candidate.kind == "list":
            named = await self._unknown(named)
        before = set(candidate.known)
        fresh = [url for url in named if f"{page_key(url):016x}" not in before]
        look.fetching.max_pages = look.found.fetched + SAMPLE
        # Spread over all that is named: the first by their addresses are of one section, all documents, or of /ads/.
        step = max(1, len(fresh) // SAMPLE)
        read, articles, relevant, barren = await self._sample(look, fresh[step // 2 :: step][:SAMPLE], minor)
        return Look(
            look.found.fetched, read, articles, relevant, entries, tuple(f"{page_key(url):016x}" for url in named),
            look.found.language, look.found.problems, barren,
        )  # fmt: skip

    async def _again(self, look: SiteLook, entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], list[str]]:
        """The entry pages once more, with the articles that they name now; one that cannot be had keeps its place."""
        found, named = [], set[str]()
        for entry in entries[:_MOST_ENTRIES]:
            answer = await look.fetching.get(entry.url, form=entry.form)
            urls: Iterable[str] = ()
            if answer is not None and entry.form == "feed":
                urls = [one.url for one in parse_feed(answer.body, answer.url)]
            elif answer is not None and entry.form == "sitemap":
                urls = [one.url for one in parse_sitemap(answer.body, answer.url).entries]
            elif answer is not None:
                urls = [link.url for link in article_links(page_of(answer, self.runtime.now()))]
            own = look.own(urls)
            named |= own
            found.append(Entry(entry.form, entry.url, len(own) if answer is not None else entry.articles))
        kept = tuple(entry for entry in found if entry.articles)
        return kept + tuple(entries[_MOST_ENTRIES:]), sorted(named)

    async def _unknown(self, urls: list[str]) -> list[str]:
        """Those that no job has visited: a list page that names what is known already is worth nothing."""
        records = await self.runtime.pages.get([page_key(url) for url in urls])
        return [url for url, record in zip(urls, records, strict=True) if record is None]

    async def _sample(self, look: SiteLook, urls: list[str], minor: set[str]) -> tuple[int, int, int, tuple[str, ...]]:
        """How many of these pages were read, are articles, and belong to the topic; and the shapes of the others.

        Where a shape has less than half of what is named, a page of it tells of its likes: adverts have other addresses
        at each look, and may be all that is new.
        """
        read = articles = relevant = 0
        barren: list[str] = []
        for url in urls:
            like = _like(url)
            page = await look.page(url) if like not in barren else None
            if page is None:
                continue
            read += 1
            found = _article(page)
            if found is not None:
                articles += 1
                judge = self.judge
                relevant += judge is None or judge.relevance(found.title, found.body) >= judge.threshold
            elif like in minor:
                barren.append(like)
        return read, articles, relevant, tuple(barren)


def _like(url: str) -> str:
    """The shape of an address, whatever its host."""
    return shape(url).partition("/")[2]


def _article(page: Page) -> Extracted | None:
    """What a page has as an article; None where it is none."""
    found = extract(page)
    return found if found.kind in ARTICLE_KINDS and len(found.body) >= _LEAST_BODY else None


def _entries(found: SiteSeeds) -> tuple[tuple[Entry, ...], list[str]]:
    """A site's entry pages, those first that are cheapest to look at again, and what they name."""
    entries = [
        *(Entry("feed", one.url, len(one.articles)) for one in found.feeds),
        *(Entry("list", one.url, len(one.articles)) for one in (*found.list_pages, *found.api)),
        *(Entry("sitemap", one.url, len(one.articles)) for one in found.sitemaps),
    ]
    named = {url for one in (*found.feeds, *found.list_pages, *found.api, *found.sitemaps) for url in one.articles}
    return tuple(entries), sorted(named)
