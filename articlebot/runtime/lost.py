"""Whether Redis lacks what the archive has: it was emptied, or put back to an older state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from articlebot.archive import Archive
from articlebot.frontier.lookup import is_seen
from articlebot.frontier.sharded import AnyFrontier

# Newest articles of the archive that are looked for: tens of milliseconds, once a run.
_LOOKED_FOR = 200


class Lost:
    """Tells whether the archive is to be asked about texts that are new to Redis.

    To ask for each costs .3 to .45 ms a new page, which is paid where Redis has lost something alone.

    Args:
        archive: gives the archive.
        frontier: gives the queue, whose seen set is looked at.
    """

    def __init__(self, archive: Callable[[], Archive], frontier: Callable[[], AnyFrontier]) -> None:
        self._archive, self._frontier = archive, frontier
        self._at: int | None = None
        self._is_some, self._looking = False, asyncio.Lock()

    async def is_some(self) -> bool:
        """Whether one of the archive's newest articles was never seen; looked up anew after each loss of contact.

        Raises:
            redis.RedisError, StoreUnavailable, StateError: a store cannot be asked.
        """
        frontier = self._frontier()
        async with self._looking:  # the articles that come meanwhile wait for one look
            if self._at != (at := frontier.links.forgotten):
                newest = await asyncio.to_thread(self._archive().newest_addresses, _LOOKED_FOR)
                known = [await is_seen(frontier, key, url) for key, url in newest]
                self._at, self._is_some = at, self._is_some or not all(known)
        return self._is_some
