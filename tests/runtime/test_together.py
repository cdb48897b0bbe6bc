"""What many shards ask goes out together; where shards lie."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
import redis
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from articlebot.shards import shard_of, shard_tag
from articlebot.together import Together


async def test_what_is_asked_at_one_moment_is_one_round_trip(redis_url: str) -> None:
    together = Together(redis_url)
    shards = [together.of(shard_tag("{t}", "frontier", number, 8)) for number in range(8)]
    with redis.Redis.from_url(redis_url) as server:
        await asyncio.gather(*(shard.set(f"k{number}", number) for number, shard in enumerate(shards)))
        before = server.info("stats")["total_reads_processed"]
        found = await asyncio.gather(*(shard.get(f"k{number}") for number, shard in enumerate(shards)))
        assert server.info("stats")["total_reads_processed"] == before + 2  # the question itself is one
    assert found == [str(number).encode() for number in range(8)]
    await together.close()


async def test_an_error_is_of_its_command_alone_and_pipelines_keep_their_order(redis_url: str) -> None:
    together = Together(redis_url)
    one, other = together.of("{a}"), together.of("{b}")
    pipeline = one.pipeline(transaction=False)
    pipeline.set("text", "x").incr("text").append("text", "y").get("text")
    replies, good = await asyncio.gather(pipeline.execute(raise_on_error=False), other.incr("number"))
    assert isinstance(replies[1], ResponseError)
    assert (replies[0], replies[2:], good) == (True, [2, b"xy"], 1)
    with pytest.raises(ResponseError):
        await one.incr("text")
    async with one.pipeline(transaction=True) as both:
        assert await both.incr("number").get("number").execute() == [2, b"2"]
    await together.close()


async def test_a_server_that_is_away_fails_all_that_wait() -> None:
    together = Together("redis://127.0.0.1:1/0")
    asked = [together.of(tag).get("k") for tag in ("{a}", "{b}")]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(one, RedisConnectionError) for one in found)
    await together.close()


@pytest.mark.parametrize(("shards", "masters"), [(4, 4), (16, 4), (64, 16), (12, 3)])
def test_masters_with_as_many_slots_have_as_many_shards(shards: int, masters: int) -> None:
    tags = [
        shard_tag("{articlebot}", part, number, shards) for part in ("frontier", "recrawl") for number in range(shards)
    ]
    assert len(set(tags)) == 2 * shards
    counts = Counter(key_slot(f"{tag}:x".encode()) * masters // 16384 for tag in tags)
    assert set(counts.values()) == {2 * shards // masters}


def test_all_hosts_of_a_registered_domain_are_in_one_shard() -> None:
    assert {shard_of(host, 16) for host in ("www.bbc.co.uk", "bbc.co.uk", "news.bbc.co.uk")} == {
        shard_of("bbc.co.uk", 16)
    }
    spread = Counter(shard_of(f"www.paper{n}.de", 16) for n in range(4000))
    assert max(spread.values()) < 1.2 * 4000 / 16
    # The number of a domain is part of what is stored: it must never change.
    assert [shard_of(name, 16) for name in ("example.com", "新华网.中国", "127.0.0.1:8000", "localhost")] == SHARDS


SHARDS = [6, 5, 8, 14]
