"""Shards: parts of a store that have a hash slot each, so that the masters of a cluster share it."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import count

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from articlebot.connect import tagged
from articlebot.urls import site_of_host


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
