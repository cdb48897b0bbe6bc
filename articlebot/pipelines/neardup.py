"""Puts each article into its cluster of near-duplicates."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import redis
from scrapy.crawler import Crawler

from articlebot.dedup import NearDuplicates, Placement, article_text
from articlebot.errors import Off, StoreUnavailable
from articlebot.frontier.scripts import passes
from articlebot.items import Article, Withdrawal
from articlebot.outage import Outage
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
_FIRST_S, _LONGEST_S = 0.1, 2.0


class NearDuplicatesPipeline(Component):
    """Sets ``cluster`` and ``cluster_role`` of articles that are new or updated.

    While Redis is away or refuses for now an article waits, for a lease at most: then others may have its page. It goes
    on without a cluster then, and where the crawl ends: publishing it late would be worse than publishing it twice.
    Stats: ``articlebot/neardup/{single,representative,member,merged,moved,unavailable}``.

    Raises:
        Off: the method is ``off``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config, clients, self._outage = self._runtime.config, self._runtime.clients, Outage(logger)
        if config.dedup.method == "off":
            raise Off("ARTICLEBOT_DEDUP_METHOD is off")
        self._near_duplicates = NearDuplicates(
            clients.home("nd"), config.general.key_prefix, config.dedup, shards=clients.shards("nd")
        )

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Withdrawal):
            await self._forget(item)
        if not isinstance(item, Article) or item.change == "unchanged":
            return item
        try:
            placement = await self._placed(item)
        except (redis.RedisError, StoreUnavailable) as error:
            self._outage.begin("Articles are published without a cluster, such as %s: %s", item.url, error)
            self._runtime.count("neardup/unavailable")
            return item
        self._outage.end("Articles have clusters again")
        item.cluster, item.cluster_role = placement.cluster, placement.role
        self._runtime.count(f"neardup/{placement.role}")
        for name, count in (("merged", len(placement.merged)), ("moved", len(placement.moved))):
            if count:
                self._runtime.count(f"neardup/{name}", count)
        if placement.merged or placement.moved:
            # The archive is told which clusters are one now, and which articles stand elsewhere.
            merged = dict.fromkeys(placement.merged, placement.cluster)
            await asyncio.to_thread(self._runtime.archive.regroup, merged, placement.moved)
        return item

    async def _placed(self, item: Article) -> Placement:
        text, fingerprint = article_text(item.title, item.body), self._runtime.beside.of(item).fingerprint
        loop, pause = asyncio.get_running_loop(), _FIRST_S
        until = loop.time() + self._runtime.config.frontier.lease_s
        while True:
            try:
                return await self._near_duplicates.place(
                    int(item.page_key, 16), text, fingerprint, item.fetched_at, item.site
                )
            except (redis.RedisError, StoreUnavailable) as error:
                if not passes(error) or self._runtime.is_ending() or loop.time() + pause > until:
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_S)

    async def _forget(self, item: Withdrawal) -> None:
        try:
            await self._near_duplicates.forget(int(item.page_key, 16))
        except (redis.RedisError, StoreUnavailable) as error:
            logger.warning("%s stays in its cluster: %s", item.url, error)
