"""The same short text behind links that promise different things."""

from __future__ import annotations

import redis.asyncio

from articlebot.runtime.repeats import Repeats

TEXT = "Nur für Mitglieder. Bitte melden Sie sich an."


async def test_the_third_link_tells_a_wall_to_both_workers_and_one_headline_never_does(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as a, redis.asyncio.Redis.from_url(redis_url) as b:
        one, other = Repeats(a, "{t}"), Repeats(b, "{t}")
        assert await one.note("a.example", TEXT, 1, "Storm") == ()
        assert await other.note("a.example", TEXT, 2, "Bridge") == ()
        assert await other.note("a.example", TEXT, 2, "Bridge") == ()
        assert await one.note("b.example", TEXT, 3, "Harbour") == ()
        assert await one.note("a.example", f"{TEXT}!", 3, "Harbour") == ()
        assert await one.note("a.example", TEXT, 3, "") == ()
        assert await other.note("a.example", TEXT, 3, "Harbour") == (1, 2)
        for key in range(10, 16):
            assert await one.note("c.example", TEXT, key, "The same headline everywhere") == ()
        for key in range(100):
            await one.note("a.example", TEXT, key, f"Story {key}")
        (name,) = [name async for name in a.scan_iter("{t}:repeats:a.example:*") if await a.hlen(name) > 1]
        assert await a.hlen(name) <= 20
        assert 0 < await a.ttl(name) <= 7 * 86_400
