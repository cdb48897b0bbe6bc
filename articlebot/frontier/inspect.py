"""Looking at the frontier, for the command line and the console."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from articlebot.frontier.breaker import Silence
from articlebot.frontier.leases import Counts
from articlebot.frontier.pace import Pace
from articlebot.frontier.queue import RUNNING, Frontier
from articlebot.frontier.scripts import outages
from articlebot.frontier.sharded import AnyFrontier, by_shard
from articlebot.frontier.wire import slot_number


@dataclass(frozen=True, slots=True)
class SlotView:
    """A slot as it is now.

    Args:
        slot: its number.
        name: its host, or "#" and the number in the literal reading.
        queued: requests in it.
        running: whether a page of it is in flight.
        free_at: when its next page may start, epoch seconds; None where it may now or a page is in flight.
        back_off: seconds of back-off it is at.
        gap: seconds that lie between two of its pages at least, as its refusals taught; 0 where there were none.
    """

    slot: int
    name: str
    queued: int
    running: bool
    free_at: float | None
    back_off: float
    gap: float = 0.0

    @classmethod
    def of(
        cls, frontier: Frontier, name: str, counted: int, queued: int, *, until: float | None, pace: bytes | None
    ) -> SlotView:
        """The slot of a shard that counts it by this number, from what is stored of its rest and its pace."""
        running, known = until is not None and until >= RUNNING, Pace.load(pace)
        number = slot_number(counted, frontier.place)
        return cls(number, name, queued, running, None if running else until, known.back_off, known.gap)


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker as it is now.

    Args:
        name: host, process number and start.
        heard_s: seconds since it was heard of, by Redis' clock.
        leased: requests that it holds.
    """

    name: str
    heard_s: float
    leased: int


async def counts_by_spider(frontier: AnyFrontier) -> dict[str, Counts]:
    """What each spider's queue holds, by name.

    Raises:
        StoreUnavailable: Redis is away.
    """
    return {name: await frontier.of(name).counts() for name in await frontier.spiders()}


async def slots(frontier: AnyFrontier, limit: int) -> list[SlotView]:
    """The slots with the longest queues, longest first."""
    found = await asyncio.gather(*(_slots(shard, limit) for shard in frontier.shards))
    return sorted((one for some in found for one in some), key=lambda one: (-one.queued, one.name))[:limit]


async def _slots(frontier: Frontier, limit: int) -> list[SlotView]:
    numbers: dict[str, int] = {}
    if frontier.adjacency == "slot":
        named: Sequence[bytes] = await frontier.redis.hvals(f"{frontier.prefix}:own")  # type: ignore[assignment]
        numbers = {slot.decode(): int(slot[1:]) for slot in named}
    else:
        async for host, number in frontier.redis.hscan_iter(f"{frontier.prefix}:number", count=1000):
            numbers[host.decode()] = int(number)
    names = list(numbers)
    sizes: list[int] = []
    for i in range(0, len(names), 500):
        pipeline = frontier.redis.pipeline(transaction=False)
        for name in names[i : i + 500]:
            pipeline.zcard(f"{frontier.prefix}:q:{name}")
        sizes += await pipeline.execute()
    longest = sorted(zip(names, sizes, strict=True), key=lambda pair: (-pair[1], pair[0]))[:limit]
    pipeline = frontier.redis.pipeline(transaction=False)
    for name, _ in longest:
        pipeline.zscore(f"{frontier.shared}:until", f"h{name}")
        pipeline.hget(f"{frontier.shared}:backoff", name)
    answers = await pipeline.execute()
    return [
        SlotView.of(frontier, name, numbers[name], size, until=until, pace=pace)
        for (name, size), until, pace in zip(longest, answers[::2], answers[1::2], strict=True)
    ]


@dataclass(frozen=True, slots=True)
class SilentHost:
    """A host that does not answer, with requests that wait for it.

    Args:
        host: its name.
        since: the first request without an answer, epoch seconds.
        fault: what the last one ended with: timeout, dns or refused_connection.
        probes: requests without an answer.
        next_probe_at: when the next is due, epoch seconds; None while it is under way.
        queued: requests that wait, of all spiders.
    """

    host: str
    since: float
    fault: str
    probes: int
    next_probe_at: float | None
    queued: int


