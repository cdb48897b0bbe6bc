"""The last pipeline: what the visit found goes into the page's state, now that the version is safe."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from articlebot.items import Article, Withdrawal
from articlebot.recrawl import Observation, PageRecord
from articlebot.recrawl.observation import Outcome
from articlebot.runtime.component import Component


class RememberPipeline(Component):
    """Writes what the visit found to the page states.

    Ends withdrawals and articles of which the archive has had this version, so that a feed export has a row for each
    that is new or changed, and no other.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._visits, self._beside = self._runtime.visits, self._runtime.beside

    async def process_item(self, item: Any) -> Any:
        """The item.

        Raises:
            DropItem: there is no new version of it.
        """
        if not isinstance(item, Article | Withdrawal):
            return item
        beside = self._beside.of(item)
        if beside.record is not None and beside.seen is not None:
            await self._observe(item, beside.record, beside.seen)
            if isinstance(item, Article) and item.change not in ("new", "unchanged") and not beside.already:
                await self._tell_reprints(item, beside.record.state.last_at)
        if isinstance(item, Withdrawal) or item.change == "unchanged" or beside.already:
            raise DropItem(f"no new version: {item.url}", log_level="DEBUG")
        return item

    async def _tell_reprints(self, item: Article, since: float) -> None:
        if item.cluster is None:
            return
        with self._runtime.aside("signals"):
            others = await asyncio.to_thread(self._runtime.archive.reprints, item.cluster, int(item.page_key, 16))
            if others:
                book = self._crawler.spider.book  # type: ignore[union-attr]
                await self._visits.hear_of_reprints(others, since, book, self._runtime.now())

    async def _observe(self, item: Article | Withdrawal, record: PageRecord, seen: Observation) -> None:
        beside = self._beside.of(item)
        if isinstance(item, Article):
            outcome: Outcome = "unchanged" if item.change == "unchanged" else "changed"
            seen = seen._replace(
                outcome=outcome, distance=beside.distance, content_hash=int(item.content_hash, 16),
                fingerprint=beside.fingerprint,
            )  # fmt: skip
        job = self._crawler.spider.book.get(item.job)  # type: ignore[union-attr]
        if job is not None and (job.recrawl_articles or isinstance(item, Withdrawal)):
            await self._visits.observe(record, seen, beside.validators, job)
        elif record.state.fetches:
            # Followed until now: its first visits failed, or the job visited its articles again before.
            await self._runtime.pages.forget(record.key)
