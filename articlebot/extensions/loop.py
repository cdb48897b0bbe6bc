"""Work that an extension does again and again while a crawl runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall


class Loop:
    """Awaits work again and again, never beside itself; an error that it raises ends the loop."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._loop = LoopingCall(lambda: deferred_from_coro(work()))

    def start(self, seconds: float, *, now: bool = False) -> None:
        """Begins: after so many seconds, or at once."""
        self._loop.start(seconds, now=now)

    @property
    def running(self) -> bool:
        """Whether it was started, and goes on."""
        return self._loop.running

    def stop(self) -> bool:
        """Ends; whether it was running."""
        if was := self._loop.running:
            self._loop.stop()
        return was
