"""scrapy-redis' shared statistics, without a round trip for each count; to be switched on as STATS_CLASS."""

from __future__ import annotations

import logging
from typing import Any

from redis.exceptions import RedisError
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.defer import deferred_from_coro
from scrapy_redis import defaults
from twisted.internet.task import LoopingCall

from articlebot.outage import Outage
from articlebot.runtime import Runtime

logger = logging.getLogger(__name__)
_EVERY_S = 5.0


class SharedStatsCollector(MemoryStatsCollector):
    """Counts in this process, and adds what is new to the hash ``<spider>:stats`` of all workers every 5 seconds.

    ``STATS_KEY`` acts as in scrapy-redis. Only numbers are shared: of other values those of the workers would differ.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._crawler = crawler
        self._told: dict[str, float] = {}
        self._outage = Outage(logger)
        self._key = ""
        self._loop = LoopingCall(lambda: deferred_from_coro(self._tell()))
        crawler.signals.connect(self._begin, signals.spider_opened)
        crawler.signals.connect(self._end, signals.spider_closed)

    def _begin(self, spider: Spider) -> None:
        self._key = str(self._crawler.settings.get("STATS_KEY") or defaults.STATS_KEY) % {"spider": spider.name}
        self._loop.start(_EVERY_S, now=False)

    async def _end(self) -> None:
        if self._loop.running:
            self._loop.stop()
        await self._tell()

    async def _tell(self) -> None:
        now: dict[str, Any] = {
            name: value
            for name, value in self.get_stats().items()
            if isinstance(value, int | float) and value != self._told.get(name, 0)
        }
        try:
            pipe = Runtime.of(self._crawler).clients.of_key(self._key).pipeline(transaction=True)
            for name, value in now.items():
                pipe.hincrbyfloat(self._key, name, value - self._told.get(name, 0))
            await pipe.execute()
        except (RedisError, OSError) as error:
            self._outage.begin("The shared statistics wait for Redis: %s", error)
            return
        self._outage.end("The shared statistics are kept again")
        self._told |= now
