"""Ends a worker whose process has no memory, thread or open file left, and keeps it from having none."""

from __future__ import annotations

import logging
import resource
import signal
from contextlib import suppress

from scrapy import signals
from scrapy.crawler import Crawler

from articlebot.errors import exhausted
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
# Why a crawl ends before it is done.
EXHAUSTED = "exhausted"
# Seconds for which it may end in order; then the kernel ends it, and its leases return as after ``kill -9``.
_PATIENCE_S = 20
# Most systems give a process 1,024 open files until it asks for more, and a connection to a host is one.
_MOST_FILES = 65_536
# Seconds that a connection is kept for a host's next page; Twisted's 240 keep those of a thousand hosts open where four
# a second are visited. Servers end them after 5 (Apache) to 75 (nginx).
_KEPT_S = 60


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
        _be_frugal()
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


def _be_frugal() -> None:
    """Asks for as many open files as may be had, and keeps no idle connection long."""
    from twisted.web.client import HTTPConnectionPool  # noqa: PLC0415 - the reactor is installed first

    HTTPConnectionPool.cachedConnectionTimeout = _KEPT_S
    given, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if most == resource.RLIM_INFINITY else min(most, _MOST_FILES)
    if given != resource.RLIM_INFINITY and given < wanted:
        with suppress(OSError, ValueError):  # a kernel may allow less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
