"""Keeps what jobs have learned of their URLs from one crawl to the next."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from scrapy import signals

from articlebot.errors import StateError, StoreUnavailable
from articlebot.extraction.urlshape import Shapes
from articlebot.jobs.book import Changes, JobBook, jobs_changed
from articlebot.recrawl.learned import RedisLearned
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from articlebot.jobs import Job

logger = logging.getLogger(__name__)
_PART = "shapes"


class ShapesExtension:
    """Reads the URL shapes of the crawl's jobs at its start and writes those that have changed at its end.

    Two workers that end write one after the other: a shape's counts are a sample, and either sample serves.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._runtime = Runtime.of(crawler)
        self._store = RedisLearned(self._runtime.clients.of("recrawl"), self._runtime.config.general.key_prefix)
        self._names: set[str] = set()
        self._read: dict[str, str] = {}
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.jobs_changed, jobs_changed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def spider_opened(self, spider: Spider) -> None:
        """What an older version or a damaged record cannot tell is learned anew."""
        book = getattr(spider, "book", None)
        await self._begin(book if isinstance(book, JobBook) else ())

    async def jobs_changed(self, changes: Changes) -> None:
        """Reads what is known of jobs that begin."""
        await self._begin(changes.begun)

    async def _begin(self, jobs: Iterable[Job]) -> None:
        names = {job.name for job in jobs} - self._names
        self._names |= names
        for name in sorted(names):
            try:
                if kept := await self._store.read(_PART, name):
                    self._read[name] = self._runtime.reader.resume(name, Shapes.from_json(json.dumps(kept))).to_json()
            except (StateError, StoreUnavailable) as error:
                logger.warning("The URL shapes of %s are learned anew: %s", name, error)

    async def spider_closed(self) -> None:
        """Writes what was learned."""
        with self._runtime.aside("shapes"):
            await self._write()

    async def _write(self) -> None:
        shapes = {name: self._runtime.reader.shapes(name) for name in self._names}
        changed = {
            name: json.loads(text)
            for name, found in shapes.items()
            if found.counts and (text := found.to_json()) != self._read.get(name)
        }
        try:
            await self._store.write(_PART, changed)
        except StoreUnavailable as error:
            logger.warning("The URL shapes learned in this crawl are lost: %s", error)
