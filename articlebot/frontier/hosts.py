"""Fetches without a lease (robots.txt, media, another component's own): they too keep to the host's slot."""

from __future__ import annotations

import asyncio
from collections import Counter

from articlebot.frontier.queue import Frontier


class Hosts:
    """Which hosts this worker is in, with a lease or as a guest.

    A guest on a host that the worker has leased shares the lease: Scrapy's downloader keeps the two apart, since both
    have the same download slot of concurrency 1. On any other host it takes the slot from Redis while it is there.

    Args:
        frontier: the queue.
        worker: name of the worker.
    """

    def __init__(self, frontier: Frontier, worker: str) -> None:
        self._frontier = frontier
        self._worker = worker
        self._leased: Counter[str] = Counter()
        self._guests: Counter[str] = Counter()
        self._taken: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = {}

    def enter_leased(self, host: str) -> None:
        """A leased request of the host is handed out."""
        self._leased[host] += 1

    def leave_leased(self, host: str) -> None:
        """A leased request of the host has left the downloader."""
        self._leased[host] -= 1
        if self._leased[host] <= 0:
            del self._leased[host]

    def is_leased(self, host: str) -> bool:
        """Whether the worker has a lease on the host."""
        return host in self._leased

    async def enter(self, host: str, patience: float) -> bool:
        """Waits for the host's slot; False when it was not free within ``patience`` seconds."""
        lock = self._locks.setdefault(host, asyncio.Lock())
        async with lock:
            if host not in self._leased and host not in self._taken:
                if not await self._take(host, patience):
                    return False
                self._taken.add(host)
            self._guests[host] += 1
            return True

    async def leave(self, host: str, delay: float) -> None:
        """The guest is done; the host is free after ``delay`` seconds."""
        self._guests[host] -= 1
        if self._guests[host] > 0:
            return
        del self._guests[host]
        self._locks.pop(host, None)
        if host in self._taken:
            self._taken.discard(host)
            await self._frontier.unhold(self._worker, host, delay)

    async def _take(self, host: str, patience: float) -> bool:
        deadline = asyncio.get_running_loop().time() + patience
        while (wait := await self._frontier.hold(self._worker, host)) > 0:
            if asyncio.get_running_loop().time() + wait > deadline:
                return False
            await asyncio.sleep(wait)
        return True
