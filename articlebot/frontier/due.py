"""Leased requests that wait for their start, in the order of it."""

from __future__ import annotations

import asyncio
import heapq
import math
from collections.abc import Callable, Collection, Iterator

from articlebot.frontier.leases import Leased


class Due:
    """A heap by planned start, which is in the event loop's time.

    Args:
        loop: the event loop.
        wake: called when the first one is due.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        self._loop, self._wake = loop, wake
        self._waiting: list[tuple[float, int, Leased]] = []
        self._order = 0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[tuple[float, Leased]]:
        for planned, _, leased in self._waiting:
            yield planned, leased

    def add(self, leased: Leased, planned: float) -> None:
        """One more waits."""
        self._order += 1
        heapq.heappush(self._waiting, (planned, self._order, leased))

    @property
    def first_at(self) -> float:
        """Planned start of the first one; infinity where none waits."""
        return self._waiting[0][0] if self._waiting else math.inf

    def pop(self) -> tuple[Leased, float]:
        """The first one, with its planned start."""
        planned, _, leased = heapq.heappop(self._waiting)
        return leased, planned

    def is_due(self) -> bool:
        """Whether the first one may start now; else ``wake`` is called when it may."""
        if not self._waiting:
            return False
        at, now = self._waiting[0][0], self._loop.time()
        if at > now and (self._timer is None or self._timer.cancelled() or not now < self._timer.when() <= at):
            self.stop()
            self._timer = self._loop.call_at(at, self._wake)
        return at <= now

    def drop(self, members: Collection[bytes] | None = None) -> None:
        """Forgets some, by their names in the frontier; None for all."""
        kept = [] if members is None else [entry for entry in self._waiting if entry[2].member not in members]
        self._waiting = kept
        heapq.heapify(self._waiting)

    def stop(self) -> None:
        """Calls ``wake`` no more."""
        if self._timer is not None:
            self._timer.cancel()
