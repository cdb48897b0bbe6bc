"""What each job said when its entry pages were offered last, in Redis: a job that changed between two runs is seen."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from redis.asyncio import Redis

from articlebot.jobs.model import Job


class RedisDigests:
    """One hash, a field a job. All methods raise redis' own errors while it is away.

    Several workers may find the same change: what they do for it must bear to be done twice, and is noted when it is
    done, so that a worker that dies between loses nothing.

    Args:
        redis: the client; replies must be bytes.
        prefix: first part of the key.
    """

    def __init__(self, redis: Redis, prefix: str = "{articlebot}") -> None:
        self._redis: Any = redis
        self._key = f"{prefix}:jobs:digests"

    async def changed(self, jobs: Iterable[Job]) -> list[Job]:
        """The jobs that were noted with something else in their file; one that was never noted has not changed."""
        every = list(jobs)
        noted = await self._redis.hmget(self._key, [job.name for job in every]) if every else []
        return [job for job, was in zip(every, noted, strict=True) if was is not None and was != _digest(job)]

    async def note(self, jobs: Iterable[Job]) -> None:
        """Notes what jobs say now."""
        if digests := {job.name: _digest(job) for job in jobs}:
            await self._redis.hset(self._key, mapping=digests)

    async def forget(self, job: str) -> None:
        """Forgets a job."""
        await self._redis.hdel(self._key, job)


def _digest(job: Job) -> bytes:
    """Of the keys that differ from their defaults: a key that a later version adds changes no job."""
    said = job.model_dump_json(exclude_defaults=True)
    return blake2b(said.encode(), digest_size=8).hexdigest().encode()
