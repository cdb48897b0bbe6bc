"""The proxies in a real Redis, and the pool that follows them."""

from __future__ import annotations

import random

import pytest
import redis.asyncio

from articlebot.errors import ConfigError, StateError
from articlebot.proxies import Pool, Proxy, RedisProxies, Verdict
from articlebot.proxies.live import LivePool

ONE, TWO = Proxy("http", "8.8.8.8", 80), Proxy("http", "8.8.4.4", 80, "anna", "p:@ss")


@pytest.fixture
async def store(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield RedisProxies(client, "{articlebot}")


async def test_proxies_are_known_once_and_bounded(store):
    assert await store.add([ONE, TWO, ONE], "list", 1.0) == 2
    assert await store.add([ONE], "list", 2.0) == 0
    assert await store.add([Proxy("http", "1.1.1.1", 80)], "list", 2.0, most=2) == 0
    assert {record.proxy for record in await store.known()} == {ONE, TWO}
    assert await store.remove([ONE.key, "nobody"]) == 1


async def test_a_record_keeps_its_history(store):
    await store.add([ONE], "list", 1.0)
    (record,) = await store.known()
    for at in range(60):
        record = record.checked(float(at), share=1.0, median_s=0.5, reason="" if at % 2 else "slow")
    await store.write([record])
    (read,) = await store.known()
    assert read == record
    assert len(read.history) == 50
    assert read.failed == 0
    assert read.checked(61.0, reason="fails").failed == 1


async def test_the_pool_is_followed_with_bans_of_others(store):
    now = [100.0]
    live = LivePool(store, Pool(random.Random(1)), lambda: now[0], paid=["http://me:secret@10.0.0.1:80"])
    await store.add([ONE, TWO], "list", 1.0)
    await store.publish(await store.known())
    await live.refresh()
    assert len(live.pool) == 3
    assert live.pool.get(TWO.key) == TWO
    await live.report(ONE.key, "a.test", Verdict.BAN)
    other = LivePool(store, Pool(random.Random(1)), lambda: now[0])
    await other.refresh()
    assert other.pool.usable("a.test", now[0]) == [TWO.key]
    await store.publish([])
    await live.refresh()
    assert len(live.pool) == 3  # not yet
    now[0] += 16
    await live.refresh()
    assert len(live.pool) == 1  # one's own is left
    now[0] += 10**6
    assert await store.bans(now[0]) == []


async def test_a_record_of_another_version_leaves_the_pool_as_it_is(store, redis_url):
    now = [0.0]
    live = LivePool(store, Pool(random.Random(1)), lambda: now[0])
    await store.add([ONE], "list", 1.0)
    await store.put_in_pool(await store.known())
    await live.refresh()
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.hset("{articlebot}:proxies:pool", "http://x", '{"v": 99}')
    with pytest.raises(StateError):
        await store.pool()
    now[0] += 2
    await live.refresh()
    assert len(live.pool) == 1


def test_ones_own_proxies_are_checked_without_being_shown(tmp_path):
    with pytest.raises(ConfigError, match="PAID") as caught:
        LivePool(None, Pool(random.Random(1)), lambda: 0.0, paid=["http://me:secret@:80"])
    assert "secret" not in str(caught.value)
    file = tmp_path / "own.txt"
    file.write_text("# mine\nhttp://me:secret@gate.example:80\n\n")
    live = LivePool(None, Pool(random.Random(1)), lambda: 0.0, paid_file=file)
    assert [proxy.masked for proxy in live.paid] == ["http://***@gate.example:80"]
    file.write_text("me:secret@nonsense\n")
    with pytest.raises(ConfigError, match=":1") as caught:
        LivePool(None, Pool(random.Random(1)), lambda: 0.0, paid_file=file)
    assert "secret" not in str(caught.value)
