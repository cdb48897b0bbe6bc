"""Puts each article into its cluster of near-duplicates."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Self

import redis
from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from articlebot.archive import Archive
from articlebot.dedup import NearDuplicates, Placement, article_text
from articlebot.errors import Off, StoreUnavailable
from articlebot.frontier.scripts import passes
from articlebot.items import Article, Withdrawal
from articlebot.runtime import Runtime
from articlebot.runtime.beside import BesideItems

logger = logging.getLogger(__name__)
_FIRST_S, _LONGEST_S = 0.1, 2.0


class NearDuplicatesPipeline:
    """Sets ``cluster`` and ``cluster_role`` of articles that are new or updated.

    While Redis is away or refuses for now an article waits, for a lease at most: then others may have its page. It goes
    on without a cluster then, and where the crawl ends: publishing it late would be worse than publishing it twice.
    Stats: ``articlebot/neardup/{single,representative,member,merged,moved,unavailable}``.

    Args:
        patience_s: of an article.
        is_ending: whether the crawl ends; then nothing waits.
    """

    def __init__(
        self, near_duplicates: NearDuplicates, archive: Archive, beside: BesideItems, stats: StatsCollector, *,
        patience_s: float, is_ending: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._near_duplicates, self._archive, self._beside = near_duplicates, archive, beside
        self._stats, self._patience_s, self._is_ending = stats, patience_s, is_ending

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        runtime = Runtime.of(crawler)
        config = runtime.config
        if config.dedup.method == "off":
            raise Off("ARTICLEBOT_DEDUP_METHOD is off")
        assert crawler.stats is not None
        clients = runtime.clients
        clusters = NearDuplicates(
            clients.home("nd"), config.general.key_prefix, config.dedup, shards=clients.shards("nd")
        )
        return cls(
            clusters, runtime.archive, runtime.beside, crawler.stats, patience_s=config.frontier.lease_s,
            is_ending=runtime.is_ending,
        )  # fmt: skip

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Withdrawal):
            await self._forget(item)
        if not isinstance(item, Article) or item.change == "unchanged":
            return item
        try:
            placement = await self._placed(item)
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

    async def _placed(self, item: Article) -> Placement:
        text, fingerprint = article_text(item.title, item.body), self._beside.of(item).fingerprint
        loop, pause = asyncio.get_running_loop(), _FIRST_S
        until = loop.time() + self._patience_s
        while True:
            try:
                return await self._near_duplicates.place(
                    int(item.page_key, 16), text, fingerprint, item.fetched_at, item.site
                )
            except (redis.RedisError, StoreUnavailable) as error:
                if not passes(error) or self._is_ending() or loop.time() + pause > until:
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_S)

    async def _forget(self, item: Withdrawal) -> None:
        try:
            await self._near_duplicates.forget(int(item.page_key, 16))
        except (redis.RedisError, StoreUnavailable) as error:
            logger.warning("%s stays in its cluster: %s", item.url, error)

    def _regroup(self, placement: Placement) -> None:
        """Tells the archive which clusters are one now, and which articles stand elsewhere."""
        self._archive.regroup(dict.fromkeys(placement.merged, placement.cluster), placement.moved)
