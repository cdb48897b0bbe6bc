"""The frontier in Redis: seen set, slot queues, leases and quarantine, each change one Lua script.

Times are the Redis server's clock, which all workers share, unless ``now`` is given (simulations and tests); workers
tell durations only, so a worker whose clock jumps does no harm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from articlebot.connect import tagged
from articlebot.errors import StateError
from articlebot.frontier.envelope import Candidate, Envelope
from articlebot.frontier.known import KnownLinks
from articlebot.frontier.leases import Counts, Leased, Settled, Settlement, Taken
from articlebot.frontier.scripts import Argument, Scripts, outages, passes
from articlebot.frontier.seen import ExactSeen, SeenLayout, SeenSet
from articlebot.frontier.slots import Adjacency
from articlebot.frontier.wire import (
    admit_arguments,
    read_settled,
    read_taken,
    settle_arguments,
    take_arguments,
    time_argument,
)
from articlebot.urls import parent_hash

LAYOUT_VERSION = 2
# What stands for "in flight" in the place of a time, and the number of the spider.
RUNNING = 1e15
# Requests and reports that are sent in one round trip.
BATCH = 75
# Links of a page that are stored before the others, so that their downloads need not wait for all.
_FIRST_BATCH = 50
# Between two batches, for downloads to begin.
_FIRST_BREATH_S, _BREATH_S = 0.05, 0.025
# What one script does at most: a few milliseconds, so that no other worker waits long.
_TAKE_CHUNK, _REAP_CHUNK = 50, 50


class Frontier:
    """The queue that all workers of one spider share; what belongs to hosts is shared by all spiders of a key prefix.

    Args:
        redis: the client; replies must be bytes.
        prefix: first part of every key.
        spider: its name, the second part.
        adjacency: which pages are fetched one after the other, see ``slots``.
        seen: layout of the seen set.
        tries: a request that came back this often is quarantined.
        lease_s: a worker that has not been heard of for this long is dead.
        lost_pause: seconds a slot rests after its worker died, since what it did last is not known.
        known: links kept in this process's memory, so that they are not sent again; 0 for none.
        seen_s: seconds after which a page that was not met again is not known any more; at the least half of them.
    """

    def __init__(
        self,
        redis: Redis,
        *,
        prefix: str = "{articlebot}",
        spider: str = "article",
        adjacency: Adjacency = "keys",
        seen: SeenLayout | None = None,
        tries: int = 5,
        lease_s: float = 30.0,
        lost_pause: float = 5.0,
        known: int = 100_000,
        seen_s: float = 365 * 86_400.0,
    ) -> None:
        self.redis = redis
        self.spider = spider
        self.shared = tagged(prefix, "frontier")
        self.prefix = f"{self.shared}:{spider}"
        self.adjacency = adjacency
        self.tries = tries
        self.lease_s = lease_s
        self.lost_pause = lost_pause
        self._admitted: Callable[[], None] = lambda: None
        self._known = KnownLinks(known)
        self.scripts = Scripts(redis, self.prefix, self.shared)
        self.seen = SeenSet(redis, self.scripts, self.prefix, seen or ExactSeen(), seen_s)
        self._epoch: bytes | None = None

    async def open(self) -> None:
        """Checks that the stored layout is this one; stores it where the frontier is new.

        Raises:
            StateError: written by another version, or with another adjacency or seen set.
        """
        wanted = {"version": str(LAYOUT_VERSION), "adjacency": self.adjacency, "seen": self.seen.layout.describe()}
        key = f"{self.prefix}:layout"
        for name, value in wanted.items():
            await self.redis.hsetnx(key, name, value)
        stored = {_text(k): _text(v) for k, v in (await self.redis.hgetall(key)).items()}
        for name, value in wanted.items():
            if stored[name] != value:
                raise StateError(
                    f"the frontier {self.prefix!r} was laid out with {name} = {stored[name]!r}, not {value!r}: "
                    "keep the setting, use another key prefix or empty it with `scrapy frontier purge --all`"
                )

    # -- in -----------------------------------------------------------------------------------------------------------

    async def admit(
        self,
        links: Iterable[Candidate],
        *,
        job: str,
        parent_url: str | None = None,
        depth: int = 0,
        from_list: bool = False,
        callback: str | None = None,
        errback: str | None = None,
        now: float | None = None,
    ) -> int:
        """Queues those links of a page that are new, in one script; returns how many were.

        A known page that is still queued gets
        the higher priority of the two.

        Args:
            links: the page's links.
            job: name of the job.
            parent_url: the page they stand on.
            depth: of the links (the parent's plus one).
            from_list: the parent is a list page or feed, which makes its links no neighbours of each other.
            callback, errback: names of the spider's methods, None for ``parse`` and for none.
            now: for simulations.

        While Redis is away or full this waits.
        """
        parent = 0 if from_list else parent_hash(parent_url)
        base = {"job": job, "parent": parent, "parent_url": parent_url, "depth": depth}
        fresh, size, breath, cleared = 0, _FIRST_BATCH, _FIRST_BREATH_S, self._known.cleared
        batch: list[Envelope] = []
        urls: list[tuple[str, int]] = []
        for link in links:
            if self._known.knows(link.url, link.priority):
                continue
            urls.append((link.url, link.priority))
            batch.append(link.envelope(base, parent, callback, errback))
            if len(batch) >= size:
                fresh += await self._admit(batch, now)
                await asyncio.sleep(breath)
                batch, size, breath = [], BATCH, _BREATH_S
        fresh += await self._admit(batch, now)
        if self._known.cleared == cleared:
            for url, priority in urls:
                self._known.add(url, priority)
        return fresh

    def listen(self, admitted: Callable[[], None]) -> None:
        """Calls ``admitted`` from now on when links were queued: their downloads may begin."""
        self._admitted = admitted

    async def _admit(self, batch: list[Envelope], now: float | None) -> int:
        new = await self._push_patiently(batch, now) if batch else 0
        if new:
            self._admitted()  # the first pages of a long list start while the others are stored
        return new

    async def push(self, envelopes: Sequence[Envelope], *, now: float | None = None) -> int:
        """Queues requests; returns how many were new. May be repeated when the answer was lost."""
        new = 0
        for i in range(0, len(envelopes), BATCH):
            arguments = admit_arguments(envelopes[i : i + BATCH], self.seen.layout, self.adjacency, now)
            new += int((await self.scripts.run("admit", arguments))[0])
        return new

    async def _push_patiently(self, envelopes: Sequence[Envelope], now: float | None) -> int:
        # The page waits with its links: were it finished without them, they would be lost.
        pause = 0.05
        while True:
            try:
                return await self.push(envelopes, now=now)
            except (RedisError, OSError) as error:
                if not passes(error):
                    raise
                await asyncio.sleep(pause)
                pause = min(1.0, 2 * pause)

    def forget_known(self) -> None:
        """Asks Redis of every link again, also of those that this process has admitted."""
        self._known.clear()

    # -- out ----------------------------------------------------------------------------------------------------------

    async def take(
        self,
        limit: int,
        worker: str,
        *,
        look_ahead: float = 0.0,
        left_out: Collection[str] = (),
        anew: bool = False,
        now: float | None = None,
    ) -> Taken:
        """Leases up to ``limit`` requests that may start within ``look_ahead`` seconds; also a heartbeat.

        Requests whose record has one of the texts in ``left_out`` (``envelope.mark``) are left to other workers, from
        now until ``anew``.
        """
        requests: list[Leased] = []
        while True:
            wanted = min(_TAKE_CHUNK, limit - len(requests))
            arguments = take_arguments(
                worker, self.adjacency, wanted, look_ahead=look_ahead, left_out=left_out, anew=anew, now=now
            )
            left_out, anew = (), False
            taken = self._taken(await self.scripts.run("take", arguments))
            requests += taken.requests
            if len(taken.requests) < wanted or len(requests) >= limit:
                return replace(taken, requests=tuple(requests))

    def _taken(self, reply: Sequence[Any]) -> Taken:
        taken = read_taken(reply)
        if self._epoch is not None and taken.epoch != self._epoch:
            self.forget_known()
        self._epoch = taken.epoch
        return taken

    async def settle(self, worker: str, settlements: Sequence[Settlement], *, now: float | None = None) -> Settled:
        """Tells what became of leases. May be repeated when the answer was lost."""
        total = Settled(0, (), 0)
        for i in range(0, len(settlements), BATCH):
            batch = settlements[i : i + BATCH]
            arguments = settle_arguments(worker, self.adjacency, batch, tries=self.tries, now=now)
            one = read_settled(await self.scripts.run("settle", arguments))
            total = Settled(
                total.settled + one.settled, total.unknown + one.unknown, total.quarantined + one.quarantined
            )
        return total

    async def exchange(
        self,
        worker: str,
        settlements: Sequence[Settlement],
        limit: int,
        *,
        look_ahead: float = 0.0,
        left_out: Collection[str] = (),
        anew: bool = False,
        said_at: float | None = None,
    ) -> tuple[Settled, Taken]:
        """``settle`` and ``take`` in one round trip, of which each does a bounded part of a long list.

        ``said_at`` is the worker's estimate of the server's time. Only the first ``BATCH`` settlements are sent.
        """
        calls: list[tuple[str, list[Argument]]] = []
        if settlements:
            batch = settlements[:BATCH]
            told = settle_arguments(worker, self.adjacency, batch, tries=self.tries, said_at=said_at)
            calls.append(("settle", told))
        wanted = take_arguments(
            worker, self.adjacency, min(limit, _TAKE_CHUNK), look_ahead=look_ahead, left_out=left_out, anew=anew
        )
        calls.append(("take", wanted))
        replies = await self.scripts.run_all(calls)
        return read_settled(replies[0]) if settlements else Settled(0, (), 0), self._taken(replies[-1])

    async def ack(self, worker: str, member: bytes, *, now: float | None = None) -> None:
        """All that the page led to is safe."""
        await self.settle(worker, [Settlement("ack", member)], now=now)

    async def fail(self, worker: str, member: bytes, reason: str, *, now: float | None = None) -> None:
        """The page could not be finished: queued again, or quarantined after too many tries."""
        await self.settle(worker, [Settlement("fail", member, text=reason)], now=now)

    # -- workers ------------------------------------------------------------------------------------------------------

    async def reap(
        self,
        worker: str,
        *,
        dead: Sequence[str] = (),
        silent: bool = True,
        limit: int = _REAP_CHUNK,
        now: float | None = None,
    ) -> int:
        """Queues again what lost workers had leased; returns how many requests.

        Args:
            worker: who asks.
            dead: workers known to have ended.
            silent: also those not heard of for ``lease_s``. Right after an outage that was longer all look dead, until
                they have had the time to speak.
            limit: most requests to queue at once; ask again when so many were.
            now: for simulations.
        """
        lease_s = self.lease_s if silent else 1e9
        arguments: list[Argument] = [
            time_argument(now),
            self.adjacency,
            worker,
            self.tries,
            lease_s,
            self.lost_pause,
            limit,
        ]
        arguments += dead
        return int((await self.scripts.run("reap", arguments))[0])

    async def reconcile(
        self, worker: str, held: Sequence[tuple[bytes, str]], *, now: float | None = None
    ) -> set[bytes]:
        """After an outage: makes the stored leases those really ``held`` (member, host); returns the lost ones."""
        arguments: list[Argument] = [time_argument(now), self.adjacency, worker, self.lost_pause]
        for member, host in held:
            arguments += (member, host)
        return set((await self.scripts.run("reconcile", arguments))[1])

    async def retire(self, worker: str) -> bool:
        """Forgets a worker that has settled all its leases.

        Returns:
            Whether it was the spider's last one, and nothing is queued or leased.
        """
        if await self.redis.exists(f"{self.prefix}:w:{worker}"):
            return False
        async with self.redis.pipeline(transaction=True) as pipeline:  # of several that end, one is the last
            pipeline.zrem(f"{self.prefix}:workers", worker)
            pipeline.delete(f"{self.prefix}:strange:{worker}")
            pipeline.zcard(f"{self.prefix}:workers")
            pipeline.hmget(f"{self.prefix}:n", "queued", "leased")
            _, _, others, left = await pipeline.execute()
        return not others and not any(int(number or 0) for number in left)

    async def workers(self) -> list[str]:
        """Names of the workers that were heard of."""
        return [_text(name) for name in await self.redis.zrange(f"{self.prefix}:workers", 0, -1)]

    async def hold(self, worker: str, host: str, *, now: float | None = None) -> float:
        """Takes a host for a fetch without a lease; returns 0 when taken, else the seconds after which to ask again."""
        return float(await self.scripts.run("hold", [time_argument(now), self.adjacency, worker, "take", host, 0]))

    async def unhold(self, worker: str, host: str, free_in: float, *, now: float | None = None) -> None:
        """Leaves a host that was taken with ``hold``."""
        await self.scripts.run("hold", [time_argument(now), self.adjacency, worker, "leave", host, free_in])

    # -- looking ------------------------------------------------------------------------------------------------------

    async def spiders(self) -> list[str]:
        """Names of the spiders that have ever queued something, by name."""
        with outages():
            return sorted(_text(name) for name in await self.redis.hkeys(f"{self.shared}:spiders"))

    def of(self, spider: str) -> Frontier:
        """The queue of another spider, on the same connection."""
        other = copy(self)
        other.spider, other.prefix = spider, f"{self.shared}:{spider}"
        other.scripts = Scripts(self.redis, other.prefix, self.shared)
        other.seen = SeenSet(self.redis, other.scripts, other.prefix, self.seen.layout, self.seen.seconds)
        other._known, other._epoch, other._admitted = KnownLinks(0), None, lambda: None
        return other

    async def close(self) -> None:
        """Closes the connection."""
        await self.redis.aclose()

    async def counts(self) -> Counts:
        """Sizes of queue, leases and quarantine.

        Raises:
            StoreUnavailable: Redis is away; the call may be repeated. So do the other questions below.
        """
        pipeline = self.redis.pipeline(transaction=False)
        pipeline.hmget(f"{self.prefix}:n", "queued", "leased")
        pipeline.hlen(f"{self.prefix}:dead")
        pipeline.hlen(f"{self.prefix}:number")
        pipeline.zcard(f"{self.prefix}:workers")
        pipeline.zcard(f"{self.prefix}:passed")
        with outages():
            (queued, leased), quarantined, slots, workers, passed = await pipeline.execute()
        return Counts(int(queued or 0), int(leased or 0), quarantined, slots, workers, passed)

    async def next_ready_at(self) -> float | None:
        """When the next queued page may start, in the server's time; None where none can be named."""
        with outages():
            first = await self.redis.zrange(f"{self.prefix}:ready", 0, 0, withscores=True)
        return float(first[0][1]) if first else None

    async def idle_for(self, now: float) -> float | None:
        """Seconds for which nothing can be done: 0 while pages are in flight or ready, None when nothing is queued.

        What is left because no worker knows its job counts as not queued.
        """
        counts, ready = await self.counts(), await self.next_ready_at()
        if counts.leased:
            return 0.0
        if ready is None:
            return None if not counts.queued or counts.passed else 0.0
        return max(0.0, ready - now)


def _text(reply: Any) -> str:
    return reply.decode() if isinstance(reply, bytes) else str(reply)
