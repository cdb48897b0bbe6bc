"""The frontier in Redis: seen set, slot queues, leases and quarantine, each change one Lua script.

Times are the Redis server's clock, which all workers share, unless ``now`` is given (simulations and tests); workers
tell durations only, so a worker whose clock jumps does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from typing import Any

from redis.asyncio import Redis

from articlebot.connect import tagged
from articlebot.errors import StateError
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Counts, Settled, Settlement, Taken
from articlebot.frontier.links import KNOWN_LINKS, Links
from articlebot.frontier.scripts import Argument, Scripts, outages
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
from articlebot.shards import shard_tag

LAYOUT_VERSION = 2
# What stands for "in flight" in the place of a time, and the number of the spider.
RUNNING = 1e15
# Requests and reports that are sent in one round trip.
BATCH = 75
# What one script does at most: a few milliseconds, so that no other worker waits long.
TAKE_CHUNK, _REAP_CHUNK = 50, 50


class Frontier:
    """The queue that all workers of one spider share; what belongs to hosts is shared by all spiders of a key prefix.

    Args:
        redis: the client; replies must be bytes.
        prefix: first part of every key.
        spider: its name, the second part.
        adjacency: which pages are fetched one after the other, see ``slots``.
        seen: layout of the seen set.
        tries: a request that failed this often is quarantined.
        lease_s: a worker that has not been heard of for this long is dead.
        lost_pause: seconds a slot rests after its worker died, because nobody knows what it did last.
        known: links kept in this process's memory, so that they are not sent again; 0 for none.
        seen_s: a page that is not met again is forgotten after half to all of these seconds.
        list_parents: whether list pages are parents of their links, as other pages are.
        place: number of this shard, and how many there are; see ``sharded``.
    """

    def __init__(
        self, redis: Redis, *, prefix: str = "{articlebot}", spider: str = "article", adjacency: Adjacency = "keys",
        seen: SeenLayout | None = None, tries: int = 5, lease_s: float = 30.0, lost_pause: float = 5.0,
        known: int = KNOWN_LINKS, seen_s: float = 365 * 86_400.0, list_parents: bool = False,
        place: tuple[int, int] = (0, 1),
    ) -> None:  # fmt: skip
        self.redis = redis
        self.spider = spider
        self.place = place
        self.shared = tagged(prefix, "frontier") if place[1] == 1 else shard_tag(prefix, "frontier", *place)
        self.prefix = f"{self.shared}:{spider}"
        self.adjacency = adjacency
        self.tries = tries
        self.lease_s = lease_s
        self.lost_pause = lost_pause
        self.scripts = Scripts(redis, self.prefix, self.shared)
        self.seen = SeenSet(redis, self.scripts, self.prefix, seen or ExactSeen(), seen_s)
        self.links = Links(self.push, known, list_parents=list_parents)
        self._epoch: bytes | None = None

    @property
    def shards(self) -> tuple[Frontier, ...]:
        """The parts that it is cut into: itself."""
        return (self,)

    def of_host(self, host: str) -> Frontier:
        """The part that has a host: itself."""
        return self

    async def open(self) -> None:
        """Checks that the stored layout is this one; stores it where the frontier is new.

        Raises:
            StateError: written by another version, or with another adjacency or seen set.
        """
        wanted = {"version": str(LAYOUT_VERSION), "adjacency": self.adjacency, "seen": self.seen.layout.describe()}
        key = f"{self.prefix}:layout"
        stored: dict[str, str] = {}
        while not stored.keys() >= wanted.keys():  # Redis may be restarted meanwhile, without its last second
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

    async def push(self, envelopes: Sequence[Envelope], *, now: float | None = None) -> int:
        """Queues requests; returns how many were new. May be repeated when the answer was lost."""
        new = 0
        for i in range(0, len(envelopes), BATCH):
            arguments = admit_arguments(envelopes[i : i + BATCH], self.seen.layout, self.adjacency, now)
            new += int((await self.scripts.run("admit", arguments))[0])
        return new

    # -- out ----------------------------------------------------------------------------------------------------------

    async def exchange(
        self, worker: str, settlements: Sequence[Settlement], limit: int, *, look_ahead: float = 0.0,
        left_out: Collection[str] = (), anew: bool = False, said_at: float | None = None,
        number: int | None = None, says: bool = False, begun: float | None = None, stay: float = 0.0,
        now: float | None = None,
    ) -> tuple[Settled, Taken]:  # fmt: skip
        """Tells what became of leases and leases requests that may start within ``look_ahead`` seconds; a heartbeat.

        May be repeated when the answer was lost. It does a bounded part of a long list: the first ``BATCH``
        settlements, and ``TAKE_CHUNK`` of the ``limit`` requests.

        Args:
            worker: who tells and asks.
            settlements: what became of leases.
            limit: most requests to lease.
            look_ahead: seconds.
            left_out: requests whose record has one of these texts (``envelope.mark``) are left to other workers, from
                now until ``anew``.
            anew: forgets what was left out before.
            said_at: the worker's estimate of the server's time.
            number: of the worker's word: what was heard already, or arrives after a later one, is passed over.
            says: says the number although there is nothing to tell.
            begun: when the run began, by the server's clock, where it ends when nothing may start within ``stay``
                seconds: it does not stay for hosts that it asked in vain.
            stay: see there.
            now: for simulations.
        """
        calls: list[tuple[str, list[Argument]]] = []
        server = self._epoch.partition(b" ")[2] if self._epoch is not None else b""
        if settlements or says:
            batch = settlements[:BATCH]
            told = settle_arguments(
                worker, self.adjacency, batch, tries=self.tries, server=server, number=number, said_at=said_at,
                now=now,
            )  # fmt: skip
            calls.append(("settle", told))
        wanted = take_arguments(
            worker, self.adjacency, min(limit, TAKE_CHUNK), look_ahead=look_ahead, left_out=left_out, anew=anew,
            begun=begun, stay=stay, now=now,
        )  # fmt: skip
        calls.append(("take", wanted))
        replies = await self.scripts.run_all(calls)
        taken = read_taken(replies[-1], self.place)
        if self._epoch is not None and taken.epoch != self._epoch:
            self.links.forget()
        self._epoch = taken.epoch
        return read_settled(replies[0]) if len(calls) > 1 else Settled(0, (), 0), taken

    # -- workers ------------------------------------------------------------------------------------------------------

    async def reap(
        self, worker: str, *, dead: Sequence[str] = (), silent: bool = True, limit: int = _REAP_CHUNK,
        now: float | None = None,
    ) -> int:  # fmt: skip
        """Queues again what lost workers had leased; returns how many requests.

        Args:
            worker: who asks.
            dead: workers known to have ended.
            silent: also those not heard of for ``lease_s``. After an outage that was longer all look dead: first give
                them time to speak.
            limit: most requests to queue at once; ask again when so many were.
            now: for simulations.
        """
        lease_s = self.lease_s if silent else 1e9
        at = time_argument(now)
        arguments: list[Argument] = [at, self.adjacency, worker, self.tries, lease_s, self.lost_pause, limit, *dead]
        return int((await self.scripts.run("reap", arguments))[0])

    async def reconcile(
        self, worker: str, held: Sequence[tuple[bytes, str, bool]], *, number: int | None = None,
        answered: int | None = None, now: float | None = None,
    ) -> set[bytes]:  # fmt: skip
        """After an outage: sets the stored leases to those really ``held``; returns the lost ones.

        Of each its member and host, and whether it has not left its slot yet.

        ``number`` is that of the comparison, ``answered`` that of the worker's last word (``exchange``) that was
        answered: what arrives under it later is passed over, also where the worker was taken for dead meanwhile.
        """
        arguments: list[Argument] = [time_argument(now), self.adjacency, worker, self.lost_pause]
        arguments += ["" if one is None else one for one in (number, answered)]
        for member, host, stays in held:
            arguments += (member, host, int(stays))
        return set(await self.scripts.run("reconcile", arguments))

    async def retire(self, worker: str) -> bool:
        """Forgets a worker that has settled all its leases.

        Returns:
            Whether it was the spider's last one, and nothing is queued or leased.
        """
        if await self.redis.exists(f"{self.prefix}:w:{worker}"):
            return False
        async with self.redis.pipeline(transaction=True) as pipeline:  # of several that end, one is the last
            pipeline.zrem(f"{self.prefix}:workers", worker)
            pipeline.delete(f"{self.prefix}:strange:{worker}", f"{self.prefix}:looked:{worker}")
            pipeline.hdel(f"{self.prefix}:said", worker)
            pipeline.hdel(f"{self.prefix}:compared", worker)
            pipeline.zcard(f"{self.prefix}:workers")
            pipeline.hmget(f"{self.prefix}:n", "queued", "leased")
            *_, others, left = await pipeline.execute()
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
        other.links, other._epoch = Links(other.push, 0), None
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

        Requests whose job no worker knows count as not queued.
        """
        counts, ready = await self.counts(), await self.next_ready_at()
        if counts.leased:
            return 0.0
        if ready is None:
            return None if not counts.queued or counts.passed else 0.0
        return max(0.0, ready - now)


def _text(reply: Any) -> str:
    return reply.decode() if isinstance(reply, bytes) else str(reply)
