"""How often sites showed a wall instead of a page, counted for all workers."""

from __future__ import annotations

from dataclasses import dataclass

from articlebot.connect import RedisStore

_MOST_SITES = 5000


@dataclass(frozen=True, slots=True)
class SiteWalls:
    """The walls of one site: how often by kind (captcha, login, …), and when the last was seen, epoch seconds."""

    site: str
    kinds: dict[str, int]
    last_at: float

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.kinds.values())


class RedisWalls(RedisStore):
    """Counts of walls by site, of the 5,000 sites that showed one last."""

    below = "walls"

    async def note(self, site: str, kind: str, now: float) -> None:
        """Counts a wall."""
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.zadd(f"{self._key}:at", {site: now}, gt=True)
            pipe.hincrby(f"{self._key}:counts", f"{site} {kind}", 1)
            pipe.zcard(f"{self._key}:at")
            *_, sites = await pipe.execute()
        if sites > _MOST_SITES:
            oldest = [name for name, _ in await self._redis.zpopmin(f"{self._key}:at", sites - _MOST_SITES)]
            fields = [
                field for field in await self._redis.hkeys(f"{self._key}:counts") if field.split(b" ")[0] in oldest
            ]
            if fields:
                await self._redis.hdel(f"{self._key}:counts", *fields)

    async def table(self, limit: int | None = None) -> list[SiteWalls]:
        """The sites with walls, the most first."""
        kinds: dict[str, dict[str, int]] = {}
        for field, count in (await self._redis.hgetall(f"{self._key}:counts")).items():
            site, _, kind = field.decode().partition(" ")
            kinds.setdefault(site, {})[kind] = int(count)
        at = {
            name.decode(): score for name, score in await self._redis.zrange(f"{self._key}:at", 0, -1, withscores=True)
        }
        rows = [SiteWalls(site, found, at.get(site, 0.0)) for site, found in kinds.items()]
        return sorted(rows, key=lambda row: (-row.total, row.site))[:limit]
