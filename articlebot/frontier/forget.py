"""Forgetting a job: its requests leave queue and quarantine, its pages the seen set."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from articlebot.frontier.inspect import quarantined
from articlebot.frontier.queue import Frontier

_CHUNK = 200


async def forget_job(frontier: Frontier, job: str) -> int:
    """Removes a job's requests from the queue and the quarantine; returns how many.

    Their pages are as if they had never been seen, but for those of a Bloom filter, which cannot forget. Requests that
    a worker holds stay with it.
    """
    redis: Any = frontier.redis
    mark, gone = f'"job":"{job}"'.encode(), 0
    async for lane in _lanes(frontier):
        first = 0
        while members := await redis.zrange(f"{frontier.prefix}:q:{lane}", first, first + _CHUNK - 1):
            records = await _records(frontier, members)
            of_job = [one for one, record in zip(members, records, strict=True) if record and mark in record]
            # First unseen, then removed: a crash between the two repeats, it does not lose.
            await unsee(frontier, map(_page, of_job))
            gone += await frontier.drop(lane, of_job)
            first += len(members) - len(of_job)
    dead = [bytes.fromhex(one.id) for one in await quarantined(frontier, 1 << 30) if one.job == job]
    if dead:
        await unsee(frontier, map(_page, dead))
        gone += await redis.hdel(f"{frontier.prefix}:dead", *dead)
    return gone


async def unsee(frontier: Frontier, keys: Iterable[int]) -> None:
    """Takes pages (by key) out of the seen set, where that is exact."""
    redis: Any = frontier.redis
    pages = list(keys) if frontier.seen.name == "exact" else []
    for start in range(0, len(pages), _CHUNK):
        pipeline = redis.pipeline(transaction=False)
        for place, value in map(frontier.seen.place, pages[start : start + _CHUNK]):
            for name in await frontier.seen_keys(place):
                pipeline.srem(name, value)
        await pipeline.execute()
    if pages:
        # Workers remember the links that they have admitted, until the epoch changes.
        await redis.incr(f"{frontier.prefix}:epoch")


async def _lanes(frontier: Frontier) -> AsyncIterator[str]:
    redis: Any = frontier.redis
    if frontier.adjacency == "slot":
        for lane in set(await redis.hvals(f"{frontier.prefix}:own")):
            yield lane.decode()
        return
    async for host, _ in redis.hscan_iter(f"{frontier.prefix}:number", count=1000):
        yield host.decode()


async def _records(frontier: Frontier, members: Iterable[bytes]) -> list[bytes | None]:
    redis: Any = frontier.redis
    pipeline = redis.pipeline(transaction=False)
    for member in members:
        name = member[:-8] if len(member) in (16, 22) else member
        pipeline.hget(f"{frontier.prefix}:r:{name[:2].hex()}", name)
    records: list[bytes | None] = await pipeline.execute()
    return records


def _page(name: bytes) -> int:
    return int.from_bytes(name[:8], "big")
