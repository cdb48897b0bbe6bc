"""Who learns a site, and whose wrappers have changed: in Redis, for all workers of a crawl."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# A site is learned in seconds; of a worker that died meanwhile, the turn ends so much later.
_TURN_S = 600
# Changes that are remembered: more than all sites of a large crawl show in the seconds between two looks.
_MOST_NEWS = 10_000


class RedisTurns:
    """A key for each site that is being learned, and a stream of changed sites. Methods raise redis' own errors.

    Args:
        redis: gives the client; its replies are bytes.
        prefix: first part of every key.
    """

    def __init__(self, redis: Callable[[], Any], prefix: str = "{articlebot}") -> None:
        self._redis, self._base = redis, f"{prefix}:wrappers"
        self._read_to: bytes | None = None

    async def begin(self, site: str) -> bool:
        """Takes the turn to learn a site; whether nobody has it."""
        return bool(await self._redis().set(f"{self._base}:learning:{site}", 1, nx=True, ex=_TURN_S))

    async def end(self, site: str) -> None:
        """Gives a turn back."""
        await self._redis().delete(f"{self._base}:learning:{site}")

    async def tell(self, site: str) -> None:
        """What is known of a site was changed: all workers read it anew."""
        await self._redis().xadd(f"{self._base}:changed", {"site": site}, maxlen=_MOST_NEWS, approximate=True)

    async def news(self) -> list[str]:
        """The sites of which somebody has told since the last call; none at the first."""
        key = f"{self._base}:changed"
        if self._read_to is None:
            last = await self._redis().xrevrange(key, count=1)
            self._read_to = last[0][0] if last else b"0-0"
            return []
        found = await self._redis().xread({key: self._read_to})
        told = found[0][1] if found else []
        if told:
            self._read_to = told[-1][0]
        return list(dict.fromkeys(fields[b"site"].decode() for _, fields in told))
