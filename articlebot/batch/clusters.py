"""Clusters of near-duplicates among given texts, by the index of a crawl in a place of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack

import redis.asyncio

from articlebot import connect
from articlebot.config import Dedup
from articlebot.dedup import Arrival, Assignments, NearDuplicates, Sketch
from articlebot.runtime.throwaway_redis import throwaway

Source = str
"""The site that a text comes from, "" where nobody knows."""


async def clusters(
    steps: Iterable[Sequence[tuple[Sketch, Source]]], params: Dedup, now: float, *, redis_url: str | None = None,
    key_prefix: str = "articlebot",
) -> list[str]:  # fmt: skip
    """The cluster of each text, in the order of the texts.

    Args:
        steps: the texts' sketches in the order of their publication, some hundred at a time.
        redis_url: the server, of which a namespace is used that goes at the end; None starts one.

    Raises:
        StoreUnavailable: there is no server to start, or it has gone.
    """
    assignments, count = Assignments(), 0
    async with AsyncExitStack() as stack:
        index = await _index(stack, params, redis_url, key_prefix)
        for step in steps:
            keyed = enumerate(step, count + 1)
            arrivals = [Arrival(_page_key(number), sketch, now, source) for number, (sketch, source) in keyed]
            for arrival, placement in zip(arrivals, await index.place_many(arrivals), strict=True):
                assignments.note(arrival.key, placement)
            count += len(step)
    return [assignments.cluster(_page_key(number)) for number in range(1, count + 1)]


def _page_key(number: int) -> int:
    """A key for a text, spread over 64 bits as page keys are."""
    return number * 0x9E37_79B9_7F4A_7C15 & 0xFFFF_FFFF_FFFF_FFFF


async def _index(stack: AsyncExitStack, params: Dedup, url: str | None, key_prefix: str) -> NearDuplicates:
    if url is None:
        url = stack.enter_context(throwaway("neardup"))
    client = connect.client(url, key_prefix)
    stack.push_async_callback(client.aclose)
    prefix = f"{key_prefix}:neardup-{uuid.uuid4().hex[:12]}"
    stack.push_async_callback(_clean, client, prefix)
    return NearDuplicates(client, prefix, params)


async def _clean(client: redis.asyncio.Redis, prefix: str) -> None:
    cursor = None
    while cursor != 0:
        cursor, keys = await client.scan(cursor or 0, match=f"{prefix}:*", count=1000)
        if keys:
            await client.unlink(*keys)
