"""Page states in Redis: records in small hashes, due times beside them (``due.py``).

Hashes of up to 128 records stay in Redis' compact encoding (``hash-max-ziplist-entries`` >= 128 and
``hash-max-ziplist-value`` >= 1024, which the private server is started with), which makes a page cost its bytes and
little more. Their number follows that of the pages (``lua/places.lua``).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import redis.asyncio

from articlebot.connect import tagged
from articlebot.errors import StateError
from articlebot.recrawl.due import ID, DueTimes, script
from articlebot.recrawl.job_numbers import JobNumbers, outages
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.record import Form, PageRecord, pack_record, unpack_record
from articlebot.recrawl.state import PageState

T = TypeVar("T")

# Hashes of a new store; 2 million pages later there are more.
_BUCKETS = 65_536
_PUT_CHUNK = 50
_MOST_PEEKED = 500
_SCAN_CHUNK = 64
_READ_CHUNK = 250
# Records unpacked at a stretch, before anything else in the process has its turn.
_UNPACK_CHUNK = 100


class Seed(NamedTuple):
    """A page to follow from now on. ``form`` as in ``PageRecord``."""

    key: int
    url: str
    job: str
    kind: Kind = Kind.LIST
    form: Form = "auto"


class Counts(NamedTuple):
    """How many pages there are, how many of them are due, and how many each job has."""

    pages: int
    due: int
    by_job: dict[str, int]


class RedisPageStates:
    """The page states of one crawl.

    Args:
        client: ``redis.asyncio`` client that returns bytes (``decode_responses`` off).
        prefix: first part of every key.
        buckets: number of record hashes to begin with, a power of two up to 65,536.

    Every method raises ``StoreUnavailable`` where Redis cannot be reached; the call may be repeated.
    """

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}", buckets: int = _BUCKETS) -> None:
        if buckets & (buckets - 1) or not 1 <= buckets <= 65_536:
            raise ValueError(f"buckets: a power of two from 1 to 65,536, not {buckets}")
        self._client = client
        self._first_buckets = buckets
        base = tagged(prefix, "recrawl")
        self._meta, self._per_job = f"{base}:meta", f"{base}:per_job"
        self._swept = f"{base}:swept"
        self._bucket_prefix = f"{base}:pages:"
        self._due = DueTimes(client, base, self._meta, self._bucket_prefix)
        self._jobs = JobNumbers(client, base)
        self._opened = False
        self._scripts = {name: client.register_script(script(name)) for name in ("put", "forget", "read", "signal")}

    async def add_seeds(self, seeds: Iterable[Seed], now: float) -> int:
        """Stores pages that are not known yet, due at once; returns how many were new."""
        records = (
            PageRecord(seed.key, seed.url, seed.job, PageState(seed.kind, 0, 0, now, now, now), form=seed.form)
            for seed in seeds
        )
        return await self._put(records, only_new=True)

    async def put_many(self, records: Iterable[PageRecord]) -> int:
        """Writes records with their due times, which ends their leases; returns how many pages were new."""
        return await self._put(records, only_new=False)

    async def lease_due(
        self, now: float, limit: int, lease_s: float, *, skip: Collection[str] = ()
    ) -> list[PageRecord]:
        """Takes up to ``limit`` pages due at ``now``: list pages first, of each kind the longest due first.

        They are due again at ``now + lease_s`` unless ``put_many`` writes them before: a page whose holder died
        comes back. Pages of the jobs in ``skip`` stay due; the look past them goes 5,000 pages far.
        """
        return await self._take(now, limit, str(now + lease_s), skip)

    async def peek_due(self, now: float, limit: int, *, skip: Collection[str] = ()) -> list[PageRecord]:
        """Up to ``limit`` pages due at ``now`` (500 at most), in the same order; none of them is leased by this.

        ``skip`` as in ``lease_due``.
        """
        return await self._take(now, min(limit, _MOST_PEEKED), "", skip)

    async def _take(self, now: float, limit: int, lease_end: str, skip: Collection[str]) -> list[PageRecord]:
        out: list[PageRecord] = []
        with outages():
            await self._open()
            others = b"".join([(await self._jobs.of(job)).to_bytes(2, "big") for job in skip])
            async for chunk in self._due.take(now, limit, lease_end, others):
                for some in _chunks(chunk, _UNPACK_CHUNK):
                    out += [await self._record(key, packed) for key, packed in some]
                    await asyncio.sleep(0)
        return out

    async def put_off(self, times: Mapping[int, float], due_by: float, due_from: float = 0.0) -> None:
        """Gives the pages (by key) that are due between two times another due time; nothing else of them changes.

        A page that was visited since it was found due has a new due time, and keeps it.
        """
        with outages():
            await self._due.put_off(times, due_by, due_from)

    async def set_aside(self, records: Iterable[PageRecord], due_by: float) -> None:
        """Puts those of the pages that are due by ``due_by`` aside: they are not due until ``take_back``."""
        with outages():
            await self._due.set_aside({one.key: await self._jobs.of(one.job) for one in records}, due_by)

    async def take_back(self, follows: Callable[[str], bool]) -> int:
        """Makes the pages of followed jobs that stood aside due again; returns how many."""
        with outages():
            numbers = await self._due.aside()
            names = {number: await self._jobs.name(number) for number in numbers}
            return sum([await self._due.take_back(number) for number in numbers if follows(names[number])])

    async def get(self, keys: Sequence[int]) -> list[PageRecord | None]:
        """The records of pages, in the order of ``keys``; None for a page that is not stored."""
        if not keys:
            return []
        found: list[bytes | None] = []
        with outages():
            await self._open()
            for chunk in _chunks(keys, _READ_CHUNK):
                ids = map(ID.pack, chunk)
                found += await self._scripts["read"](keys=[self._meta], args=[self._bucket_prefix, *ids])
        return [
            None if packed is None else await self._record(key, packed) for key, packed in zip(keys, found, strict=True)
        ]

    async def signal(self, signalled: Iterable[tuple[PageRecord, float]]) -> None:
        """Notes that signals of changes came for pages, and makes them due sooner.

        Args:
            signalled: each page as it was read, with all its signals, and when it is due by them. One that was visited,
                leased or put off meanwhile keeps its due time.
        """
        for chunk in _chunks(signalled, _PUT_CHUNK):
            with outages():
                await self._open()
                args: list[Any] = [self._bucket_prefix]
                for record, at in chunk:
                    args += (ID.pack(record.key), record.signals, record.state.next_at, at)
                await self._scripts["signal"](keys=[*self._due.keys, self._meta], args=args)

    async def due_at(self, key: int) -> float | None:
        """When a page is due, put off or not: later than its state says while its visit is queued or its job closed."""
        with outages():
            return await self._due.of(key)

    async def forget(self, *keys: int) -> int:
        """Removes pages; returns how many were stored."""
        removed = 0
        for chunk in _chunks(keys, _PUT_CHUNK):
            with outages():
                await self._open()
                removed += await self._scripts["forget"](
                    keys=[*self._due.keys, self._per_job, self._meta],
                    args=[self._bucket_prefix, self._due.aside_prefix, *map(ID.pack, chunk)],
                )
        return removed

    async def forget_job(self, job: str) -> list[int]:
        """Removes every page of a job; returns their keys. Looks at all pages there are."""
        keys = await self._keys_of(job)
        await self.forget(*keys)
        with outages():
            await self._due.drop_aside(await self._jobs.of(job))
        return keys

    async def note_jobs(self, jobs: Iterable[str], now: float) -> None:
        """Notes that a crawl knows these jobs, so that ``forget_unknown`` keeps their pages."""
        with outages():
            await self._jobs.note(jobs, now)

    async def forget_unknown(self, now: float, age_s: float, every_s: float) -> dict[str, int]:
        """Forgets the pages of jobs that no crawl has noted for ``age_s`` seconds; returns how many by job.

        One worker does this, once in ``every_s`` seconds. A job that was never noted counts from now on.
        """
        with outages():
            if not await self._client.set(self._swept, "1", nx=True, px=max(1, round(every_s * 1000))):
                return {}
            counts = await self._client.hgetall(self._per_job)
            numbers = [int(number) for number, count in counts.items() if int(count) > 0]
            unheard = await self._jobs.unheard(numbers, now, age_s)
        forgotten = {}
        for number in unheard:
            job = await self._jobs.name(number)
            keys = await self._keys_of(job)
            forgotten[job] = await self.forget(*keys)
            with outages():
                await self._jobs.forget(number)
        return forgotten

    async def next_due_at(self) -> float | None:
        """When the next page is due (or the next lease ends), None where there is no page."""
        with outages():
            return await self._due.next_at()

    async def counts(self, now: float) -> Counts:
        """Pages, pages due at ``now``, and pages per job."""
        with outages():
            due = await self._due.due(now)
            per_job = await self._client.hgetall(self._per_job)
            by_job = {await self._jobs.name(int(number)): int(count) for number, count in per_job.items()}
        return Counts(sum(by_job.values()), due, {name: count for name, count in by_job.items() if count > 0})

    async def records(self, job: str | None = None) -> AsyncIterator[PageRecord]:
        """Every record, or those of one job, in no order.

        Pages written meanwhile may come in either form, and twice where the store grows.
        """
        with outages():
            await self._open()
            wanted = None if job is None else await self._jobs.known(job)
        if job is not None and wanted is None:
            return
        first = 0
        # What moves meanwhile goes to hashes that are still to come.
        while chunk := range(first, min(first + _SCAN_CHUNK, await self._number())):
            first = chunk.stop
            with outages():
                async with self._client.pipeline(transaction=False) as pipe:
                    for bucket in chunk:
                        pipe.hgetall(f"{self._bucket_prefix}{bucket}")
                    hashes = await pipe.execute()
            for found in hashes:
                for field, packed in found.items():
                    if wanted is None or wanted == int.from_bytes(packed[:2], "big"):
                        yield await self._record(ID.unpack(field)[0], packed)

    async def rein_in(self, latest: float) -> int:
        """Brings due times after ``latest`` back to it (a clock that ran ahead); returns how many."""
        with outages():
            return await self._due.rein_in(latest)

    async def retime(self, now: float, factor: float, longest: float) -> None:
        """Multiplies the remaining waits of all pages by a factor, up to ``longest`` seconds, to follow a budget."""
        with outages():
            await self._due.retime(now, factor, longest)

    async def _put(self, records: Iterable[PageRecord], *, only_new: bool) -> int:
        added = 0
        for chunk in _chunks(records, _PUT_CHUNK):
            with outages():
                await self._open()
                args: list[Any] = [self._bucket_prefix, int(only_new), self._due.aside_prefix]
                for record in chunk:
                    packed = pack_record(record, await self._jobs.of(record.job))
                    place = 1 if record.state.kind is Kind.LIST else 2
                    args += (ID.pack(record.key), record.state.next_at, packed, place)
                added += await self._scripts["put"](keys=[*self._due.keys, self._per_job, self._meta], args=args)
        return added

    async def _open(self) -> None:
        """Settles the first number of hashes: the first to store a page decides."""
        if self._opened:
            return
        await self._client.hsetnx(self._meta, "buckets", str(self._first_buckets))
        kept = await self._client.hget(self._meta, "buckets")
        if kept is None or not kept.isdigit() or not int(kept):
            raise StateError(f"{self._meta}: buckets is {kept!r}")
        self._opened = True

    async def _number(self) -> int:
        """How many hashes there are now."""
        with outages():
            return int(await self._client.hget(self._meta, "buckets") or 0)

    async def _keys_of(self, job: str) -> list[int]:
        return list(dict.fromkeys([record.key async for record in self.records(job)]))

    async def _record(self, key: int, packed: bytes) -> PageRecord:
        number, url, state, validators, form, signals = unpack_record(packed)
        return PageRecord(key, url, await self._jobs.name(number), state, validators, form, signals)


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    chunk: list[T] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
