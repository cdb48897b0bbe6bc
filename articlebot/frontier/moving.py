"""Moves a frontier to another number of shards while nobody works on it.

Each piece is written to its new shard first and taken from the old one after: a move that is killed goes on where it
was, and nothing is there twice in the end, because every write may be repeated.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from typing import Any

from articlebot.errors import RefusedError, StateError
from articlebot.frontier.envelope import Envelope, Stored, split
from articlebot.frontier.forget import purge, records_of, slots_of
from articlebot.frontier.quarantine import fields_of
from articlebot.frontier.queue import BATCH, Frontier
from articlebot.frontier.sharded import AnyFrontier
from articlebot.frontier.slots import slot_for
from articlebot.frontier.wire import priority_of

_MARKS = 200
# As the script `turn` counts: what was met since the last turn, and before.
_NOW, _BEFORE = 1, 0
_OF_HOSTS = ("until", "backoff", "silent", "held", "slot", "spiders")

# The worker that takes leases back.
NAME = "reshard"
Told = Callable[[int], None]


async def check(old: AnyFrontier) -> None:
    """Looks whether a spider's queue can be moved.

    Raises:
        StateError: it was laid out with other settings, or its seen set is a filter, whose marks cannot be told apart.
    """
    for shard in old.shards:
        await shard.open()
        if shard.seen.layout.name != "exact":
            raise StateError("ARTICLEBOT_FRONTIER_SEEN=bloom: such a filter cannot be cut anew, `exact` can")


async def move_queue(old: AnyFrontier, new: AnyFrontier, told: Told) -> int:
    """Moves a spider's requests, leases of ended workers, quarantine and seen marks; returns how many requests.

    Args:
        old, new: the spider's queue in both numbers of shards.
        told: is called with how many pieces were moved.
    """
    requests = 0
    for shard in new.shards:
        await shard.open()
    for shard in old.shards:
        while await shard.reap(NAME, dead=await shard.workers(), silent=False):
            pass
        requests += await _requests(shard, new, told)
        await _quarantine(shard, new)
        await _marks(shard, new, told)
        await _rests(shard, new)
        await purge(shard)
        await shard.redis.delete(f"{shard.prefix}:epoch")
    return requests


async def end(old: AnyFrontier) -> None:
    """Removes what belongs to hosts, once the queues of all spiders are moved."""
    for shard in old.shards:
        await shard.redis.delete(*(f"{shard.shared}:{part}" for part in _OF_HOSTS))


async def _requests(old: Frontier, new: AnyFrontier, told: Told) -> int:
    redis: Any = old.redis
    moved = 0
    async for slot in slots_of(old):
        queue = f"{old.prefix}:q:{slot}"
        while members := await redis.zrange(queue, 0, BATCH - 1, withscores=True):
            records = await records_of(old, [member for member, _ in members])
            found = [(m, rank, record) for (m, rank), record in zip(members, records, strict=True) if record]
            await new.push([_envelope(member, rank, slot, record) for member, rank, record in found])
            await _histories(old, new, [(split(member)[0], _host(slot, record)) for member, _, record in found])
            pipeline = redis.pipeline(transaction=False)
            for member, _ in members:
                name, _ = split(member)
                pipeline.zrem(queue, member)
                pipeline.hdel(f"{old.prefix}:r:{name[:2].hex()}", name)
                pipeline.hdel(f"{old.prefix}:tries", name)
            await pipeline.execute()
            moved += len(found)
            told(len(found))
    return moved


async def _histories(old: Frontier, new: AnyFrontier, names: list[tuple[bytes, str]]) -> None:
    if not names:
        return
    stored: Any = await old.redis.hmget(f"{old.prefix}:tries", [name for name, _ in names])
    for (name, host), text in zip(names, stored, strict=True):
        if text is not None:
            shard: Any = new.of_host(host)
            await shard.redis.hset(f"{shard.prefix}:tries", name, text)


async def _quarantine(old: Frontier, new: AnyFrontier) -> None:
    redis: Any = old.redis
    again = dict(await redis.zrange(f"{old.prefix}:again", 0, -1, withscores=True))
    async for name, value in redis.hscan_iter(f"{old.prefix}:dead", count=500):
        shard: Any = new.of_host(_host_of_url(value.partition(b"\n")[2]))
        await shard.redis.hset(f"{shard.prefix}:dead", name, value)
        if name in again:
            await shard.redis.zadd(f"{shard.prefix}:again", {name: again[name]})


async def _marks(old: Frontier, new: AnyFrontier, told: Told) -> None:
    """Copies seen marks to every shard that their pages may be in: a mark does not say its page's host."""
    number, shards = old.place
    common = math.gcd(shards, len(new.shards))
    targets = [shard for shard in new.shards if shard.place[0] % common == number % common]
    at, current = await old.redis.hmget(f"{old.prefix}:generation", ["at", "current"])
    for target in targets:
        known: Any = target.redis
        await known.hsetnx(f"{target.prefix}:generation", "current", _NOW)
        if at is not None:
            await known.hsetnx(f"{target.prefix}:generation", "at", at)
    for generation, becomes in ((int(current or 0), _NOW), (int(current or 0) - 1, _BEFORE)):
        async for places in _places(old, generation):
            keys = [old.seen.key(generation, place) for place in places]
            pipeline = old.redis.pipeline(transaction=False)
            for key in keys:
                pipeline.smembers(key)
            found = await pipeline.execute()
            for target in targets:
                pipeline = target.redis.pipeline(transaction=False)
                for place, marks in zip(places, found, strict=True):
                    if marks:
                        pipeline.sadd(target.seen.key(becomes, place), *marks)
                await pipeline.execute()
            await old.redis.unlink(*keys)
            told(sum(map(len, found)))


