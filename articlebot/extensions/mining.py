"""Notes which sites and list pages the crawled pages link to, for `scrapy seeds mine`."""

from __future__ import annotations

import logging

from redis.exceptions import RedisError
from scrapy import Spider
from scrapy.crawler import Crawler

from articlebot.errors import Off
from articlebot.jobs.book import JobBook, followed_by
from articlebot.runtime.component import Component
from articlebot.urls import site

logger = logging.getLogger(__name__)
_EVERY_S = 2.0


class MiningExtension(Component):
    """Collects candidates out of each page that is read, and sends them together every two seconds.

    While Redis is away they are kept, up to a bound: a page lost to mining is named by another one.

    Raises:
        Off: switched off.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        miner = self._runtime.miner
        if miner is None:
            raise Off("ARTICLEBOT_SEEDS_MINE is off")
        self._miner = miner

    def spider_opened(self, spider: Spider) -> None:
        """Begins with a spider that has jobs."""
        book = followed_by(spider)
        if book is None:
            return
        self._miner.leave_out(_owned(book))
        self._repeat(self._tend, _EVERY_S)

    def jobs_changed(self) -> None:
        """Sites of new jobs are no candidates, those of former ones may be."""
        if self._repeats:
            self._miner.leave_out(_owned(self._crawler.spider.book))  # type: ignore[union-attr]

    async def spider_closed(self) -> None:
        """Sends what is left."""
        if self._stop():
            await self._tend()

    async def _tend(self) -> None:
        with self._runtime.aside("mining"):
            await self._send()

    async def _send(self) -> None:
        offers = self._miner.take()
        if not offers:
            return
        try:
            new, raised = await self._runtime.candidates.offer(offers, self._runtime.now())
        except RedisError as error:
            logger.debug("Candidates wait for Redis: %s", error)
            self._miner.put_back(offers)
            return
        self._runtime.count("mining/new", new)
        self._runtime.count("mining/raised", raised)


def _owned(book: JobBook) -> frozenset[str]:
    sites = {site(url) for job in book for url in job.addresses}
    return frozenset(sites.union(*(job.allowed_domains for job in book)))
