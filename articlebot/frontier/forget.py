"""Forgetting: the pages that a spider has seen, its whole queue, or what one job has in queue and quarantine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from articlebot.connect import literal
from articlebot.frontier.envelope import split
from articlebot.frontier.quarantine import quarantined
from articlebot.frontier.queue import RUNNING, Frontier
from articlebot.frontier.sharded import AnyFrontier

_CHUNK, _UNLINKED = 200, 500


async def forget_seen(frontier: AnyFrontier) -> None:
    """Forgets which pages are known; what is queued stays."""
    for shard in frontier.shards:
        await shard.redis.incr(f"{shard.prefix}:epoch")
        await _unlink(shard, ("seen:", "bloom:"))
    frontier.links.forget()


async def purge(frontier: AnyFrontier, *, seen: bool = True) -> int:
    """Empties the spider's queue; returns the number of keys.

    Args:
        seen: also forget which pages are known, the quarantine and the layout; else the queue and leases only.
    """
    gone = sum([await _purge(shard, seen) for shard in frontier.shards])
    frontier.links.forget()
    return gone


async def _purge(frontier: Frontier, seen: bool) -> int:
    kept = () if seen else ("seen:", "bloom:", "generation", "layout", "dead", "again")
    epoch = await frontier.redis.incr(f"{frontier.prefix}:epoch")
    gone = await _unlink(frontier, ("",), kept)
    await frontier.redis.set(f"{frontier.prefix}:epoch", epoch)
    if number := await frontier.redis.hget(f"{frontier.shared}:spiders", frontier.spider):
        running = RUNNING + int(number)
        await frontier.redis.zremrangebyscore(f"{frontier.shared}:until", running, running)
    return gone


async def _unlink(frontier: Frontier, beginnings: tuple[str, ...], kept: tuple[str, ...] = ()) -> int:
    """Removes the spider's keys whose rest has one of the beginnings, and none of those ``kept``."""
    pattern = literal(frontier.prefix)  # a spider's name may hold what stands for others
    gone = 0
    batch: list[bytes] = []
    async for key in frontier.redis.scan_iter(match=f"{pattern}:*", count=1000):
        rest = key.decode(errors="replace").removeprefix(f"{frontier.prefix}:")
        if rest.startswith(beginnings) and not rest.startswith(kept):
            batch.append(key)
        if len(batch) >= _UNLINKED:
            gone += await frontier.redis.unlink(*batch)
            batch = []
    return gone + (await frontier.redis.unlink(*batch) if batch else 0)


async def forget_job(frontier: AnyFrontier, job: str) -> int:
    """Removes a job's requests from the queue and the quarantine; returns how many.

    Their pages count as never seen, except in a Bloom filter, which cannot forget. Requests that a worker holds stay
    with it.
    """
    return sum([await _forget_job(shard, job) for shard in frontier.shards])


async def _forget_job(frontier: Frontier, job: str) -> int:
    redis: Any = frontier.redis
    mark, gone = f'"job":"{job}"'.encode(), 0
    async for slot in slots_of(frontier):
        first = 0
        while members := await redis.zrange(f"{frontier.prefix}:q:{slot}", first, first + _CHUNK - 1):
            records = await records_of(frontier, members)
            of_job = [one for one, record in zip(members, records, strict=True) if record and mark in record]
            # First unseen, then removed: a crash between the two repeats, it does not lose.
            await unsee(frontier, map(_page, of_job))
            if of_job:
                gone += int(await frontier.scripts.run("drop", ["", frontier.adjacency, slot, *of_job]))
            first += len(members) - len(of_job)
    dead = [bytes.fromhex(one.id) for one in await quarantined(frontier, 1 << 30) if one.job == job]
    if dead:
        await unsee(frontier, map(_page, dead))
        gone += await redis.hdel(f"{frontier.prefix}:dead", *dead)
        await redis.zrem(f"{frontier.prefix}:again", *dead)
    return gone


async def unsee(frontier: AnyFrontier, keys: Iterable[int]) -> None:
    """Takes pages (by key) out of the seen set, where that is exact."""
    pages = list(keys)
    for shard in frontier.shards:  # a key does not say whose page it is
        await _unsee(shard, pages if shard.seen.layout.name == "exact" else [])


async def _unsee(frontier: Frontier, pages: list[int]) -> None:
    redis: Any = frontier.redis
    for start in range(0, len(pages), _CHUNK):
        pipeline = redis.pipeline(transaction=False)
        for place, value in map(frontier.seen.layout.place, pages[start : start + _CHUNK]):
            for name in await frontier.seen.keys(place):
                pipeline.srem(name, value)
        await pipeline.execute()
    if pages:
        # Workers remember the links that they have admitted, until the epoch changes.
        await redis.incr(f"{frontier.prefix}:epoch")


async def slots_of(frontier: Frontier) -> AsyncIterator[str]:
    """Names of a shard's slots; in no order."""
    redis: Any = frontier.redis
    if frontier.adjacency == "slot":
        for slot in set(await redis.hvals(f"{frontier.prefix}:own")):
            yield slot.decode()
        return
    async for host, _ in redis.hscan_iter(f"{frontier.prefix}:number", count=1000):
        yield host.decode()


async def records_of(frontier: Frontier, members: Iterable[bytes]) -> list[bytes | None]:
    """What is stored of requests, by their names in a queue."""
    redis: Any = frontier.redis
    pipeline = redis.pipeline(transaction=False)
    for member in members:
        name, _ = split(member)
        pipeline.hget(f"{frontier.prefix}:r:{name[:2].hex()}", name)
    records: list[bytes | None] = await pipeline.execute()
    return records


def _page(name: bytes) -> int:
    return int.from_bytes(name[:8], "big")
