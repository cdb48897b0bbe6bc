"""Page states on their way to the store: those that come within a moment are written together."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from articlebot.recrawl.record import PageRecord
from articlebot.recrawl.store import RedisPageStates

_MOST = 100


class _Waiting(NamedTuple):
    record: PageRecord
    done: asyncio.Future[None]


class Batch:
    """Writes records.

    Args:
        states: where they go.
        linger_s: how long one waits for others.
    """

    def __init__(self, states: RedisPageStates, linger_s: float) -> None:
        self._states, self._linger_s = states, linger_s
        self._waiting: list[_Waiting] = []
        self._flusher: asyncio.Task[None] | None = None

    async def write(self, record: PageRecord) -> None:
        """Returns when the record is written.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        waiting = _Waiting(record, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if len(self._waiting) >= _MOST:
            await self._flush()
        elif self._flusher is None or self._flusher.done():
            self._flusher = asyncio.ensure_future(self._flush_later())
        await waiting.done

    async def close(self) -> None:
        """Writes what still waits."""
        while self._waiting or (self._flusher is not None and not self._flusher.done()):
            if self._flusher is not None and not self._flusher.done():
                await asyncio.wait([self._flusher])
            else:
                await self._flush()

    async def _flush_later(self) -> None:
        # Until nothing waits: what comes while a batch is being written finds this task still running.
        while self._waiting:
            await asyncio.sleep(self._linger_s)
            await self._flush()

    async def _flush(self) -> None:
        batch, self._waiting = self._waiting[:], []
        if not batch:
            return
        try:
            await self._states.put_many([waiting.record for waiting in batch])
        except Exception as error:  # every caller is told, and knows what to do with it
            for waiting in batch:
                if not waiting.done.done():
                    waiting.done.set_exception(error)
            return
        for waiting in batch:
            if not waiting.done.done():
                waiting.done.set_result(None)
