"""scrapy-redis' RedisPipeline on the crawl's own Redis; to be switched on in ITEM_PIPELINES."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object
from scrapy_redis import defaults
from scrapy_redis.pipelines import RedisPipeline, default_serialize

from articlebot.runtime import Runtime


class RedisItemsPipeline(RedisPipeline):  # type: ignore[misc]
    """Appends each item, as JSON, to the list ``<spider>:items``; never blocks the event loop.

    ``REDIS_ITEMS_KEY`` and ``REDIS_ITEMS_SERIALIZER`` act as in scrapy-redis. Behind articlebot's pipelines (950) it
    gets new and changed articles only.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        serialize = settings.get("REDIS_ITEMS_SERIALIZER")
        key = settings.get("REDIS_ITEMS_KEY") or defaults.PIPELINE_KEY
        super().__init__(
            Runtime.of(crawler).clients.of_key(key), key, load_object(serialize) if serialize else default_serialize
        )
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """The item, once Redis has it."""
        await self.server.rpush(self.item_key(item, self._crawler.spider), self.serialize(item))
        return item
