"""Counts what each job publishes, and settles whether the jobs are well: at the end, and each hour of a worker."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler

from articlebot.diagnosis import told
from articlebot.items import Article
from articlebot.runtime.component import Component
from articlebot.runtime.diagnosis import SETTLED, Settled

logger = logging.getLogger(__name__)
# A worker that never ends is judged by hours: at the default interval of half an hour a page was visited twice in one.
_HOUR_S = 3600.0


class DiagnosisExtension(Component):
    """Logs what is wrong with jobs; the command prints it, `scrapy status` and the next run know it.

    Signals: ``SETTLED``, after each hour.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._diagnosis = self._runtime.diagnosis

    def spider_opened(self) -> None:
        """Begins to count hours."""
        self._repeat(self._settle, _HOUR_S)

    async def item_scraped(self, item: Any) -> None:
        """A new article, or a new version of one, is published."""
        if isinstance(item, Article) and item.change != "unchanged":
            await self._diagnosis.published(item.job)

    def item_dropped(self, item: Any) -> None:
        """A new article is off the job's topic."""
        if isinstance(item, Article) and item.change == "new" and item.relevance is not None:
            self._diagnosis.tally.page(item.job, "off_topic", item.url)

    async def spider_closed(self) -> None:
        """Judges the last of it."""
        self._stop()
        _log(await self._diagnosis.end())

    async def _settle(self) -> None:
        settled = await self._diagnosis.settle()
        _log(settled)
        await self._crawler.signals.send_catch_log_async(SETTLED, settled=settled)


def _log(settled: Settled | None) -> None:
    for line in told(settled.findings) if settled is not None else ():
        logger.warning("%s", line)
