"""What earlier runs found, by job, in Redis: so that any worker and `scrapy status` can compare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from articlebot.connect import RedisStore
from articlebot.diagnosis.findings import Finding
from articlebot.diagnosis.tally import Past
from articlebot.errors import StateError

VERSION = 1
_CHUNK = 500
_PAST = TypeAdapter(Past)


class RedisPasts(RedisStore):
    """One hash, a field a job.

    Two workers that settle a job at the same moment keep what the later one wrote: a run less in a median.
    """

    below = "diagnosis"

    async def mark_published(self, job: str) -> None:
        """A job has published: known at once to the run after a killed one, and to other workers."""
        await self._redis.sadd(f"{self._key}:published", job)

    async def get(self, jobs: Iterable[str]) -> dict[str, Past]:
        """What is known of jobs; what cannot be read begins anew."""
        names, found = list(jobs), {}
        for start in range(0, len(names), _CHUNK):
            some = names[start : start + _CHUNK]
            texts = await self._redis.hmget(self._key, some)
            published = await self._redis.smismember(f"{self._key}:published", some)
            for name, text, has in zip(some, texts, published, strict=True):
                past = _past(text)
                found[name] = replace(past, published=past.published or bool(has))
        return found

    async def put(self, pasts: Mapping[str, Past], findings: Mapping[str, Finding], now: float) -> None:
        """Keeps what is known of jobs, with what is wrong with each now."""
        names = list(pasts)
        for start in range(0, len(names), _CHUNK):
            rows = {
                name: json.dumps(_record(pasts[name], findings.get(name), now), ensure_ascii=False)
                for name in names[start : start + _CHUNK]
            }
            await self._redis.hset(self._key, mapping=rows)

    async def clear(self, jobs: Iterable[str]) -> None:
        """Drops what is wrong with jobs; what earlier runs found stays."""
        for job in jobs:
            if (text := await self._redis.hget(self._key, job)) is not None:
                with suppress(ValueError, TypeError):  # what cannot be read is told where it is asked for
                    await self._redis.hset(self._key, job, json.dumps({**json.loads(text), "finding": None}))

    async def forget(self, job: str) -> None:
        """Forgets a job."""
        await self._redis.hdel(self._key, job)
        await self._redis.srem(f"{self._key}:published", job)

    async def findings(self, since: float) -> list[Finding]:
        """What is wrong with the jobs that were visited since a time, by name.

        Raises:
            StateError: an entry cannot be read.
        """
        found = []
        async for job, text in self._redis.hscan_iter(self._key, count=_CHUNK):
            try:
                record = json.loads(text)
                if record["finding"] and record["at"] >= since:
                    found.append(Finding(job=job.decode(), **record["finding"]))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise StateError(f"{self._key} cannot be read: {type(error).__name__}; delete the key") from None
        return sorted(found, key=lambda one: one.job)


def _record(past: Past, finding: Finding | None, now: float) -> dict[str, Any]:
    said = None if finding is None else {name: value for name, value in asdict(finding).items() if name != "job"}
    return {"v": VERSION, "at": now, "past": asdict(past), "finding": said}


def _past(text: bytes | None) -> Past:
    try:
        return _PAST.validate_python(json.loads(text or b"{}")["past"])
    except (ValueError, KeyError, TypeError):
        return Past()
