"""Page states in Redis: one hash slot has them all, or each of some shards has a part.

A page's shard follows from its key alone, which is a hash: shards are even, and nobody needs the page's address to find
its state. What belongs to all pages (numbers of jobs, what was learned) stays in one place.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeVar

import redis.asyncio

from articlebot.connect import tagged
from articlebot.frontier.scripts import outages
from articlebot.recrawl.numbers import JobsHeard, Numbers
from articlebot.recrawl.record import PageRecord, Seed
from articlebot.recrawl.shard import PageShard
from articlebot.shards import shard_tag
from articlebot.together import Together

T = TypeVar("T")

# Hashes of a new store, all shards together; 2 million pages later there are more.
_BUCKETS = 65_536
_MOST_PEEKED = 500
_APART_S = 0.001  # between the due times of seeds that are given together, so that the first come first
_KEY = attrgetter("key")


class Counts(NamedTuple):
    """How many pages there are, how many of them are due, and how many each job has."""

    pages: int
    due: int
    by_job: dict[str, int]


def shard_of(key: int, shards: int) -> int:
    """The number of a page's shard. Inside of it the lower half of the key says where the page is."""
    return (key >> 32) % shards


class RedisPageStates:
    """The page states of one crawl.

    Args:
        client: ``redis.asyncio`` client that returns bytes (``decode_responses`` off).
        prefix: first part of every key.
        buckets: number of record hashes to begin with, a power of two up to 65,536.
        shards: a client for each shard; none where one hash slot has all.
        losses: how often Redis came back so far, perhaps without what it was told last.

    Every method raises ``StoreUnavailable`` where Redis cannot be reached; the call may be repeated.
    """

    def __init__(
        self, client: redis.asyncio.Redis, prefix: str = "{articlebot}", buckets: int = _BUCKETS,
        shards: Sequence[redis.asyncio.Redis] = (), losses: Callable[[], int] = int,
    ) -> None:  # fmt: skip
        if buckets & (buckets - 1) or not 1 <= buckets <= 65_536:
            raise ValueError(f"buckets: a power of two from 1 to 65,536, not {buckets}")
        self._client = client
        base = tagged(prefix, "recrawl")
        self._swept = f"{base}:swept"
        self._jobs, origins = Numbers(client, base, "job", losses), Numbers(client, base, "origin", losses)
        self._heard = JobsHeard(client, base, self._jobs)
        each = max(1, buckets >> len(shards).bit_length())
        self.shards = [
            PageShard(one, shard_tag(prefix, "recrawl", number, len(shards)), self._jobs, origins, each)
            for number, one in enumerate(shards)
        ] or [PageShard(client, base, self._jobs, origins, buckets)]
        self._turn = 0

    @classmethod
    def on(cls, together: Together, prefix: str, shards: int) -> RedisPageStates:
        """The page states below a prefix, in so many shards."""
        tags = [shard_tag(prefix, "recrawl", number, shards) for number in range(shards)] if shards > 1 else []
        return cls(together.of(tagged(prefix, "recrawl")), prefix, shards=[together.of(tag) for tag in tags])

    @property
    def lost(self) -> int:
        """How often Redis was found without the page states that this process had stored."""
        return sum(shard.lost for shard in self.shards)

    def _split(self, items: Iterable[T], key: Callable[[T], int]) -> list[tuple[PageShard, list[T]]]:
        """What belongs to each shard, in order."""
        if len(self.shards) == 1:
            return [(self.shards[0], list(items))]
        parts: dict[int, list[T]] = defaultdict(list)
        for item in items:
            parts[shard_of(key(item), len(self.shards))].append(item)
        return [(self.shards[number], some) for number, some in parts.items()]

    async def add_seeds(self, seeds: Iterable[Seed], now: float) -> int:
        """Stores pages that are not known yet, due at once and in this order; returns how many were new."""
        every = list(seeds)
        records = (seed.record(now - n * _APART_S) for n, seed in enumerate(reversed(every)))
        parts = self._split(records, _KEY)
        return sum(await _all(shard.put(some, only_new=True) for shard, some in parts))

    async def put_many(self, records: Iterable[PageRecord]) -> int:
        """Writes records with their due times, which ends their leases; returns how many pages were new."""
        return sum(await _all(shard.put(some) for shard, some in self._split(records, _KEY)))

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
        if len(self.shards) == 1:
            return await self.shards[0].take(now, limit, lease_end, skip, (0, 1))
        out: list[PageRecord] = []
        for place in (0, 1):
            due = await _all(shard.times.due(now, (place,)) for shard in self.shards)
            # Pages are spread by chance, so that the longest due are found in each shard alike; of few, in turn.
            self._turn += 1
            rooms = _shares(limit - len(out), due, self._turn)
            found = await _all(
                shard.take(now, room, lease_end, skip, (place,))
                for shard, room in zip(self.shards, rooms, strict=True)
                if room
            )
            out += [record for some in found for record in some]
        return out

    async def put_off(self, times: Mapping[int, float], due_by: float, due_from: float = 0.0) -> None:
        """Gives the pages (by key) that are due between two times another due time; nothing else of them changes.

        A page that was visited since it was found due has a new due time, and keeps it. With ``due_from`` none is moved
        to a later time.
        """
        parts = self._split(times.items(), lambda pair: pair[0])
        await _all(shard.times.put_off(dict(some), due_by, due_from) for shard, some in parts)

    async def set_aside(self, records: Iterable[PageRecord], due_by: float) -> None:
        """Puts those of the pages that are due by ``due_by`` aside: they are not due until ``take_back``."""
        await _all(shard.set_aside(some, due_by) for shard, some in self._split(records, _KEY))

    async def take_back(self, follows: Callable[[str], bool]) -> int:
        """Makes the pages of followed jobs that stood aside due again; returns how many."""
        aside = await _all(shard.times.aside() for shard in self.shards)
        names = await self._jobs.names(sorted(set().union(*aside)))
        return sum(
            await _all(
                shard.times.take_back(number)
                for shard, numbers in zip(self.shards, aside, strict=True)
                for number in numbers
                if follows(names[number])
            )
        )

    async def get(self, keys: Sequence[int]) -> list[PageRecord | None]:
        """The records of pages, in the order of ``keys``; None for a page that is not stored."""
        parts = self._split(keys, int)
        found = await _all(shard.get(some) for shard, some in parts)
        if len(parts) == 1:
            return found[0]
        by_key: dict[int, PageRecord | None] = {}
        for (_, some), part in zip(parts, found, strict=True):
            by_key.update(zip(some, part, strict=True))
        return [by_key[key] for key in keys]

    async def signal(self, signalled: Iterable[tuple[PageRecord, float]]) -> None:
        """Notes that signals of changes came for pages, and makes them due sooner.

        Args:
            signalled: each page as it was read, with all its signals, and when it is due by them. One that was visited,
                leased or put off meanwhile keeps its due time.
        """
        await _all(shard.signal(some) for shard, some in self._split(signalled, lambda pair: pair[0].key))

    async def due_at(self, key: int) -> float | None:
        """When a page is due, put off or not: later than its state says while its visit is queued or its job closed."""
        return await self.shards[shard_of(key, len(self.shards))].times.of(key)

    async def forget(self, *keys: int) -> int:
        """Removes pages; returns how many were stored."""
        return sum(await _all(shard.forget(*some) for shard, some in self._split(keys, int)))

    async def forget_job(self, job: str) -> list[int]:
        """Removes every page of a job; returns their keys. Looks at all pages there are."""
        return [key for shard in self.shards for key in await shard.forget_job(job)]

    async def note_jobs(self, jobs: Iterable[str], now: float) -> None:
        """Notes that a crawl knows these jobs, so that ``forget_unknown`` keeps their pages."""
        with outages():
            await self._heard.note(jobs, now)

    async def forget_unknown(self, now: float, age_s: float, every_s: float) -> dict[str, int]:
        """Forgets the pages of jobs that no crawl has noted for ``age_s`` seconds; returns how many by job.

        One worker does this, once in ``every_s`` seconds. A job that was never noted counts from now on.
        """
        with outages():
            if not await self._client.set(self._swept, "1", nx=True, px=max(1, round(every_s * 1000))):
                return {}
            _, counts = await self._counts(now)
            unheard = await self._heard.unheard(counts, now, age_s)
        forgotten = {}
        for number, job in (await self._jobs.names(unheard)).items():
            forgotten[job] = sum([await shard.forget(*await shard.keys_of(job)) for shard in self.shards])
            with outages():
                await self._heard.forget(number)
        return forgotten

    async def next_due_at(self) -> float | None:
        """When the next page is due (or the next lease ends), None where there is no page."""
        found = await _all(shard.times.next_at() for shard in self.shards)
        return min((at for at in found if at is not None), default=None)

    async def counts(self, now: float) -> Counts:
        """Pages, pages due at ``now``, and pages per job."""
        due, numbers = await self._counts(now)
        names = await self._jobs.names(numbers)
        by_job = {names[number]: count for number, count in numbers.items()}
        return Counts(sum(by_job.values()), due, by_job)

    async def _counts(self, now: float) -> tuple[int, Counter[int]]:
        found = await _all(shard.counts(now) for shard in self.shards)
        numbers: Counter[int] = Counter()
        for _, per_job in found:
            numbers.update(per_job)
        return sum(due for due, _ in found), numbers

    async def move_to(self, other: RedisPageStates, told: Callable[[int], None]) -> int:
        """Moves all pages to a store with another number of shards while nobody works on either; returns how many.

        May be killed and repeated. ``told`` is called with how many were moved.
        """
        moved = 0
        for shard in self.shards:
            async for pages in shard.moved():
                parts = other._split(pages, _KEY)
                await _all(target.adopt(some) for target, some in parts)
                await shard.forget(*(page.key for page in pages))
                moved += len(pages)
                told(len(pages))
            await shard.end()
        return moved

    async def set_back(self, seconds: float) -> None:
        """Takes seconds off all due times to come (a clock that ran ahead)."""
        await _all(shard.times.set_back(seconds) for shard in self.shards)

    async def retime(self, now: float, factor: float, longest: float) -> None:
        """Multiplies the remaining waits of all pages by a factor, up to ``longest`` seconds, to follow a budget."""
        await _all(shard.times.retime(now, factor, longest) for shard in self.shards)


async def _all(work: Iterable[Awaitable[T]]) -> list[T]:
    """The results of all; where one fails the others come to their end first."""
    waiting = list(work)
    if len(waiting) == 1:
        return [await waiting[0]]
    done = await asyncio.gather(*waiting, return_exceptions=True)
    for one in done:
        if isinstance(one, BaseException):
            raise one
    return done  # type: ignore[return-value]


def _shares(room: int, wanted: Sequence[int], turn: int) -> list[int]:
    """A room cut by what is wanted; what is left of the cutting goes round, from another place each time."""
    total = sum(wanted)
    if total <= room:
        return list(wanted)
    shares = [room * one // total for one in wanted]
    left, place = room - sum(shares), turn
    while left > 0:
        at = place % len(wanted)
        if shares[at] < wanted[at]:
            shares[at] += 1
            left -= 1
        place += 1
    return shares
