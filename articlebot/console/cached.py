"""Values that are costly to find out: pages show the last ones while the next are being read."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from articlebot.errors import ArticlebotError

T = TypeVar("T")
logger = logging.getLogger(__name__)

# A value is not read again before so many times the time it took: what is costly is read seldom.
_REST = 20
# A value that is so many times older than it may be is not shown before the next one had some time to come.
_OLD, _PATIENCE_S = 3, 2.0


class Cached(Generic[T]):
    """A value that is read anew when it is older than so many seconds, later where reading takes long.

    The first asker waits, and for two seconds whoever comes after nobody has asked for long.
    """

    def __init__(self, read: Callable[[], Awaitable[T]], seconds: float, now: Callable[[], float]) -> None:
        self._read, self._seconds, self._now = read, seconds, now
        self._value: T | None = None
        self._read_at = self._took = 0.0
        self._reading: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """The value.

        Raises:
            ArticlebotError: it was never read and cannot be.
        """
        pause = max(self._seconds, _REST * self._took)
        if self._reading is None and (self._value is None or self._now() - self._read_at >= pause):
            self._reading = asyncio.ensure_future(self._refresh())
            self._reading.add_done_callback(self._ended)
        if self._value is None:
            assert self._reading is not None
            return await asyncio.shield(self._reading)
        if self._reading is not None and self._now() - self._read_at >= _OLD * pause:
            await asyncio.wait({self._reading}, timeout=_PATIENCE_S)
        return self._value

    async def get_within(self, seconds: float) -> T | None:
        """The value; None where it was never read and is not there after so many seconds.

        Raises:
            ArticlebotError: it was never read and cannot be.
        """
        try:
            return await asyncio.wait_for(self.get(), seconds)
        except TimeoutError:
            return None

    async def _refresh(self) -> T:
        begun = time.monotonic()
        value = await self._read()
        self._value, self._read_at, self._took = value, self._now(), time.monotonic() - begun
        return value

    def _ended(self, task: asyncio.Task[T]) -> None:
        self._reading = None
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ArticlebotError):
            logger.error("The console cannot read what it shows", exc_info=error)
