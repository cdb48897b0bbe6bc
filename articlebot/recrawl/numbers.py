"""The numbers under which page records name what many of them share: their job, and where their URL begins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, TypeVar

import redis.asyncio

from articlebot.errors import StateError
from articlebot.files import shipped
from articlebot.frontier.scripts import outages

_K = TypeVar("_K", str, int)
_V = TypeVar("_V", str, int)
# Two bytes in a record.
_MOST = 0xFFFF


class Numbers:
    """Numbers of names, kept in memory once they are known; none changes while Redis keeps what it was told.

    Args:
        client: ``redis.asyncio`` client that returns bytes.
        base: first part of the keys.
        what: what the names are of, in one word; part of the keys too.
        losses: how often Redis came back so far. It may have lost the numbers that it gave out last, and given them to
            others since: then it is asked again.
    """

    def __init__(self, client: redis.asyncio.Redis, base: str, what: str, losses: Callable[[], int] = int) -> None:
        self._client, self._what = client, what
        self._losses, self._counted = losses, losses()
        self._keys = [f"{base}:{what}_numbers", f"{base}:{what}_names"]
        self._script = client.register_script(shipped("articlebot.recrawl", "lua/numbers.lua"))
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def forget(self) -> None:
        """Asks Redis of every number again."""
        self._numbers.clear()
        self._names.clear()

    def _forget_lost(self) -> None:
        if (losses := self._losses()) != self._counted:
            self._counted = losses
            self.forget()

    async def given(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of names, new ones where they have none; without those for which none is left."""

        async def ask(new: list[str]) -> dict[str, int]:
            found = await self._script(keys=self._keys, args=[_MOST, *new])
            return {name: number for name, number in zip(new, found, strict=True) if number >= 0}

        return await self._told(self._numbers, names, ask)

    async def _told(
        self, known: dict[_K, _V], wanted: Collection[_K], ask: Callable[[list[_K]], Awaitable[dict[_K, _V]]]
    ) -> dict[_K, _V]:
        """What is known of these, and what Redis says of the others."""
        while True:
            self._forget_lost()
            told = {one: known[one] for one in wanted if one in known}
            if not (new := [one for one in dict.fromkeys(wanted) if one not in told]):
                return told
            counted, found = self._counted, await ask(new)
            if self._losses() == counted:  # else what was known before is asked for again, too
                told |= found
                known |= found
                return told

    async def of(self, name: str) -> int:
        """The number of a name; as ``of_all``, which raises as this."""
        return (await self.of_all([name]))[name]

    async def of_all(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of names, new ones where they have none, in one question.

        Raises:
            StateError: none is left.
        """
        numbers = await self.given(names)
        if any(name not in numbers for name in names):
            raise StateError(f"more than 65,536 {self._what} names in one store")
        return numbers

    async def known(self, name: str) -> int | None:
        """The number of a name, None where it has none."""
        number = await self._client.hget(self._keys[0], name)
        return None if number is None else int(number)

    async def names(self, numbers: Collection[int]) -> dict[int, str]:
        """The names that numbers stand for.

        Raises:
            StateError: one stands for none.
        """

        async def ask(new: list[int]) -> dict[int, str]:
            places = [str(number) for number in new]
            with outages():
                found: list[Any] = await self._client.hmget(self._keys[1], places)
                if None in found:
                    await self._script(keys=self._keys, args=[_MOST])
                    found = await self._client.hmget(self._keys[1], places)
            return {number: name.decode() for number, name in zip(new, found, strict=True) if name}

        told = await self._told(self._names, numbers, ask)
        if unnamed := [number for number in numbers if number not in told]:
            raise StateError(f"{self._keys[1]}: no {self._what} has the number {unnamed[0]}")
        return told


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
        if heard := {str(number): now for number in (await self._numbers.of_all(list(jobs))).values()}:
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
