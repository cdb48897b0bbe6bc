"""A Redis clock that ran ahead."""

from __future__ import annotations

import pytest
import redis.asyncio

from articlebot.ahead import set_back, set_ends_back, went_back
from articlebot.runtime import clock

DAY = 86_400.0


async def test_one_worker_is_told_how_far_the_clock_went_back(redis_url: str) -> None:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        assert [await went_back(client, "clock") for _ in range(2)] == [0.0, 0.0]
        await client.set("clock", int(clock.now() + 30))  # a replica's clock
        assert await went_back(client, "clock") == 0.0
        await client.set("clock", int(clock.now() + DAY))
        assert await went_back(client, "clock") == pytest.approx(DAY, abs=5.0)
        assert await went_back(client, "clock") == 0.0


async def test_times_to_come_are_set_back_each_once_and_what_runs_stays(redis_url: str) -> None:
    now = clock.now()
    times = {f"{n:04}": now + 10 * DAY + n for n in range(1200)}
    others = {"past": now - 5, "soon": now + DAY, "running": 1e15 + 1}
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.zadd("times", {**times, **others})
        await set_back(client, ["times", "none"], 9 * DAY)
        found = {name.decode(): at for name, at in await client.zrange("times", 0, -1, withscores=True)}
    assert all(found[name] == pytest.approx(at - 9 * DAY, abs=0.01) for name, at in times.items())
    assert (found["past"], found["running"]) == (pytest.approx(now - 5, abs=0.01), 1e15 + 1)
    assert found["soon"] == pytest.approx(now, abs=60.0)


async def test_keys_live_no_longer_than_they_were_to(redis_url: str) -> None:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        lives = {"turn": 3600.0, "kept": 30 * DAY}
        for name, seconds in lives.items():
            await client.set(f"{{a}}:{name}", 1, px=round(1000 * (400 * DAY + seconds)))
        await client.set("{a}:ever", 1)
        await client.set("{a:other}:turn", 1, ex=600)
        await set_ends_back(client, "{a}", 400 * DAY)
        left = {name: await client.pttl(f"{{a}}:{name}") / 1000 for name in (*lives, "ever")}
        assert await client.ttl("{a:other}:turn") > 500
    assert left == {"turn": pytest.approx(3600.0, abs=60.0), "kept": pytest.approx(30 * DAY, abs=60.0), "ever": -0.001}
