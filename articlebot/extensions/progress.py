"""A line of progress now and then, for people who watch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self, TextIO

from scrapy import signals
from twisted.internet.task import LoopingCall

from articlebot.errors import Off
from articlebot.runtime import Runtime
from articlebot.runtime.runs import progress_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class ProgressExtension:
    """Prints counts to standard error each ``ARTICLEBOT_PROGRESS_S`` seconds."""

    def __init__(self, crawler: Crawler, seconds: float, out: TextIO) -> None:
        self._crawler, self._seconds, self._out = crawler, seconds, out
        self._runtime = Runtime.of(crawler)
        self._begun = self._runtime.now()
        self._loop = LoopingCall(self.print_line)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = Runtime.of(crawler).config.general.progress_s
        if not seconds:
            raise Off("ARTICLEBOT_PROGRESS_S is 0")
        return cls(crawler, seconds, sys.stderr)

    def spider_opened(self) -> None:
        self._loop.start(self._seconds, now=False)

    def spider_closed(self) -> None:
        if self._loop.running:
            self._loop.stop()
        self.print_line()

    def print_line(self) -> None:
        """One line: pages, articles, changes, duplicates, failures, what waits."""
        stats = self._crawler.stats
        assert stats is not None
        print(progress_line(self._runtime.now() - self._begun, stats.get_stats()), file=self._out, flush=True)
