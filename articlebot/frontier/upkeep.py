"""What each worker does for all now and then: requests of lost workers return, and old seen marks go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from redis.exceptions import ResponseError

from articlebot.ahead import set_back
from articlebot.frontier.queue import Frontier
from articlebot.frontier.scripts import is_full
from articlebot.frontier.sharded import AnyFrontier

logger = logging.getLogger(__name__)
# The living speak again so soon after an outage: they try each second, and a busy machine takes its time.
_RETURN_S = 5.0
# How often a new generation of seen marks may begin; and the pause where an old one is not removed yet.
_TURN_S, _TURN_ON_S = 3600.0, 1.0


class Upkeep:
    """The upkeep of a frontier by one worker; times in the event loop's clock.

    Args:
        frontier: the queue.
        name: of the worker.
        count: counts an event, for the statistics.
    """

    def __init__(self, frontier: Frontier, name: str, count: Callable[[str, int], None]) -> None:
        self._frontier, self._name, self._count = frontier, name, count
        self.reaped_at = self._turns_at = asyncio.get_running_loop().time()

    async def begin(self, dead: Sequence[str]) -> None:
        """Before the first link is met: takes back what these workers had, and turns the seen marks."""
        await self._reap(dead, silent=False)
        await self._turn_seen(self._turns_at)

    async def tend(self, now: float, in_touch_since: float) -> None:
        """Does what is due.

        Args:
            now: the time.
            in_touch_since: when the last outage was over.
        """
        lease_s = self._frontier.lease_s
        # Right after a long outage all others look dead: wait until they had the time to speak. No longer, because the
        # hosts of a dead worker stand still until then.
        if now - in_touch_since >= min(lease_s, _RETURN_S) and now - self.reaped_at >= lease_s / 3:
            self.reaped_at = now
            await self._reap([], silent=True)
        await self._turn_seen(now)

    async def _turn_seen(self, now: float) -> None:
        if now >= self._turns_at:
            try:
                done = await self._frontier.seen.turn()
            except ResponseError as error:
                if not is_full(error):
                    raise
                done = True  # nothing that has to be now
            self._turns_at = now + (_TURN_S if done else _TURN_ON_S)

    async def _reap(self, dead: Sequence[str], *, silent: bool) -> None:
        returned = 0
        while now_returned := await self._frontier.reap(self._name, dead=dead, silent=silent):
            returned += now_returned
        if returned:
            logger.warning("%d requests of lost workers are queued again", returned)
            self._count("returned", returned)


async def set_rests_back(frontier: AnyFrontier, seconds: float) -> None:
    """Takes seconds off what hosts and pages of all spiders still wait for (a clock that ran ahead)."""
    for shard in frontier.shards:
        own = [f"{shard.shared}:{name}" for name in await shard.spiders()]
        keys = [f"{one}:{key}" for one in own for key in ("until", "ready", "again", "passed", "workers")]
        await set_back(shard.redis, (f"{shard.shared}:until", *keys), seconds)
