"""Puts a frontier together from its configuration; the only place that does."""

from __future__ import annotations

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from articlebot.config import Config
from articlebot.connect import client, tagged
from articlebot.frontier.delays import DelayPolicy
from articlebot.frontier.queue import Frontier
from articlebot.frontier.seen import BloomSeen, ExactSeen, SeenLayout


def frontier_of(config: Config, redis_url: str, spider: str = "article") -> Frontier:
    """The frontier of a spider that the settings ask for, on a connection of its own.

    The client does not try again by itself: a ``take`` whose answer was lost must be followed by a comparison of
    leases, and a cut connection must be noticed well before the leases end.
    """
    redis = client(
        redis_url,
        tagged(config.general.key_prefix, "frontier"),
        retry=Retry(NoBackoff(), 0),
        socket_timeout=min(5.0, config.frontier.lease_s / 4),
        socket_connect_timeout=min(5.0, config.frontier.lease_s / 4),
    )
    return frontier_on(config, redis, spider)


def frontier_on(config: Config, redis: Redis, spider: str = "article") -> Frontier:
    """The same on a client that is there."""
    section = config.frontier
    seen: SeenLayout = ExactSeen(section.seen_expected)
    if section.seen == "bloom":
        seen = BloomSeen(section.seen_expected, section.seen_error)
    return Frontier(
        redis,
        prefix=config.general.key_prefix,
        spider=spider,
        adjacency=section.adjacency,
        seen=seen,
        tries=section.tries,
        lease_s=section.lease_s,
        lost_pause=config.delays.mean_s,
        known=section.known_links,
        list_parents=section.adjacency == "slot" if section.list_parents is None else section.list_parents,
        seen_s=section.seen_days * 86_400.0,
    )


def delays_of(config: Config) -> DelayPolicy:
    """The delays that the settings ask for."""
    section = config.delays
    return DelayPolicy(
        section.click_interval_s, section.mean_s, section.spread, section.back_off_s, section.back_off_cap_s
    )