async def _places(old: Frontier, generation: int) -> AsyncIterator[list[str]]:
    if generation >= 0:
        for start in range(0, old.seen.layout.parts, _MARKS):
            yield [format(place, "x") for place in range(start, min(start + _MARKS, old.seen.layout.parts))]


async def _rests(old: Frontier, new: AnyFrontier) -> None:
    """Copies how long hosts and parents rest, what hosts bear, and which are silent; numbered slots are new ones."""
    redis: Any = old.redis
    rests: dict[Any, dict[bytes, float]] = defaultdict(dict)
    for key, at in await redis.zrange(f"{old.shared}:until", 0, -1, withscores=True):
        if not key.startswith(b"h#"):
            rests[new.of_host(key[1:].decode())][key] = at
    for shard, entries in rests.items():
        await shard.redis.zadd(f"{shard.shared}:until", entries)
    parents = dict(await redis.zrange(f"{old.prefix}:until", 0, -1, withscores=True))
    for shard in new.shards if parents else ():
        await shard.redis.zadd(f"{shard.prefix}:until", parents)
    for part in ("backoff", "silent"):
        async for host, text in redis.hscan_iter(f"{old.shared}:{part}", count=500):
            if not host.startswith(b"#"):
                shard = new.of_host(host.decode())
                await shard.redis.hset(f"{shard.shared}:{part}", host, text)


def _envelope(member: bytes, rank: float, slot: str, record: bytes) -> Envelope:
    stored, (name, _) = Stored.of(record), split(member)
    text = stored.text.decode("utf-8", "surrogatepass")
    return Envelope(name, None, _host(slot, record), int.from_bytes(stored.parent, "big"), priority_of(rank), text)


def _host(slot: str, record: bytes) -> str:
    """The host of a request: its slot's, or what the literal reading writes in front of it."""
    return Stored.of(record).host.decode() or slot


def _host_of_url(record: bytes) -> str:
    try:
        return slot_for(fields_of(record)["u"]).host
    except (KeyError, RefusedError):
        return ""  # what cannot be read may be anywhere
