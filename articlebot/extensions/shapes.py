"""Shares what jobs have learned of their URLs, among workers and from one crawl to the next."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence

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
        names = sorted({job.name for job in jobs} - self._names)
        self._names.update(names)
        try:
            for name, shapes in (await self._read(names)).items():
                self._runtime.reader.shapes(name).add(shapes.counts)
        except StoreUnavailable as error:
            logger.warning("The URL shapes of %d jobs are learned anew: %s", len(names), error)

    async def _read(self, names: Sequence[str]) -> dict[str, Shapes]:
        found = {}
        for name, kept in zip(names, await self._store.read_many(_PART, names), strict=True):
            try:
                if isinstance(kept, StateError):
                    raise kept
                found[name] = Shapes.from_json(json.dumps(kept)) if kept else Shapes()
            except StateError as error:
                logger.warning("The URL shapes of %s are learned anew: %s", name, error)
                found[name] = Shapes()
        return found

    async def spider_closed(self) -> None:
        """Writes what was learned."""
        self._stop()
        await self._share()

    async def _share(self) -> None:
        """Adds what is fresh to what the store has, and goes on with both."""
        with self._runtime.aside("shapes"):
            told = {}
            for name in self._runtime.reader.fresh_shapes:
                shapes = self._runtime.reader.shapes(name)
                told[name], shapes.fresh = shapes.fresh, {}  # what is seen while this is written is told the next time
            try:
                kept = await self._read(list(told))
                for name, fresh in told.items():
                    kept[name].add(fresh)
                await self._store.write(_PART, {name: json.loads(one.to_json()) for name, one in kept.items()})
            except StoreUnavailable:
                for name, fresh in told.items():
                    merge(self._runtime.reader.shapes(name).fresh, fresh)
                raise
            for name, one in kept.items():
                shapes = self._runtime.reader.shapes(name)
                shapes.counts = one.counts
                shapes.add(shapes.fresh)
