"""The archive that Redis knows: what the crawl state takes for published must be there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from articlebot.archive import Archive
from articlebot.archive.identity import Identity, identity_of

_OFFER = (
    "Articles that it lacks are taken for published and not asked for again. Put the right one back, or let all pages "
    "be visited again: scrapy frontier purge --all --yes"
)


class KnownArchive:
    """Compares the archive's identity with the one in Redis.

    Args:
        client: its replies are bytes.
        prefix: first part of the keys.
        archive: gives the archive, which connects to it.
    """

    def __init__(self, client: Any, prefix: str, archive: Callable[[], Archive]) -> None:
        self._redis, self._key, self._archive = client, f"{prefix}:known_archive", archive

    async def look(self, *, note: bool = False) -> str:
        """What is wrong with the archive, "" where nothing is.

        Args:
            note: what is right is noted, for the next time; by crawls alone.

        Raises:
            redis.RedisError, StoreUnavailable, StateError: a store cannot be asked.
        """
        engine = self._archive().engine
        found = await asyncio.to_thread(identity_of, engine, made=note)
        place = engine.url.render_as_string(hide_password=True)
        # Workers that share Redis may have an archive of their own on each machine.
        field = f"{socket.gethostname()} {place}" if engine.dialect.name == "sqlite" else place
        kept = await self._redis.hget(self._key, field)
        before = Identity(*map(int, kept.split())) if kept is not None else None
        if before is not None and before.number != found.number:
            return f"The archive {place} is another one than the crawl has filled. {_OFFER}"
        if before is not None and found.versions < before.versions:
            lacks = before.versions - found.versions
            return f"The archive {place} is an older copy, without the last {lacks:,} versions. {_OFFER}"
        if note:
            await self._redis.hset(self._key, field, f"{found.number} {found.versions}")
        return ""

    async def forget(self) -> None:
        """Takes whatever archive there is for the right one."""
        await self._redis.delete(self._key)
