"""A line of progress now and then, for people who watch."""

from __future__ import annotations

import sys

from scrapy.crawler import Crawler

from articlebot.errors import Off
from articlebot.runtime.component import Component
from articlebot.runtime.runs import progress_line


class ProgressExtension(Component):
    """Prints counts to standard error each ``ARTICLEBOT_PROGRESS_S`` seconds.

    Raises:
        Off: they are 0.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._seconds, self._out = self._runtime.config.general.progress_s, sys.stderr
        if not self._seconds:
            raise Off("ARTICLEBOT_PROGRESS_S is 0")
        self._begun = self._runtime.now()

    def spider_opened(self) -> None:
        self._begun = self._runtime.now()
        self._repeat(self._print, self._seconds)

    async def spider_closed(self) -> None:
        self._stop()
        await self._print()

    async def _print(self) -> None:
        """One line: pages, articles, changes, duplicates, failures, what waits."""
        stats = self._crawler.stats
        assert stats is not None
        print(progress_line(self._runtime.now() - self._begun, stats.get_stats()), file=self._out, flush=True)
