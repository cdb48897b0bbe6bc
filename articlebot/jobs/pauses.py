"""Which jobs were paused by command, in Redis, so that all workers know it and a restart changes nothing."""

from __future__ import annotations

import json

from articlebot.connect import RedisStore


class RedisPauses(RedisStore):
    """One hash, a field a job."""

    below = "jobs:paused"

    async def pause(self, job: str, now: float) -> bool:
        """Pauses a job; whether it was not paused before."""
        return bool(await self._redis.hsetnx(self._key, job, json.dumps({"at": now})))

    async def resume(self, job: str) -> bool:
        """Ends a job's pause; whether it was paused."""
        return bool(await self._redis.hdel(self._key, job))

    async def all(self) -> dict[str, float]:
        """When each paused job was paused, epoch seconds, by name."""
        kept = await self._redis.hgetall(self._key)
        return {name.decode(): float(json.loads(value)["at"]) for name, value in sorted(kept.items())}
