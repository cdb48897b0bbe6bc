"""Puts a frontier together from its configuration; the only place that does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from articlebot.config import Config
from articlebot.connect import client, tagged
from articlebot.frontier.delays import DelayPolicy
from articlebot.frontier.queue import Frontier
from articlebot.frontier.seen import BloomSeen, ExactSeen
from articlebot.frontier.sharded import AnyFrontier, ShardedFrontier
from articlebot.shards import shard_tag
from articlebot.together import Together


def frontier_of(config: Config, redis_url: str, spider: str = "article") -> AnyFrontier:
    """The frontier of a spider that the settings ask for, on connections of its own.

    The client does not try again by itself: a ``take`` whose answer was lost must be followed by a comparison of
    leases, and a cut connection must be noticed well before the leases end.
    """
    prefix, shards = config.general.key_prefix, config.frontier.shards
    patience_s = min(5.0, config.frontier.lease_s / 4)
    options: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0), "socket_timeout": patience_s, "socket_connect_timeout": patience_s,
    }  # fmt: skip
    home = tagged(prefix, "frontier")
    if shards == 1:
        return frontier_on(config, client(redis_url, home, **options), spider=spider)
    together = Together(redis_url, **options)
    clients = [together.of(shard_tag(prefix, "frontier", number, shards)) for number in range(shards)]
    return frontier_on(config, together.of(home), clients, spider=spider)


def frontier_on(config: Config, redis: Redis, shards: Sequence[Redis] = (), *, spider: str = "article") -> AnyFrontier:
    """The same on clients that are there: one, and one for each shard where it is cut."""
    section = config.frontier
    seen = (BloomSeen if section.seen == "bloom" else ExactSeen)(section.seen_expected)
    make: Any = partial(ShardedFrontier, redis, shards) if shards else partial(Frontier, redis)
    frontier: AnyFrontier = make(
        prefix=config.general.key_prefix,
        spider=spider,
        adjacency=section.adjacency,
        seen=seen,
        tries=section.tries,
        lease_s=section.lease_s,
        lost_pause=config.delays.mean_s,
        list_parents=section.adjacency == "slot" if section.list_parents is None else section.list_parents,
        seen_s=section.seen_days * 86_400.0,
    )
    return frontier


def delays_of(config: Config) -> DelayPolicy:
    """The delays that the settings ask for."""
    section = config.delays
    return DelayPolicy(
        section.click_interval_s, section.mean_s, section.spread, section.back_off_s, section.back_off_cap_s
    )
