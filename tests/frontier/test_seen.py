from __future__ import annotations

import random
import re

import pytest
import redis
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.frontier import Envelope, Frontier, lookup
from articlebot.frontier.seen import BloomSeen, ExactSeen
from articlebot_lab.leasing import take

keys = st.integers(0, 2**64 - 1)


def envelopes(numbers):
    return [Envelope(n.to_bytes(8, "big"), n, f"h{n % 50}.test", 0, 0, "{}") for n in numbers]


@given(a=keys, b=keys)
def test_exact_places_tell_pages_apart(a, b):
    layout = ExactSeen(1_000_000)
    assert (layout.place(a) == layout.place(b)) == (a == b)
    assert -(2**63) <= int(layout.place(a)[1]) < 2**63


@given(key=keys, expected=st.integers(1000, 10**9), error=st.floats(1e-6, 0.4))
def test_bloom_bits_lie_in_one_block(key, expected, error):
    layout = BloomSeen(expected, error)
    bits = [int(bit) for bit in layout.place(key)[1].split()]
    assert len(bits) == layout.hashes
    assert len({bit // 512 for bit in bits}) == 1
    assert max(bits) < 2**19


async def test_the_exact_set_forgets_nothing_and_invents_nothing(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        frontier = Frontier(client, seen=ExactSeen(10_000))
        rng = random.Random(4)
        numbers = [rng.getrandbits(64) for _ in range(2000)]
        assert await frontier.push(envelopes(numbers)) == 2000
        assert await frontier.push(envelopes(numbers)) == 0


async def test_the_exact_set_stays_packed_when_as_full_as_expected(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        layout = ExactSeen(20_000)
        pipeline = client.pipeline(transaction=False)
        rng = random.Random(5)
        for _ in range(20_000):
            bucket, value = layout.place(rng.getrandbits(64))
            pipeline.sadd(f"s:{bucket}", value)
        await pipeline.execute()
        encodings = {await client.object("encoding", key) for key in await client.keys("s:*")}
        assert encodings == {b"intset"}


@pytest.mark.parametrize("error", [0.01, 0.001])
async def test_the_bloom_filter_keeps_its_stated_error(redis_url, error):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        expected = 6000
        frontier = Frontier(client, seen=BloomSeen(expected, error))
        rng = random.Random(6)
        numbers = [rng.getrandbits(64) for _ in range(expected)]
        new = 0
        for i in range(0, expected, 500):
            new += await frontier.push(envelopes(numbers[i : i + 500]))
        assert new >= expected * (1 - error)
        assert await frontier.push(envelopes(numbers[:500])) == 0
        # Others, without adding them: every bit of a stranger set would be a wrong "seen".
        wrong = 0
        strangers = 3000
        pipeline = client.pipeline(transaction=False)
        layout = BloomSeen(expected, error)
        for _ in range(strangers):
            chunk, bits = layout.place(rng.getrandbits(64))
            command = ["BITFIELD", f"{frontier.prefix}:bloom:{chunk}"]
            for bit in bits.split():
                command += ["GET", "u1", bit]
            pipeline.execute_command(*command)
        for answer in await pipeline.execute():
            wrong += all(answer)
        assert wrong / strangers <= error * 2 + 0.002


@pytest.mark.parametrize("layout", [ExactSeen(4000), BloomSeen(4000, 1e-6)], ids=["exact", "bloom"])
async def test_what_is_not_met_is_forgotten_after_two_turns(redis_url, layout):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        frontier = Frontier(client, seen=layout, known=0, seen_s=100.0)
        kept, lost = list(range(1, 50)), list(range(100, 150))
        assert await frontier.seen.turn(now=0)
        await frontier.push(envelopes(kept + lost))
        assert await frontier.seen.turn(now=49)
        epoch = (await take(frontier, 0, "w")).epoch
        assert await frontier.seen.turn(now=51)
        assert (await take(frontier, 0, "w")).epoch != epoch  # links in the workers' memory are met anew
        assert await frontier.push(envelopes(kept)) == 0
        assert all([await lookup._seen(frontier, key) for key in kept + lost])
        while not await frontier.seen.turn(now=102):
            pass
        assert not any([await lookup._seen(frontier, key) for key in lost])
        assert await frontier.push(envelopes(kept)) == 0
        # Their marks are gone; their requests still wait in the queue.
        assert await frontier.seen.mark(lost) == len(lost)
        oldest = re.compile(re.escape(frontier.prefix) + r":(seen|bloom):\w+")
        assert not [key for key in await client.keys("*") if oldest.fullmatch(key.decode())]
        while not await frontier.seen.turn(now=1000):
            pass
        assert await frontier.seen.mark(kept) == len(kept)  # two turns at once, after a long rest


async def test_what_was_met_a_turn_ago_is_known_in_any_generation(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        frontier = Frontier(client, known=0, seen_s=100.0)
        for turn in range(5):
            while not await frontier.seen.turn(now=51 * turn):
                pass
            assert await frontier.seen.mark([turn]) == 1
            if turn:
                assert await frontier.seen.mark([turn - 1]) == 0


async def test_a_frontier_without_generations_goes_on_as_the_oldest(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        frontier = Frontier(client, seen=ExactSeen(4000), known=0, seen_s=100.0)
        for key in range(30):
            place, value = frontier.seen.layout.place(key)
            await client.sadd(f"{frontier.prefix}:seen:{place}", value)
        await frontier.seen.turn(now=0)
        await frontier.seen.turn(now=60)
        assert await frontier.seen.mark(range(30)) == 0
