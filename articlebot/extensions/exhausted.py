"""Ends a worker whose process has no memory, thread or open file left."""

from __future__ import annotations

import logging
import signal

from scrapy import signals
from scrapy.crawler import Crawler

from articlebot.errors import exhausted
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
# Why a crawl ends before it is done.
EXHAUSTED = "exhausted"
# Seconds for which it may end in order; then the kernel ends it, and its leases return as after ``kill -9``.
_PATIENCE_S = 20


class ExhaustedExtension(Component, logging.Handler):
    """Ends the crawl at the first failure for want of them: all that it does then may fail, page by page.

    Whoever meets one logs it: Scrapy, Twisted, asyncio, a driver or articlebot. So it is noticed in the log, before it
    is written, which leaves the traceback out.

    Attributes:
        said: what to change; None while nothing is wanting.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.Handler.__init__(self)
        self.said: str | None = None
        logging.root.handlers.insert(0, self)
        crawler.signals.connect(self._leave, signals.engine_stopped)

    def emit(self, record: logging.LogRecord) -> None:
        """Looks at what is to be logged, in whatever thread."""
        said = exhausted(record.exc_info[1]) if record.exc_info else None
        if said is None:
            return
        told = record.getMessage().partition("\nTraceback (most recent call last)")[0]  # Scrapy says it there, too
        record.msg, record.args, record.exc_info = f"{told}: {said}", (), None
        if self.said is None:
            from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

            self.said = said
            signal.alarm(_PATIENCE_S)
            logger.error("The crawl ends, its pages stay queued: %s", said)
            threads: object = reactor
            threads.callFromThread(self._end)  # type: ignore[attr-defined]

    def _end(self) -> None:
        if not self._runtime.is_ending():
            self._runtime.end(EXHAUSTED)

    def _leave(self) -> None:
        if self.said is None:  # else more may fail until the process ends
            logging.root.removeHandler(self)
