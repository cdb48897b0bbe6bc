"""Puts each article into its cluster of near-duplicates."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Self

import redis

from articlebot.archive import Archive
from articlebot.dedup import NearDuplicates, Placement, article_text
from articlebot.errors import Off, StoreUnavailable
from articlebot.items import Article, Withdrawal
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from articlebot.runtime.beside import BesideItems

logger = logging.getLogger(__name__)


class NearDuplicatesPipeline:
    """Sets ``cluster`` and ``cluster_role`` of articles that are new or updated.

    While Redis is away an article goes on without a cluster: publishing it late would be worse than publishing it
    twice. Stats: ``articlebot/neardup/{single,representative,member,merged,moved,unavailable}``.
    """

    def __init__(
        self, near_duplicates: NearDuplicates, archive: Archive, beside: BesideItems, stats: StatsCollector
    ) -> None:
        self._near_duplicates, self._archive, self._beside = near_duplicates, archive, beside
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        runtime = Runtime.of(crawler)
        config = runtime.config
        if config.dedup.method == "off":
            raise Off("ARTICLEBOT_DEDUP_METHOD is off")
        assert crawler.stats is not None
        clusters = NearDuplicates(runtime.clients.of("nd"), config.general.key_prefix, config.dedup)
        return cls(clusters, runtime.archive, runtime.beside, crawler.stats)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Withdrawal):
            await self._forget(item)
        if not isinstance(item, Article) or item.change == "unchanged":
            return item
        text = article_text(item.title, item.body)
        try:
            placement = await self._near_duplicates.place(
                int(item.page_key, 16), text, self._beside.of(item).fingerprint, item.fetched_at, item.site
            )
        except (redis.RedisError, StoreUnavailable) as error:
            logger.warning("%s is published without a cluster: %s", item.url, error)
            self._stats.inc_value("articlebot/neardup/unavailable")
            return item
        item.cluster, item.cluster_role = placement.cluster, placement.role
        self._stats.inc_value(f"articlebot/neardup/{placement.role}")
        for name, count in (("merged", len(placement.merged)), ("moved", len(placement.moved))):
            if count:
                self._stats.inc_value(f"articlebot/neardup/{name}", count)
        if placement.merged or placement.moved:
            await asyncio.to_thread(self._regroup, placement)
        return item

    async def _forget(self, item: Withdrawal) -> None:
        try:
            await self._near_duplicates.forget(int(item.page_key, 16))
        except (redis.RedisError, StoreUnavailable) as error:
            logger.warning("%s stays in its cluster: %s", item.url, error)

    def _regroup(self, placement: Placement) -> None:
        """Tells the archive which clusters are one now, and which articles stand elsewhere."""
        self._archive.regroup(dict.fromkeys(placement.merged, placement.cluster), placement.moved)
