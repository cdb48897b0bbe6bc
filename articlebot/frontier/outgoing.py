"""What Redis was not told of yet: requests of a worker that are not stored, and those that it leaves to others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from redis.exceptions import ResponseError

from articlebot.frontier.envelope import Envelope
from articlebot.frontier.queue import BATCH, Frontier
from articlebot.frontier.scripts import is_full

logger = logging.getLogger(__name__)
_FULL_S = 0.5
# Texts that are told in one round trip.
_CHUNK = 500


class Outgoing:
    """Keeps requests until the frontier has them.

    Args:
        frontier: the queue.
        count: counts an event, for the statistics.
    """

    def __init__(self, frontier: Frontier, count: Callable[[str, int], None]) -> None:
        self._frontier, self._count = frontier, count
        self._waiting: list[tuple[int, Envelope]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def numbers(self) -> list[int]:
        """Those of the requests, in order."""
        return [number for number, _ in self._waiting]

    def add(self, envelope: Envelope, number: int) -> None:
        """One more is to be stored; its number is higher than those before."""
        self._waiting.append((number, envelope))

    async def send(self) -> None:
        """Stores all; where Redis is at its memory limit some are left.

        Raises:
            redis.RedisError: Redis cannot be reached, or refuses.
        """
        while self._waiting:
            batch = [envelope for _, envelope in self._waiting[:BATCH]]
            try:
                new = await self._frontier.push(batch)
            except ResponseError as error:
                if not is_full(error):
                    raise
                self._count("redis_full", 1)
                logger.warning("Redis is at its memory limit: %d requests wait here", len(self._waiting))
                await asyncio.sleep(_FULL_S)
                return
            del self._waiting[: len(batch)]
            self._count("new", new)
            self._count("known", len(batch) - new)


class LeftOut:
    """The requests that a worker cannot run and leaves to others, by a text of their records (``envelope.mark``)."""

    def __init__(self) -> None:
        self._untold: dict[str, None] = {}
        # A new worker may know the jobs of what others passed over a moment ago.
        self._anew = True

    def add(self, mark: str) -> None:
        """Requests with this text are left out from now on."""
        self._untold[mark] = None

    def clear(self) -> None:
        """Nothing is left out any more."""
        self._untold.clear()
        self._anew = True

    def news(self) -> tuple[bool, list[str]]:
        """Whether Redis has to forget what it was told, and the texts that it is to be told then."""
        return self._anew, list(self._untold)[:_CHUNK]

    def told(self, marks: list[str], *, anew: bool) -> None:
        """Redis knows these news."""
        if self._anew and not anew:
            return  # what can be run has changed meanwhile: that is told next
        self._anew = False
        for mark in marks:
            self._untold.pop(mark, None)
