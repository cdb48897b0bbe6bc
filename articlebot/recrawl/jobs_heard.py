"""When a crawl last knew each job whose pages are stored."""

from __future__ import annotations

from collections.abc import Iterable

import redis.asyncio

from articlebot.recrawl.numbers import Numbers


class JobsHeard:
    """When crawls last knew the jobs, by number.

    Args:
        client: ``redis.asyncio`` client that returns bytes.
        base: first part of the key.
        numbers: the jobs' numbers.
    """

    def __init__(self, client: redis.asyncio.Redis, base: str, numbers: Numbers) -> None:
        self._client, self._numbers = client, numbers
        self._key = f"{base}:job_heard"

    async def note(self, jobs: Iterable[str], now: float) -> None:
        """Notes that a crawl knows these jobs at an epoch time."""
        if heard := {str(await self._numbers.of(job)): now for job in jobs}:
            await self._client.hset(self._key, mapping=heard)  # type: ignore[arg-type]

    async def unheard(self, numbers: Iterable[int], now: float, age_s: float) -> list[int]:
        """Those of the numbers that no crawl has noted for ``age_s`` seconds; one never noted counts from here on."""
        wanted = list(numbers)
        found = await self._client.hmget(self._key, [str(one) for one in wanted]) if wanted else []
        heard = dict(zip(wanted, found, strict=True))
        for number in [one for one, at in heard.items() if at is None]:
            await self._client.hsetnx(self._key, str(number), str(now))
        return [one for one, at in heard.items() if at is not None and float(at) < now - age_s]

    async def forget(self, number: int) -> None:
        """Forgets when a crawl knew the job."""
        await self._client.hdel(self._key, str(number))
