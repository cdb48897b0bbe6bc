"""Shards: parts of a store that have a hash slot each, so that a cluster's masters share it; and how many there are.

The number is kept once for all stores of a crawl, so that no two processes disagree.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import count
from typing import Any

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from articlebot.connect import tagged
from articlebot.errors import StateError
from articlebot.urls import site_of_host

# Between the old number and the new one, while the data move.
_MOVING = ">"


@lru_cache(maxsize=65_536)
def shard_of(host: str, shards: int) -> int:
    """The number of a host's shard: all hosts of a registered domain have the same."""
    name = site_of_host(host).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest()) % shards


@lru_cache(maxsize=1024)
def shard_tag(prefix: str, part: str, number: int, shards: int) -> str:
    """The first part of the keys of a shard: ``{articlebot:frontier:16.7.3}`` for number 7 of 16.

    The last number is such that the shards' slots lie evenly among all slots: masters that have as many slots each, in
    ranges as ``redis-cli --cluster`` gives them, then have as many shards each.
    """
    for turn in count():
        tag = tagged(prefix, f"{part}:{shards}.{number}.{turn}")
        if "{" not in tag or key_slot(tag.encode()) * shards // REDIS_CLUSTER_HASH_SLOTS == number:
            return tag
    raise AssertionError


def key_of(shared: str) -> str:
    """The key of the number; ``shared`` is the first part of the frontier's keys where it is not cut."""
    return f"{shared}:shards"


def moving(before: int, after: int) -> str:
    """What is stored while the data move."""
    return f"{before}{_MOVING}{after}"


def read(stored: bytes | None) -> tuple[int, int | None]:
    """The number, and that to which the data are on their way, None where they are not. Without one it is whole."""
    before, _, after = (stored or b"1").decode().partition(_MOVING)
    return int(before), int(after) if after else None


def unfinished(before: int, after: int | None) -> str:
    """What is said while the data move."""
    return f"the data move from {before} to {after} shards: let `scrapy frontier reshard {after}` finish"


async def agree(redis: Any, shared: str, shards: int) -> None:
    """Makes sure that the stored number is this one; stores it where no crawl has begun.

    Raises:
        StateError: it is another, or the data are on their way from one to another.
    """
    key = key_of(shared)
    while True:
        stored = await redis.get(key)
        if stored is not None or await redis.exists(f"{shared}:spiders"):
            return refuse(stored, shards)
        await redis.setnx(key, str(shards))  # Redis may be restarted meanwhile, without its last second


def refuse(stored: bytes | None, shards: int) -> None:
    """Refuses to work with another number than what is stored.

    Raises:
        StateError: says what to do.
    """
    before, after = read(stored)
    if after is not None:
        raise StateError(unfinished(before, after))
    if before != shards:
        raise StateError(
            f"ARTICLEBOT_FRONTIER_SHARDS is {shards}, and the crawl lies in {before}: set that, or end all workers and "
            f"move it with `scrapy frontier reshard {shards}`"
        )
