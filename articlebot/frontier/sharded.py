"""A frontier that is cut into shards by registered domain: each is a ``Frontier`` in a hash slot of its own.

What one script changes belongs to one host (queue, seen mark, lease, delay), so that all of it is in one shard. A
parent keeps its children apart within each shard.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from redis.asyncio import Redis

from articlebot.connect import tagged
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Counts
from articlebot.frontier.links import KNOWN_LINKS, Links
from articlebot.frontier.queue import Frontier
from articlebot.shards import agree, shard_of


class ShardedFrontier:
    """All shards as one queue; the methods are those of ``Frontier``.

    Args:
        redis: the client of what belongs to all shards.
        clients: one for each shard.
        known: as of ``Frontier``.
        list_parents: likewise.
        options: the other arguments of ``Frontier``, the same for all.
    """

    def __init__(
        self, redis: Redis, clients: Sequence[Redis], *, prefix: str = "{articlebot}", spider: str = "article",
        known: int = KNOWN_LINKS, list_parents: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        self.redis, self.spider = redis, spider
        self.shared = tagged(prefix, "frontier")
        self.shards = tuple(
            Frontier(one, prefix=prefix, spider=spider, known=0, place=(number, len(clients)), **options)
            for number, one in enumerate(clients)
        )
        self.adjacency, self.lease_s = self.shards[0].adjacency, self.shards[0].lease_s
        self.links = Links(self.push, known, list_parents=list_parents)
        self._share_links()

    def _share_links(self) -> None:
        for shard in self.shards:
            shard.links = self.links

    def of_host(self, host: str) -> Frontier:
        """The shard that has a host."""
        return self.shards[shard_of(host, len(self.shards))]

    async def open(self) -> None:
        """Checks that what is stored was laid out like this; stores it where the frontier is new.

        Raises:
            StateError: written by another version, or with another adjacency, seen set or number of shards.
        """
        await agree(self.redis, self.shared, len(self.shards))
        await asyncio.gather(*(shard.open() for shard in self.shards))

    async def push(self, envelopes: Sequence[Envelope], *, now: float | None = None) -> int:
        """Queues requests; returns how many were new. May be repeated when the answer was lost."""
        parts: dict[Frontier, list[Envelope]] = defaultdict(list)
        for one in envelopes:
            parts[self.of_host(one.host)].append(one)
        return sum(await asyncio.gather(*(shard.push(some, now=now) for shard, some in parts.items())))

    async def spiders(self) -> list[str]:
        """Names of the spiders that have ever queued something, by name."""
        return sorted(set().union(*await asyncio.gather(*(shard.spiders() for shard in self.shards))))

    def of(self, spider: str) -> ShardedFrontier:
        """The queue of another spider, on the same connections."""
        other = copy(self)
        other.spider, other.shards = spider, tuple(shard.of(spider) for shard in self.shards)
        other.links = Links(other.push, 0)
        other._share_links()
        return other

    async def close(self) -> None:
        """Closes the connections."""
        for client in (self.redis, *(shard.redis for shard in self.shards)):
            await client.aclose()

    async def counts(self) -> Counts:
        """Sizes of queue, leases and quarantine; each worker counts once.

        Raises:
            StoreUnavailable: Redis is away; the call may be repeated. So do the other questions below.
        """
        counts = await asyncio.gather(*(shard.counts() for shard in self.shards))
        total = Counts.total(counts)
        return Counts(
            total.queued, total.leased, total.quarantined, total.slots, max(one.workers for one in counts), total.passed
        )

    async def next_ready_at(self) -> float | None:
        """When the next queued page may start, in its server's time; None where none can be named."""
        found = await asyncio.gather(*(shard.next_ready_at() for shard in self.shards))
        return min((at for at in found if at is not None), default=None)

    async def idle_for(self, now: float) -> float | None:
        """Seconds for which nothing can be done: 0 while pages are in flight or ready, None when nothing is queued."""
        found = await asyncio.gather(*(shard.idle_for(now) for shard in self.shards))
        return min((wait for wait in found if wait is not None), default=None)


AnyFrontier = Frontier | ShardedFrontier


def by_shard(frontier: AnyFrontier, hosts: Iterable[str]) -> dict[Frontier, list[str]]:
    """Which hosts each shard has."""
    parts: dict[Frontier, list[str]] = defaultdict(list)
    for host in hosts:
        parts[frontier.of_host(host)].append(host)
    return parts
