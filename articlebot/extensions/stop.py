"""Ends a worker that was told to end and does not."""

from __future__ import annotations

import faulthandler
import io
import signal
import threading
from time import monotonic
from types import FrameType
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from twisted.internet.task import LoopingCall

# Seconds for which the event loop may stand still after such a signal, and a database may say nothing.
_PATIENCE_S = 10.0


class StopExtension:
    """After SIGTERM, SIGINT or SIGHUP, ends the process as soon as its event loop stands still for 10 s.

    A thread of the interpreter's own does it, which needs no turn of a loop and no lock; it prints what every thread
    was at. Leases and articles are as after ``kill -9``: nothing is lost. A loop that turns ends the crawl in order;
    after 10 s it waits for no database any more.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._alive, self._by_alarm = LoopingCall(self._tend), False
        self._told_at = 0.0
        crawler.signals.connect(self.opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def opened(self) -> None:
        """Goes before the handlers that Scrapy has installed."""
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
            threads: Any = reactor
            threads.callFromThread(self._watch)
            before(number, frame)

        signal.signal(number, told)

    def _watch(self) -> None:
        if not self._alive.running:
            self._alive.start(1.0)

    def _tend(self) -> None:
        self._arm()
        if monotonic() - self._told_at > _PATIENCE_S:
            from articlebot.archive.engine import cut  # noqa: PLC0415 - SQLAlchemy; a `scrapy fetch` needs none

            cut()

    def _arm(self) -> None:
        if self._by_alarm:
            signal.alarm(0)
        self._by_alarm = False
        try:
            faulthandler.dump_traceback_later(_PATIENCE_S, exit=True)
        except (AttributeError, ValueError, RuntimeError, io.UnsupportedOperation):  # its output is no file
            try:
                faulthandler.dump_traceback_later(_PATIENCE_S, exit=True, file=2)
            except RuntimeError:  # no memory for a thread: the kernel's clock ends the process, without a word
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(int(_PATIENCE_S))
                self._by_alarm = True