async def silent(frontier: AnyFrontier) -> list[SilentHost]:
    """The hosts that do not answer, the longest silent first; those for which nothing waits are left out.

    Raises:
        StoreUnavailable: Redis is away.
    """
    found = await asyncio.gather(*(_silent(shard) for shard in frontier.shards))
    return sorted((one for some in found for one in some), key=lambda one: one.since)


async def _silent(frontier: Frontier) -> list[SilentHost]:
    redis: Any = frontier.redis
    with outages():
        found = [
            (slot, silence)
            for slot, text in (await redis.hgetall(f"{frontier.shared}:silent")).items()
            if (silence := Silence.load(text)) is not None
        ]
        spiders = [name.decode() for name in await redis.hkeys(f"{frontier.shared}:spiders")]
        pipeline = redis.pipeline(transaction=False)
        for slot, _ in found:
            for spider in spiders:
                pipeline.zcard(f"{frontier.shared}:{spider}:q:{slot.decode()}")
            pipeline.zscore(f"{frontier.shared}:until", b"h" + slot)
        answers = await pipeline.execute()
    hosts = []
    for i, (_, one) in enumerate(found):
        *sizes, until = answers[(len(spiders) + 1) * i : (len(spiders) + 1) * (i + 1)]
        waiting, running = sum(sizes), until is not None and until >= RUNNING
        if waiting or running:
            at = None if running else one.at if until is None else float(until)
            hosts.append(SilentHost(one.host, one.since, one.fault, one.probes, at, waiting))
    return hosts


async def queued(frontier: AnyFrontier, hosts: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """How many requests wait in the slots of hosts, and how many of them before one more that takes turns.

    Args:
        hosts: with how that one takes turns, see ``wire.turns``.

    Raises:
        StoreUnavailable: Redis is away.
    """
    parts = by_shard(frontier, hosts)
    found = await asyncio.gather(
        *(_queued(shard, {host: hosts[host] for host in some}) for shard, some in parts.items())
    )
    return {host: ahead for some in found for host, ahead in some.items()}


async def _queued(frontier: Frontier, hosts: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    with outages():
        found = await frontier.scripts.run("ahead", ["", frontier.adjacency, *chain.from_iterable(hosts.items())])
    return {host: (size, turn) for host, size, turn in zip(hosts, found[::2], found[1::2], strict=True)}


async def workers(frontier: AnyFrontier) -> list[WorkerView]:
    """The workers that were heard of, by name."""
    found: dict[str, WorkerView] = {}
    for one in chain.from_iterable(await asyncio.gather(*(_workers(shard) for shard in frontier.shards))):
        other = found.get(one.name, WorkerView(one.name, one.heard_s, 0))
        found[one.name] = WorkerView(one.name, min(one.heard_s, other.heard_s), one.leased + other.leased)
    return [found[name] for name in sorted(found)]


async def _workers(frontier: Frontier) -> list[WorkerView]:
    redis: Any = frontier.redis
    seconds, millionths = await redis.time()
    found = []
    for name, at in await redis.zrange(f"{frontier.prefix}:workers", 0, -1, withscores=True):
        heard_s = max(0.0, seconds + millionths / 1e6 - at)
        found.append(WorkerView(name.decode(), heard_s, await redis.hlen(f"{frontier.prefix}:w:{name.decode()}")))
    return found


def eviction(memory: Mapping[str, Any]) -> str:
    """What to say of a Redis that throws away any key at its memory limit; "" where it refuses writes instead.

    Args:
        memory: what its ``INFO memory`` says.
    """
    policy = str(memory.get("maxmemory_policy", ""))
    if not policy.startswith("allkeys"):
        return ""
    return f"Redis throws away the crawl's keys at its memory limit (maxmemory-policy {policy}): set it to noeviction"
