"""Takes back a change that is none: boilerplate that moves, or the same article read by another extractor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from articlebot.archive import Selection
from articlebot.dedup.volatile import RedisVolatileLines, compare, is_reread
from articlebot.items import Article
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector


class StablePipeline:
    """Compares an updated article with its archived version, line by line.

    Stats: ``articlebot/stable/{edited,boilerplate,reread,unknown}``.
    """

    def __init__(self, runtime: Runtime, stats: StatsCollector) -> None:
        self._runtime, self._stats = runtime, stats
        self._lines = RedisVolatileLines(runtime.redis, runtime.config.general.key_prefix)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        return cls(Runtime.of(crawler), crawler.stats)

    async def process_item(self, item: Any) -> Any:
        """The article, unchanged where nothing of it was edited."""
        if not isinstance(item, Article) or item.change != "updated" or item.kind == "document":
            return item
        known = await asyncio.to_thread(self._archived, int(item.page_key, 16))
        outcome = "unknown" if known is None else await self._judge(item, known)
        self._stats.inc_value(f"articlebot/stable/{outcome}")
        if outcome in ("boilerplate", "reread"):
            item.change = "unchanged"
            self._stats.inc_value("articlebot/change/updated", -1)
            self._stats.inc_value("articlebot/change/unchanged")
        return item

    def _archived(self, page_key: int) -> dict[str, Any] | None:
        return next(iter(self._runtime.archive.articles(Selection(page_key=page_key))), None)

    async def _judge(self, item: Article, known: dict[str, Any]) -> str:
        if known.get("extractor") != item.extractor and is_reread(known["body"] or "", item.body):
            return "reread"
        if known["title"] != item.title:
            return "edited"
        difference = compare(known["body"] or "", item.body)
        if difference.edited:
            return "edited"
        seen = await self._lines.known(item.site, difference.shapes)
        return "boilerplate" if difference.shapes <= seen | difference.counters else "edited"
