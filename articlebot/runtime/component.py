"""What the extensions, middlewares and pipelines of a crawl have in common."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from articlebot.jobs.book import jobs_changed
from articlebot.runtime.runtime import Runtime

# What a component hears of by a method of the signal's name.
_SIGNALS = {"jobs_changed": jobs_changed} | {
    name: getattr(signals, name)
    for name in "spider_opened spider_idle spider_closed item_scraped item_dropped headers_received "
    "response_received".split()
}


class Component:
    """A part of a crawl, which Scrapy makes by ``from_crawler``. Its methods that are called as signals hear of them.

    Raises:
        Off: there is nothing for it to do; it is left out.
    """

    _loop: LoopingCall | None = None

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The component of a crawl."""
        component = cls(crawler)
        for name, signal in _SIGNALS.items():
            if (handler := getattr(component, name, None)) is not None:
                crawler.signals.connect(handler, signal)
        return component

    @cached_property
    def _runtime(self) -> Runtime:
        return Runtime.of(self._crawler)

    def _repeat(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float, *, now: bool = False) -> None:
        """Awaits work again and again, never beside itself, first after so many seconds or at once.

        An error that it raises ends that.
        """
        self._loop = LoopingCall(lambda: deferred_from_coro(work()))
        self._loop.start(seconds, now=now)

    @property
    def _repeats(self) -> bool:
        return self._loop is not None and self._loop.running

    def _stop(self) -> bool:
        """Ends what is repeated; whether anything was."""
        if (was := self._repeats) and self._loop is not None:
            self._loop.stop()
        return was
