"""Page states of one hash slot in Redis: records in small hashes, due times beside them (``due.py``).

Hashes of up to 128 records stay in Redis' compact encoding (``hash-max-ziplist-entries`` >= 128 and
``hash-max-ziplist-value`` >= 1024, which the private server is started with), which makes a page cost its bytes and
little more. Their number follows that of the pages (``lua/places.lua``).
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import redis.asyncio

from articlebot.errors import StateError, StoreUnavailable
from articlebot.frontier.scripts import LOST, outages
from articlebot.recrawl.due import ID, DueTimes, Packed, script
from articlebot.recrawl.numbers import Numbers
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.record import PageRecord, named_in, pack_record, prefix_of, unpack_record

T = TypeVar("T")

_PUT_CHUNK = 50
_EVER = 1e15
_SCAN_CHUNK = 64
_READ_CHUNK = 250
# Records unpacked at a stretch, before anything else in the process has its turn.
_UNPACK_CHUNK = 100


class Moved(NamedTuple):
    """A page on its way to another shard: its record, and where it stands with its due time, aside or not."""

    key: int
    packed: bytes
    due_at: float
    place: int
    is_aside: bool


class PageShard:
    """Some of the pages of a crawl; see ``RedisPageStates``, whose methods these are.

    Args:
        client: ``redis.asyncio`` client that returns bytes (``decode_responses`` off).
        base: first part of every key.
        jobs: the numbers of the crawl's jobs.
        origins: the numbers of what the crawl's URLs begin with.
        buckets: number of record hashes to begin with, a power of two.

    Attributes:
        times: when the pages are due.
        lost: how often the server was found without what this process had stored.
    """

    def __init__(self, client: redis.asyncio.Redis, base: str, jobs: Numbers, origins: Numbers, buckets: int) -> None:
        self._client = client
        self._first_buckets = buckets
        self._meta, self._per_job = f"{base}:meta", f"{base}:per_job"
        self._bucket_prefix = f"{base}:pages:"
        self.times = DueTimes(client, base, self._meta, self._bucket_prefix, self._reach)
        self._jobs, self._origins = jobs, origins
        self._born: bytes | str | None = None
        self.lost = 0
        self._scripts = {name: client.register_script(script(name)) for name in ("put", "forget", "read", "signal")}

    async def take(
        self, now: float, limit: int, lease_end: str, skip: Collection[str], places: Sequence[int]
    ) -> list[PageRecord]:
        """Pages that are due, of these places; leased until a time, "" to look only."""
        out: list[PageRecord] = []
        with self._reach():
            await self._open()
            others = b"".join([number.to_bytes(2, "big") for number in (await self._jobs.of_all(skip)).values()])
            async for chunk in self.times.take(now, limit, lease_end, others, places):
                for some in _chunks(chunk, _UNPACK_CHUNK):
                    out += await self._records(some)
                    await asyncio.sleep(0)
        return out

    async def set_aside(self, records: Iterable[PageRecord], due_by: float) -> None:
        """Puts those of the pages that are due by ``due_by`` aside: they are not due until ``take_back``."""
        with self._reach():
            await self.times.set_aside({one.key: await self._jobs.of(one.job) for one in records}, due_by)

    async def get(self, keys: Sequence[int]) -> list[PageRecord | None]:
        """The records of pages, in the order of ``keys``; None for a page that is not stored."""
        if not keys:
            return []
        found: list[bytes | None] = []
        with self._reach():
            await self._open()
            for chunk in _chunks(keys, _READ_CHUNK):
                ids = map(ID.pack, chunk)
                found += await self._scripts["read"](keys=[self._meta], args=[self._bucket_prefix, *ids])
        stored = [(key, packed) for key, packed in zip(keys, found, strict=True) if packed is not None]
        records = iter(await self._records(stored))
        return [None if packed is None else next(records) for packed in found]

    async def signal(self, signalled: Iterable[tuple[PageRecord, float]]) -> None:
        """Notes that signals of changes came for pages, and makes them due sooner."""
        for chunk in _chunks(signalled, _PUT_CHUNK):
            with self._reach():
                await self._open()
                args: list[Any] = [self._bucket_prefix]
                for record, at in chunk:
                    args += (ID.pack(record.key), record.signals, record.state.next_at, at)
                await self._scripts["signal"](keys=[*self.times.keys, self._meta], args=args)

    async def forget(self, *keys: int) -> int:
        """Removes pages; returns how many were stored."""
        removed = 0
        for chunk in _chunks(keys, _PUT_CHUNK):
            with self._reach():
                await self._open()
                removed += await self._scripts["forget"](
                    keys=[*self.times.keys, self._per_job, self._meta],
                    args=[self._bucket_prefix, self.times.aside_prefix, *map(ID.pack, chunk)],
                )
        return removed

    async def forget_job(self, job: str) -> list[int]:
        """Removes every page of a job; returns their keys. Looks at all pages there are."""
        keys = await self.keys_of(job)
        await self.forget(*keys)
        with self._reach():
            number = await self._jobs.of(job)
        await self.times.drop_aside(number)
        return keys

    async def moved(self) -> AsyncIterator[list[Moved]]:
        """Every page, some at a time, for another shard; they stay here until they are forgotten."""
        with self._reach():
            await self._open()
            aside = [f"{self.times.aside_prefix}{number}" for number in await self.times.aside()]
            first = 0
            while chunk := range(first, min(first + _SCAN_CHUNK, await self._number())):
                first = chunk.stop
                pipe: Any = self._client.pipeline(transaction=False)
                for bucket in chunk:
                    pipe.hgetall(f"{self._bucket_prefix}{bucket}")
                pages = [pair for found in await pipe.execute() for pair in found.items()]
                for some in _chunks(pages, _PUT_CHUNK):
                    yield await self._with_times(some, aside)

    async def _with_times(self, pages: list[tuple[bytes, bytes]], aside: list[str]) -> list[Moved]:
        places = [(key, b"") for key in self.times.keys] + [(key, kind) for key in aside for kind in (b"1", b"2")]
        pipe: Any = self._client.pipeline(transaction=False)
        for page, _ in pages:
            for key, before in places:
                pipe.zscore(key, before + page)
        found, moved = await pipe.execute(), []
        for number, (page, packed) in enumerate(pages):
            times = found[number * len(places) : (number + 1) * len(places)]
            place, at = next(((place, at) for place, at in enumerate(times) if at is not None), (1, 0.0))
            moved.append(Moved(ID.unpack(page)[0], packed, at, place % 2, place > 1))
        return moved

    async def adopt(self, pages: Sequence[Moved]) -> None:
        """Writes pages of another shard; may be repeated."""
        with self._reach():
            await self._open()
            args: list[Any] = [self._bucket_prefix, 0, self.times.aside_prefix]
            for one in pages:
                args += (ID.pack(one.key), one.due_at, one.packed, one.place + 1)
            await self._scripts["put"](keys=[*self.times.keys, self._per_job, self._meta], args=args)
            aside = {one.key: int.from_bytes(one.packed[:2], "big") for one in pages if one.is_aside}
            await self.times.set_aside(aside, _EVER)

    async def end(self) -> None:
        """Removes what is left of a shard without pages."""
        for number in await self.times.aside():
            await self.times.drop_aside(number)
        with self._reach():
            await self._client.delete(self._meta, self._per_job)

    async def counts(self, now: float) -> tuple[int, dict[int, int]]:
        """Pages due at ``now``, and pages by number of their job."""
        due = await self.times.due(now)
        with self._reach():
            per_job = await self._client.hgetall(self._per_job)
        return due, {int(number): int(count) for number, count in per_job.items() if int(count) > 0}

    async def records(self, job: str | None = None) -> AsyncIterator[PageRecord]:
        """Every record, or those of one job, in no order."""
        with self._reach():
            await self._open()
            wanted = None if job is None else await self._jobs.known(job)
        if job is not None and wanted is None:
            return
        first = 0
        # What moves meanwhile goes to hashes that are still to come.
        while chunk := range(first, min(first + _SCAN_CHUNK, await self._number())):
            first = chunk.stop
            with self._reach():
                async with self._client.pipeline(transaction=False) as pipe:
                    for bucket in chunk:
                        pipe.hgetall(f"{self._bucket_prefix}{bucket}")
                    hashes = await pipe.execute()
            for found in hashes:
                pages = [(ID.unpack(field)[0], packed) for field, packed in found.items()]
                for record in await self._records(
                    [page for page in pages if wanted is None or wanted == named_in(page[1])[0]]
                ):
                    yield record

    async def put(self, records: Iterable[PageRecord], *, only_new: bool = False) -> int:
        """Writes records; returns how many were new. With ``only_new`` what is there stays as it is."""
        added = 0
        for chunk in _chunks(records, _PUT_CHUNK):
            with self._reach():
                await self._open()
                args: list[Any] = [self._bucket_prefix, int(only_new), self.times.aside_prefix]
                origins = [prefix_of(record.url) for record in chunk]
                numbers = await self._origins.given([origin for origin in origins if origin])
                jobs = await self._jobs.of_all([record.job for record in chunk])
                for record, origin in zip(chunk, origins, strict=True):
                    packed = pack_record(record, jobs[record.job], origin, numbers.get(origin))
                    place = 1 if record.state.kind is Kind.LIST else 2
                    args += (ID.pack(record.key), record.state.next_at, packed, place)
                added += await self._scripts["put"](keys=[*self.times.keys, self._per_job, self._meta], args=args)
        return added

    @contextmanager
    def _reach(self) -> Iterator[None]:
        """As ``outages``; where the server was emptied, what is remembered of it here goes too."""
        try:
            with outages():
                yield
        except StoreUnavailable as error:
            if LOST in str(error):
                self._born, self.lost = None, self.lost + 1
                self._jobs.forget()
                self._origins.forget()
            raise

    async def _open(self) -> None:
        """Settles the first number of hashes, and a name of the whole: the first to store a page decides."""
        known = self._born  # another call may learn meanwhile that the server was emptied
        if not known:
            await self._client.hsetnx(self._meta, "buckets", str(self._first_buckets))
            await self._client.hsetnx(self._meta, "born", uuid.uuid4().hex)
        found: Any = await self._client.hmget(self._meta, ["buckets", "born"])
        kept, born = found
        if known and born != known:
            raise StoreUnavailable(LOST)  # or emptied, and another process was the first to store anything
        if kept is None or not kept.isdigit() or not int(kept):
            raise StateError(f"{self._meta}: buckets is {kept!r}")
        self._born = born

    async def _number(self) -> int:
        """How many hashes there are now."""
        with self._reach():
            return int(await self._client.hget(self._meta, "buckets") or 0)

    async def keys_of(self, job: str) -> list[int]:
        """Keys of the pages of a job. Looks at all pages there are."""
        return list(dict.fromkeys([record.key async for record in self.records(job)]))

    async def _records(self, pages: Sequence[Packed]) -> list[PageRecord]:
        named = [named_in(packed) for _, packed in pages]
        jobs = await self._jobs.names({job for job, _ in named})
        origins = await self._origins.names({origin for _, origin in named if origin is not None})
        return [
            unpack_record(key, packed, jobs[job], "" if origin is None else origins[origin])
            for (key, packed), (job, origin) in zip(pages, named, strict=True)
        ]


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
