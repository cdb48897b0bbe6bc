"""Shares what jobs have learned of their URLs, among workers and from one crawl to the next."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable

from scrapy import Spider
from scrapy.crawler import Crawler

from articlebot.errors import StateError, StoreUnavailable
from articlebot.extraction.shapes import Shapes, merge
from articlebot.jobs import Job
from articlebot.jobs.book import Changes, followed_by
from articlebot.recrawl.learned import RedisLearned
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
_PART = "shapes"
# Two workers of a job know the same after so long.
_EVERY_S = 30.0


class ShapesExtension(Component):
    """Reads the URL shapes of the crawl's jobs at its start; adds what it learns to what others have, again and again.

    Of two workers that write in the same millisecond, one's counts of half a minute may be lost: they are a sample.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._store = RedisLearned(self._runtime.clients.of("recrawl"), self._runtime.config.general.key_prefix)
        self._names: set[str] = set()

    async def spider_opened(self, spider: Spider) -> None:
        """What an older version or a damaged record cannot tell is learned anew."""
        await self._begin(followed_by(spider) or ())
        self._repeat(self._share, _EVERY_S)

    async def jobs_changed(self, changes: Changes) -> None:
        """Reads what is known of jobs that begin."""
        await self._begin(changes.begun)

    async def _begin(self, jobs: Iterable[Job]) -> None:
        names = {job.name for job in jobs} - self._names
        self._names |= names
        for name in sorted(names):
            try:
                self._runtime.reader.shapes(name).add((await self._read(name)).counts)
            except StoreUnavailable as error:
                logger.warning("The URL shapes of %s are learned anew: %s", name, error)

    async def _read(self, name: str) -> Shapes:
        try:
            kept = await self._store.read(_PART, name)
            return Shapes.from_json(json.dumps(kept)) if kept else Shapes()
        except StateError as error:
            logger.warning("The URL shapes of %s are learned anew: %s", name, error)
            return Shapes()

    async def spider_closed(self) -> None:
        """Writes what was learned."""
        self._stop()
        await self._share()

    async def _share(self) -> None:
        with self._runtime.aside("shapes"):
            for name in self._runtime.reader.fresh_shapes:
                await self._add(name)

    async def _add(self, name: str) -> None:
        """Adds what is fresh to what the store has, and goes on with both."""
        known = self._runtime.reader.shapes(name)
        told, known.fresh = known.fresh, {}  # what is seen while this is written is told the next time
        try:
            kept = await self._read(name)
            kept.add(told)
            await self._store.write(_PART, {name: json.loads(kept.to_json())})
        except StoreUnavailable:
            merge(known.fresh, told)
            raise
        known.counts = kept.counts
        known.add(known.fresh)
