"""The numbers under which page records name their jobs, and when a crawl last knew each job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files

import redis.asyncio
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from articlebot.errors import StateError, StoreUnavailable

# Two bytes in a record.
_MOST = 0xFFFF


class JobNumbers:
    """Numbers of jobs, kept in memory once they are known; none ever changes.

    Args:
        client: ``redis.asyncio`` client that returns bytes.
        base: first part of the keys.
    """

    def __init__(self, client: redis.asyncio.Redis, base: str) -> None:
        self._client = client
        self._keys = [f"{base}:job_numbers", f"{base}:job_names"]
        self._heard = f"{base}:job_heard"
        source = files(__package__).joinpath("lua", "job_number.lua").read_text("utf-8")
        self._script = client.register_script(source)
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}

    async def of(self, job: str) -> int:
        """The number of a job, a new one where it has none."""
        number = self._numbers.get(job)
        if number is None:
            number = int(await self._script(keys=self._keys, args=[job]))
            if number > _MOST:
                raise StateError("more than 65,536 job names in one store")
            self._numbers[job] = number
        return number

    async def known(self, job: str) -> int | None:
        """The number of a job, None where it has none."""
        number = await self._client.hget(self._keys[0], job)
        return None if number is None else int(number)

    async def name(self, number: int) -> str:
        """The job of a number.

        Raises:
            StateError: there is none.
        """
        if number not in self._names:
            # All at once: a first poll of thousands of pages meets most of them.
            with outages():
                names = await self._client.hgetall(self._keys[1])
            self._names.update((int(n), one.decode()) for n, one in names.items() if isinstance(one, bytes))
            if number not in self._names:
                raise StateError(f"{self._keys[1]}: no job has the number {number}")
        return self._names[number]

    async def note(self, jobs: Iterable[str], now: float) -> None:
        """Notes that a crawl knows these jobs at an epoch time."""
        if heard := {str(await self.of(job)): now for job in jobs}:
            await self._client.hset(self._heard, mapping=heard)  # type: ignore[arg-type]

    async def unheard(self, numbers: Iterable[int], now: float, age_s: float) -> list[int]:
        """Those of the numbers that no crawl has noted for ``age_s`` seconds; one never noted counts from here on."""
        wanted = list(numbers)
        found = await self._client.hmget(self._heard, [str(one) for one in wanted]) if wanted else []
        heard = dict(zip(wanted, found, strict=True))
        for number in [one for one, at in heard.items() if at is None]:
            await self._client.hsetnx(self._heard, str(number), str(now))
        return [one for one, at in heard.items() if at is not None and float(at) < now - age_s]

    async def forget(self, number: int) -> None:
        """Forgets when a crawl knew the job."""
        await self._client.hdel(self._heard, str(number))


@contextmanager
def outages() -> Iterator[None]:
    """Turns the errors of a Redis that cannot be reached into ``StoreUnavailable``."""
    try:
        yield
    except (RedisConnectionError, RedisTimeoutError) as error:
        raise StoreUnavailable(f"page states: {error}") from error
