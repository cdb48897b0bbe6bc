"""What each job said when it was followed last, in Redis, for the next start and for commands without a job file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from pydantic import ValidationError

from articlebot.connect import RedisStore
from articlebot.jobs.model import Job
from articlebot.urls import page_key

# Of files that have another name at each run nothing is worth keeping.
_MOST_PLACES = 1000


class RedisStated(RedisStore):
    """One hash, a field a job.

    Several workers may find the same change: what they do for it must bear to be done twice, and is noted when it is
    done, so that a worker that dies between loses nothing.
    """

    below = "jobs:stated"

    async def changed(self, jobs: Iterable[Job]) -> list[Job]:
        """The jobs that were noted with something else in their file; one that was never noted has not changed."""
        every = list(jobs)
        noted = await self._redis.hmget(self._key, [job.name for job in every]) if every else []
        return [job for job, was in zip(every, noted, strict=True) if was is not None and was != _written(job)]

    async def note(self, jobs: Iterable[Job]) -> None:
        """Notes what jobs say now."""
        if said := {job.name: _written(job) for job in jobs}:
            await self._redis.hset(self._key, mapping=said)

    async def all(self) -> list[Job]:
        """Every job that is noted, as this version reads it."""
        jobs = []
        for _, said in sorted((await self._redis.hgetall(self._key)).items()):
            with suppress(ValidationError):  # a key that this version does not have
                jobs.append(Job.model_validate_json(said))
        return jobs

    async def note_files(self, place: str, names: Collection[str]) -> None:
        """Notes the names of the jobs that some files have, by the place of these files."""
        if await self._redis.hlen(f"{self._key}:files") >= _MOST_PLACES:
            await self._redis.delete(f"{self._key}:files")
        await self._redis.hset(f"{self._key}:files", place, json.dumps(sorted(names)))

    async def gone(self, place: str, names: Collection[str]) -> set[str]:
        """The jobs that were noted of some files, and are not among their jobs now."""
        return {*json.loads(await self._redis.hget(f"{self._key}:files", place) or "[]")} - {*names}

    async def note_children(self, job: str, sitemap: str, children: Iterable[int]) -> None:
        """Notes, by page keys, which sitemaps are there because another one names them."""
        if found := {f"{child:016x}": sitemap for child in children if child != page_key(sitemap)}:
            await self._redis.hset(f"{self._key}:{job}:sitemaps", mapping=found)

    async def tops(self, job: str, keys: Sequence[int]) -> list[str | None]:
        """The sitemap that led to each of these, through others or not; None where that was never noted."""
        from articlebot.page.sitemaps import MAX_DEPTH  # noqa: PLC0415 - with all that reads pages; most only list jobs

        tops: list[str | None] = [None] * len(keys)
        asked = dict(enumerate(keys))
        for _ in range(MAX_DEPTH):
            if not asked:
                break
            names = [f"{key:016x}" for key in asked.values()]
            found = await self._redis.hmget(f"{self._key}:{job}:sitemaps", names)
            above = {place: url.decode() for place, url in zip(asked, found, strict=True) if url is not None}
            for place, url in above.items():
                tops[place] = url
            asked = {place: page_key(url) for place, url in above.items()}
        return tops

    async def forget(self, job: str) -> None:
        """Forgets a job."""
        await self._redis.hdel(self._key, job)
        await self._redis.delete(f"{self._key}:{job}:sitemaps")


def _written(job: Job) -> bytes:
    """The keys that differ from their defaults: a key that a later version adds changes no job."""
    return job.model_dump_json(exclude_defaults=True).encode()
