"""Ends a worker that was told to end and does not."""

from __future__ import annotations

import faulthandler
import logging
import signal
import threading
from time import monotonic
from types import FrameType
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.task import LoopingCall

from articlebot.runtime import Runtime
from articlebot.runtime.clock import keep_steady

logger = logging.getLogger(__name__)

# Seconds for which the event loop may stand still after such a signal.
_PATIENCE_S = 10.0
# Seconds for which sites and databases may say nothing after it.
_SILENT_S = 4.0
# Seconds after which SIGTERM or SIGHUP ends what has not ended: service managers kill after 10 s and more.
_AT_MOST_S = 7.0


class StopExtension:
    """After SIGTERM, SIGINT or SIGHUP, sees to it that the process ends.

    The crawl ends in order; after 4 s it waits for no site and no database any more. SIGTERM and SIGHUP end it as a
    second such signal does where it has not ended within 7 s.

    The process ends as soon as its event loop stands still for 10 s. A thread of the interpreter's own does that, which
    needs no turn of a loop and no lock; it prints what every thread was at. Leases and articles are as after
    ``kill -9`` then: nothing is lost.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._alive, self._by_alarm = LoopingCall(self._tend), False
        self._crawler, self._told_at, self._is_bounded = crawler, 0.0, False
        crawler.signals.connect(self.opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def opened(self) -> None:
        """Goes before the handlers that Scrapy has installed, and sees that no clock which is set holds the crawl."""
        if is_reactor_installed():
            from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

            keep_steady(reactor)
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # a terminal that is closed; `nohup` ignores it
                signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                self._go_before(number)

    def _go_before(self, number: signal.Signals) -> None:
        before: Any = signal.getsignal(number)
        if not callable(before):
            return

        def told(number: int, frame: FrameType | None) -> None:
            from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

            self._arm()
            self._told_at = self._told_at or monotonic()
            self._is_bounded = self._is_bounded or number != signal.SIGINT
            threads: Any = reactor
            threads.callFromThread(self._watch)
            before(number, frame)

        signal.signal(number, told)

    def _watch(self) -> None:
        Runtime.of(self._crawler).told_at = self._told_at
        if not self._alive.running:
            self._alive.start(1.0)

    def _tend(self) -> None:
        self._arm()
        waited = monotonic() - self._told_at
        if waited > _SILENT_S:
            from articlebot.archive.engine import cut  # noqa: PLC0415 - SQLAlchemy; a `scrapy fetch` needs none

            cut(for_good=True)
            _cut_downloads()
        if waited > _AT_MOST_S and self._is_bounded:
            from twisted.internet import reactor  # noqa: PLC0415 - as above

            logger.warning("The crawl has not ended in order %.0f s after the signal: what it has in hand returns "
                           "when its lease ends", waited)  # fmt: skip
            self._alive.stop()
            stopping: Any = reactor
            stopping.stop()

    def _arm(self) -> None:
        # All of it, or what is left of it where no more is given.
        left = self._told_at + _PATIENCE_S - monotonic() if self._is_bounded else _PATIENCE_S
        patience = max(1.0, left)
        if self._by_alarm:
            signal.alarm(0)
        self._by_alarm = False
        try:
            faulthandler.dump_traceback_later(patience, exit=True)
        except (AttributeError, ValueError, RuntimeError):  # its output is no file
            try:
                faulthandler.dump_traceback_later(patience, exit=True, file=2)
            except RuntimeError:  # no memory for a thread: the kernel's clock ends the process, without a word
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(int(patience))
                self._by_alarm = True


def _cut_downloads() -> None:
    """Ends every connection that Twisted has made or makes; those to Redis are asyncio's."""
    from twisted.internet import reactor, tcp  # noqa: PLC0415 - as above

    reactor_: Any = reactor
    one: Any
    for one in {*reactor_.getReaders(), *reactor_.getWriters()}:
        if isinstance(one, tcp.Client):
            end: Any = one.abortConnection if one.connected else one.stopConnecting
            end()
