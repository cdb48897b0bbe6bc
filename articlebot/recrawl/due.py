"""When pages are due, in Redis: two sorted sets of 8-byte ids, list pages apart from all others.

List pages are taken first, however many others are due: their news can be missed, a known page only gets
older. Scripts work in chunks, so that none holds the server longer than 10 ms.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import accumulate, pairwise
from typing import Any

import redis.asyncio

from articlebot.ahead import set_back
from articlebot.files import shipped

ID = struct.Struct(">Q")
_COUNTS = struct.Struct(">II")
CHUNK = 250
# How often a look past the pages of other jobs goes on: 5,000 pages.
_LOOKS = 20
_RETIME_CHUNK = 400
_OF_RECORDS = frozenset({"forget", "lease", "put", "read", "signal"})

Packed = tuple[int, bytes]
_Chunk = tuple[list[Packed], int]


def script(name: str) -> str:
    """The text of a script; before those that touch records, what says where these are."""
    names = ("places", name) if name in _OF_RECORDS else (name,)
    return "".join(shipped("articlebot.recrawl", f"lua/{one}.lua") for one in names)


class DueTimes:
    """The due times of the pages whose records are in hashes beside them.

    Args:
        client: ``redis.asyncio`` client that returns bytes.
        base: first part of the keys.
        meta: key of the hash with their number.
        bucket_prefix: first part of the keys of the record hashes.
        reach: within which the server is asked.

    Attributes:
        keys: of the two sets, in the order in which they are taken.
        aside_prefix: first part of the keys of the sets of pages that stand aside, by job number.
    """

    def __init__(
        self, client: redis.asyncio.Redis, base: str, meta: str, bucket_prefix: str,
        reach: Callable[[], AbstractContextManager[None]],
    ) -> None:  # fmt: skip
        self._client, self._reach = client, reach
        self._meta, self._bucket_prefix = meta, bucket_prefix
        self.keys = (f"{base}:due_lists", f"{base}:due")
        names = ("lease", "put_off", "retime", "set_aside", "take_back")
        self._scripts = {name: client.register_script(script(name)) for name in names}
        self._aside, self.aside_prefix = f"{base}:aside", f"{base}:aside:"

    async def take(
        self, now: float, limit: int, lease_end: str, others: bytes = b"", places: Sequence[int] = (0, 1)
    ) -> AsyncIterator[list[Packed]]:
        """Ids and records of up to ``limit`` pages due at ``now``, in chunks: lists first, then the longest due first.

        Args:
            now: epoch seconds.
            limit: most pages.
            lease_end: becomes their due time; empty to look only.
            others: job numbers (2 bytes each) whose pages stay as they are.
            places: of the sets in ``keys``.
        """
        got = 0
        for key in [self.keys[place] for place in places]:
            offset, looks = 0, 0
            ahead: asyncio.Future[_Chunk] | None = None
            while got < limit and (not others or looks < _LOOKS):
                wanted = min(CHUNK, limit - got)
                look = CHUNK if others else wanted
                head = [now, wanted, lease_end, self._bucket_prefix]
                found, passed = await (ahead or self._chunk(key, [*head, offset, look, others]))
                ahead, looks, got = None, looks + 1, got + len(found)
                # What was leased is not among the due pages any more.
                offset += passed if lease_end else passed + len(found)
                more = len(found) + passed >= look
                if more and got < limit and lease_end and not others:
                    # The server works on the next chunk while this one is unpacked.
                    head[1] = wanted = min(CHUNK, limit - got)
                    ahead = asyncio.ensure_future(self._chunk(key, [*head, 0, wanted, others]))
                    await asyncio.sleep(0)  # sends it
                yield found
                if not more:
                    break

    async def _chunk(self, key: str, arguments: list[Any]) -> _Chunk:
        reply: bytes = await self._scripts["lease"](keys=[key, self._meta], args=arguments)
        passed, count = _COUNTS.unpack_from(reply)
        lengths = struct.unpack_from(f">{count}I", reply, _COUNTS.size)
        ids = struct.unpack_from(f">{count}Q", reply, _COUNTS.size + 4 * count)
        start = _COUNTS.size + 12 * count
        ends = accumulate(lengths, initial=start)
        return [(page, reply[a:b]) for page, (a, b) in zip(ids, pairwise(ends), strict=True)], passed

    async def due(self, now: float, places: Sequence[int] = (0, 1)) -> int:
        """How many pages are due, of these places in ``keys``."""
        with self._reach():
            async with self._client.pipeline(transaction=True) as pipe:
                for place in places:
                    pipe.zcount(self.keys[place], "-inf", now)
                return sum(await pipe.execute())

    async def of(self, page: int) -> float | None:
        """When a page is due, None for one that is not among them."""
        with self._reach():
            found = [await self._client.zscore(key, ID.pack(page)) for key in self.keys]
        return next((float(at) for at in found if at is not None), None)

    async def next_at(self) -> float | None:
        """When the next page is due (or the next lease ends), None where there is no page."""
        with self._reach():
            firsts = [await self._client.zrange(key, 0, 0, withscores=True) for key in self.keys]
        return min((float(first[0][1]) for first in firsts if first), default=None)

    async def put_off(self, times: Mapping[int, float], due_by: float, due_from: float) -> None:
        """Gives those of the pages that are due between two times other due times."""
        flat = [part for page, at in times.items() for part in (ID.pack(page), at)]
        with self._reach():
            for start in range(0, len(flat), 2 * CHUNK):
                some = flat[start : start + 2 * CHUNK]
                await self._scripts["put_off"](keys=self.keys, args=[due_from, due_by, *some])

    async def set_aside(self, jobs: Mapping[int, int], due_by: float) -> None:
        """Puts those of the pages (by key, with their job's number) that are due by ``due_by`` aside."""
        flat = [part for page, number in jobs.items() for part in (ID.pack(page), number)]
        with self._reach():
            for start in range(0, len(flat), 2 * CHUNK):
                arguments = [due_by, self.aside_prefix, *flat[start : start + 2 * CHUNK]]
                await self._scripts["set_aside"](keys=[*self.keys, self._aside], args=arguments)

    async def aside(self) -> list[int]:
        """Numbers of the jobs that have pages aside."""
        with self._reach():
            found: Any = await self._client.smembers(self._aside)
        return sorted(map(int, found))

    async def take_back(self, number: int) -> int:
        """Gives a job's pages that are aside their due times again; returns how many."""
        moved, count = 0, CHUNK
        with self._reach():
            while count == CHUNK:
                arguments: list[str | int] = [self.aside_prefix, number, CHUNK]
                count = int(await self._scripts["take_back"](keys=[*self.keys, self._aside], args=arguments))
                moved += count
        return moved

    async def drop_aside(self, number: int) -> None:
        """Forgets the pages of a job that are aside."""
        with self._reach():
            async with self._client.pipeline(transaction=True) as pipe:
                pipe.delete(f"{self.aside_prefix}{number}")
                pipe.srem(self._aside, number)
                await pipe.execute()

    async def set_back(self, seconds: float) -> None:
        """Takes seconds off all due times to come (a clock that ran ahead)."""
        with self._reach():
            aside = [f"{self.aside_prefix}{number}" for number in await self.aside()]
            await set_back(self._client, (*self.keys, *aside), seconds)

    async def retime(self, now: float, factor: float, longest: float) -> None:
        """Multiplies the time that pages still wait by a factor, up to ``longest`` seconds."""
        with self._reach():
            for key in self.keys:
                first = await self._client.zcount(key, "-inf", now)
                starts = range(first, await self._client.zcard(key), _RETIME_CHUNK)
                # From the end that the pages move towards: the others then keep their ranks.
                for start in starts if factor < 1.0 else reversed(starts):
                    arguments = [now, factor, longest, start, start + _RETIME_CHUNK - 1]
                    await self._scripts["retime"](keys=[key], args=arguments)
