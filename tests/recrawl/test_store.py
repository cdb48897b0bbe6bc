"""The page states in a real Redis server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import redis.asyncio

from articlebot.errors import StateError, StoreUnavailable
from articlebot.recrawl import Kind, PageRecord, PageState, Validators
from articlebot.recrawl.numbers import Numbers
from articlebot.recrawl.record import Seed
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime import clock

NOW = 1_700_000_000.0


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def store(client: redis.asyncio.Redis) -> RedisPageStates:
    return RedisPageStates(client, "test", buckets=1024)  # of 65,536, a look at all pages takes four seconds


def record(key: int, next_at: float, job: str = "job", kind: Kind = Kind.ARTICLE) -> PageRecord:
    state = PageState(kind, 3, 0, NOW - 500, NOW, next_at, 500.0, 2.0, next_at - NOW, NOW - 100, 77)
    return PageRecord(key, f"https://www.example.com/page/{key}", job, state)


async def records(store: RedisPageStates, job: str | None = None) -> AsyncIterator[PageRecord]:
    for shard in store.shards:
        async for one in shard.records(job):
            yield one


async def test_seeds_are_due_at_once_and_never_overwrite(store: RedisPageStates) -> None:
    seeds = [Seed(key, f"http://a.test/{key}", "a", Kind.LIST, "feed") for key in range(250)]
    assert await store.add_seeds(seeds, NOW) == 250
    await store.put_many([record(7, NOW + 60)])
    assert await store.add_seeds(seeds, NOW) == 0
    (kept,) = await store.get([7])
    assert kept == record(7, NOW + 60)
    (fresh,) = await store.get([249])
    assert fresh is not None and (fresh.state.fetches, fresh.state.next_at, fresh.form) == (0, NOW, "feed")


async def test_of_seeds_that_are_given_together_the_first_are_due_first(store: RedisPageStates) -> None:
    keys = [7 * n % 251 for n in range(1, 120)]
    await store.add_seeds([Seed(key, f"http://a.test/map-{key}.xml", "a", Kind.LIST, "sitemap") for key in keys], NOW)
    assert [page.key for page in await store.lease_due(NOW, 500, 30.0)] == keys


async def test_leased_pages_are_out_of_reach_until_the_lease_ends(store: RedisPageStates) -> None:
    await store.put_many([record(key, NOW - 2000 + key) for key in range(1200)])
    first = await store.lease_due(NOW, 700, 30.0)
    assert [page.key for page in first] == list(range(700))
    second = await store.lease_due(NOW, 5000, 30.0)
    assert [page.key for page in second] == list(range(700, 1200))
    assert await store.lease_due(NOW, 5000, 30.0) == []
    await store.put_many([record(5, NOW + 1000)])
    again = await store.lease_due(NOW + 31, 5000, 30.0)
    assert {page.key for page in again} == set(range(1200)) - {5}


async def test_list_pages_are_taken_first_however_many_others_are_due(store: RedisPageStates) -> None:
    await store.put_many([record(key, NOW - 2000 + key) for key in range(1200)])
    await store.put_many([record(key, NOW - 5 + key % 5, kind=Kind.LIST) for key in range(2000, 2005)])
    first = [2000, 2001, 2002, 2003, 2004, 0, 1, 2]
    assert [page.key for page in await store.peek_due(NOW, 8)] == first
    assert [page.key for page in await store.peek_due(NOW, 8, skip=["of another"])] == first
    assert await store.counts(NOW) == (1205, 1205, {"job": 1205})
    assert await store.next_due_at() == NOW - 2000
    assert [page.key for page in await store.lease_due(NOW, 8, 30.0)] == first
    leased = await store.lease_due(NOW, 5000, 30.0)
    assert [page.key for page in leased] == list(range(3, 1200))


async def test_a_page_that_turns_out_to_be_a_list_is_due_once(store: RedisPageStates) -> None:
    await store.put_many([record(1, NOW)])
    await store.put_many([record(1, NOW, kind=Kind.LIST)])
    assert await store.counts(NOW) == (1, 1, {"job": 1})
    await store.put_many([record(1, NOW + 9)])
    assert await store.next_due_at() == NOW + 9
    await store.forget(1)
    assert await store.counts(NOW + 99) == (0, 0, {})


async def test_validators_and_long_urls_come_back_as_they_went(store: RedisPageStates) -> None:
    full = record(1 << 63, NOW)._replace(
        url="http://www.a.test/" + "x" * 2000,
        validators=Validators('W/"abc"', "Wed, 21 Oct 2015 07:28:00 GMT", 12345),
        form="article",
    )
    odd = record(2, NOW)._replace(validators=Validators(None, "Wednesday, 21-Oct-15 07:28:00 GMT", None))
    too_long = record(3, NOW)._replace(validators=Validators("e" * 161))
    await store.put_many([full, odd, too_long])
    assert await store.get([1 << 63, 2, 3, 4]) == [full, odd, too_long._replace(validators=Validators()), None]


async def test_forgotten_pages_leave_no_trace(store: RedisPageStates, client: redis.asyncio.Redis) -> None:
    await store.put_many([record(key, NOW, "a" if key % 2 else "b") for key in range(10)])
    await store.put_many([record(1, NOW, "b")])
    assert await store.counts(NOW) == (10, 10, {"a": 4, "b": 6})
    assert await store.forget(0, 1, 2, 99) == 3
    assert await store.counts(NOW - 1) == (7, 0, {"a": 4, "b": 3})
    assert await store.get([1]) == [None]
    await store.forget(*range(10))
    assert await client.exists("test:recrawl:due", "test:recrawl:due_lists") == 0
    assert await store.next_due_at() is None


async def test_pages_of_a_job(store: RedisPageStates) -> None:
    await store.put_many([record(key * 7919, NOW + key, "a" if key % 3 else "b") for key in range(300)])
    assert {page.key // 7919 async for page in records(store, "b")} == set(range(0, 300, 3))
    assert len([page async for page in records(store)]) == 300
    assert [page async for page in records(store, "no such job")] == []
    assert await store.next_due_at() == NOW


async def test_due_times_from_a_clock_that_ran_ahead_are_brought_back(store: RedisPageStates) -> None:
    now, ahead = clock.now(), 400 * 86400.0
    await store.put_many([record(key, now + ahead + 3600.0 + key) for key in range(1000)])
    await store.put_many([record(1000, now - 5.0), record(1001, now + ahead - 90.0, kind=Kind.LIST)])
    await store.set_aside([record(999, now)], now + 2 * ahead)
    await store.set_back(ahead)
    assert len(await store.lease_due(now + 60.0, 5000, 60.0)) == 2
    assert len(await store.lease_due(now + 3600.0 + 998.5, 5000, 60.0)) == 1001
    await store.take_back(lambda job: True)
    assert await store.next_due_at() == pytest.approx(now + 3600.0 + 999.0, abs=1.0)


async def test_the_first_store_decides_the_number_of_buckets(client: redis.asyncio.Redis) -> None:
    await RedisPageStates(client, "test", buckets=64).put_many([record(12345, NOW)])
    (found,) = await RedisPageStates(client, "test").get([12345])
    assert found == record(12345, NOW)
    with pytest.raises(ValueError):
        RedisPageStates(client, "test", buckets=100)


async def test_damage_and_outage_have_names(client: redis.asyncio.Redis, store: RedisPageStates) -> None:
    await store.put_many([record(1, NOW)])
    (name,) = [key async for key in client.scan_iter("test:recrawl:pages:*")]
    await client.hset(name, (1).to_bytes(8, "big"), b"\0\0\0\0\x20\xff")
    with pytest.raises(StateError):
        await store.get([1])
    gone = redis.asyncio.Redis(host="127.0.0.1", port=1, socket_connect_timeout=0.2)
    with pytest.raises(StoreUnavailable):
        await RedisPageStates(gone, "test").lease_due(NOW, 5, 5.0)
    await gone.aclose()
    await client.replicaof("127.0.0.1", "1")  # as after a fail-over, which passes too
    try:
        with pytest.raises(StoreUnavailable):
            await RedisPageStates(client, "test").lease_due(NOW, 5, 5.0)
    finally:
        await client.replicaof("NO", "ONE")


async def test_only_what_is_still_due_is_put_off(store: RedisPageStates) -> None:
    await store.put_many([record(key, NOW - 10 + key) for key in range(5)])
    await store.put_many([record(3, NOW + 500)])  # visited since it was found due
    await store.put_off(dict.fromkeys((*range(5), 77), NOW + 3600), NOW)
    assert await store.peek_due(NOW + 400, 10) == []
    assert [page.key for page in await store.peek_due(NOW + 600, 10)] == [3]
    assert len(await store.peek_due(NOW + 3600, 10)) == 5


async def test_pages_of_other_jobs_stay_due_and_are_looked_past(store: RedisPageStates) -> None:
    await store.put_many([record(key, NOW - 3000 + key, "theirs") for key in range(1200)])
    await store.put_many([record(key, NOW - 3000 + key, "ours") for key in range(1200, 1300)])
    seen = await store.peek_due(NOW, 70, skip=["theirs", "of nobody"])
    assert [page.key for page in seen] == list(range(1200, 1270))
    leased = await store.lease_due(NOW, 70, 30.0, skip=["theirs"])
    assert [page.key for page in leased] == [page.key for page in seen]
    assert [page.key for page in await store.lease_due(NOW, 500, 30.0, skip=["theirs"])] == list(range(1270, 1300))
    assert await store.peek_due(NOW, 500, skip=["theirs"]) == []
    assert len(await store.lease_due(NOW, 5000, 30.0)) == 1200


async def test_pages_of_jobs_that_nobody_follows_stand_aside_and_come_back_as_due_as_they_were(
    store: RedisPageStates,
) -> None:
    await store.put_many([record(key, NOW - 900 + key, "away") for key in range(600)])
    await store.put_many([record(1000, NOW - 5, "here"), record(1001, NOW - 5, "away", Kind.LIST)])
    due = [page for page in await store.peek_due(NOW, 500) if page.job == "away"]
    await store.put_many([record(8, NOW + 60, "away")])  # visited meanwhile
    await store.set_aside(due, NOW)
    left = [page.key for page in await store.peek_due(NOW, 500)]
    assert left == [*range(499, 600), 1000]
    counts = await store.counts(NOW)
    assert (counts.pages, counts.due) == (602, len(left))
    await store.put_many([record(9, NOW + 60, "away")])  # visited while it stood aside
    await store.forget(10)
    assert await store.take_back(lambda job: job == "here") == 0
    assert await store.take_back(lambda job: job == "away") == 498
    assert await store.take_back(lambda job: True) == 0
    back = await store.lease_due(NOW, 1000, 30.0)
    assert [page.key for page in back] == [1001, *(key for key in range(600) if key not in (8, 9, 10)), 1000]


async def test_a_page_that_stands_aside_again_as_another_kind_comes_back_as_that(store: RedisPageStates) -> None:
    for kind, due_at in ((Kind.LIST, NOW - 60), (Kind.ARTICLE, NOW - 5)):  # visited between, and due again
        await store.put_many([record(1, due_at, "away", kind)])
        await store.set_aside(await store.peek_due(NOW, 5), NOW)
    assert await store.take_back(lambda job: True) == 1
    assert await store.due_at(1) == NOW - 5


async def test_a_job_is_forgotten(store: RedisPageStates) -> None:
    await store.put_many([record(key, NOW - 5, "gone" if key % 2 else "here") for key in range(40)])
    await store.set_aside([page for page in await store.get([1, 3]) if page is not None], NOW)
    assert sorted(await store.forget_job("gone")) == list(range(1, 40, 2))
    assert (await store.counts(NOW)).by_job == {"here": 20}
    assert await store.take_back(lambda job: True) == 0


async def test_the_number_of_hashes_follows_the_pages(client: redis.asyncio.Redis) -> None:
    one, other = (RedisPageStates(client, "grows", buckets=4) for _ in range(2))
    # Not in order, as page keys are not; two workers write.
    keys = [key * 0x9E3779B97F4A7C15 % (1 << 64) for key in range(1, 6001)]
    for store, some in ((one, keys[:2000]), (other, keys[2000:])):
        await store.put_many(record(key, key % 97.0, f"job{key % 3}") for key in some)
    buckets = int(await client.hget("grows:recrawl:meta", "buckets") or 0)
    assert 6000 / 32 - 1 <= buckets <= 6000 / 32 + 1
    sizes = [await client.hlen(f"grows:recrawl:pages:{n}") for n in range(buckets)]
    assert sum(sizes) == 6000
    assert max(sizes) <= 128
    assert [found and found.key for found in await one.get([*keys, 5])] == [*keys, None]
    assert {page.key async for page in records(one, "job1")} == {key for key in keys if key % 3 == 1}
    leased = [page async for page in _leased(other)]
    assert sorted(leased) == sorted(keys)
    assert len(await other.forget_job("job1")) == len([key for key in keys if key % 3 == 1])
    assert await one.forget(*keys) == len([key for key in keys if key % 3 != 1])
    assert not await client.keys("grows:recrawl:pages:*")
    assert await client.hget("grows:recrawl:meta", "pages") == b"0"


async def test_a_store_that_nobody_counted_catches_up_unseen(client: redis.asyncio.Redis) -> None:
    store = RedisPageStates(client, "old", buckets=2)
    keys = [key * 0x9E3779B97F4A7C15 % (1 << 64) for key in range(1, 2001)]
    await store.put_many(record(key, 1.0) for key in keys[:60])
    # As an earlier version left it: many records in few hashes, whose number is all that is known.
    await client.hdel("old:recrawl:meta", "pages")
    await client.hset("old:recrawl:meta", "buckets", "2")
    await store.put_many(record(key, 1.0) for key in keys[60:])
    assert int(await client.hget("old:recrawl:meta", "buckets") or 0) == 2000 // 32 + 1
    assert all(await store.get(keys))


async def _leased(store: RedisPageStates) -> AsyncIterator[int]:
    while some := await store.lease_due(1e6, 1000, 1e7):
        for page in some:
            yield page.key


async def test_shards_have_as_many_pages_and_give_them_alike(client: redis.asyncio.Redis) -> None:
    store = RedisPageStates(client, "{cut}", shards=[client] * 5)
    keys = [key * 0x9E3779B97F4A7C15 % (1 << 64) for key in range(1, 2001)]
    await store.put_many(record(key, NOW - 5000 + place) for place, key in enumerate(keys))
    await store.put_many(record(key, NOW - 5, kind=Kind.LIST) for key in keys[-3:])
    sizes = [due for due, _ in [await shard.counts(NOW) for shard in store.shards]]
    assert sum(sizes) == 2000
    assert max(sizes) < 1.2 * 2000 / 5
    assert [one and one.key for one in await store.get([*keys[::100], 5])] == [*keys[::100], None]
    first = await store.lease_due(NOW, 503, 60.0)
    assert {one.key for one in first[:3]} == set(keys[-3:])
    # Of each shard the longest due: nearly all are of the quarter that is due the longest.
    assert len([one for one in first if one.state.next_at < NOW - 4400]) > 490
    left = await store.lease_due(NOW, 5000, 60.0)
    assert sorted(one.key for one in (*first, *left)) == sorted(keys)
    assert (await store.counts(NOW + 99)).due == 2000


async def test_urls_of_one_site_share_what_they_begin_with(
    client: redis.asyncio.Redis, store: RedisPageStates, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.put_many([record(key, NOW) for key in range(300)])
    assert await client.hgetall("test:recrawl:origin_names") == {b"0": b"https://www.example.com/"}
    monkeypatch.setattr("articlebot.recrawl.numbers._MOST", 2)
    # A fourth origin finds no number left: its URL is stored whole.
    others = [record(key, NOW)._replace(url=f"http://{key}.test/x") for key in range(301, 305)]
    await store.put_many(others)
    assert await client.hlen("test:recrawl:origin_names") == 3
    elsewhere = RedisPageStates(client, "test")
    assert await elsewhere.get([7, *range(301, 305)]) == [record(7, NOW), *others]
    assert {one.url async for one in records(elsewhere)} >= {one.url for one in others}
    for lost in ("names", "numbers"):  # each says what the other did
        await client.delete(f"test:recrawl:origin_{lost}")
        assert await RedisPageStates(client, "test").get([7]) == [record(7, NOW)]
        await RedisPageStates(client, "test").put_many([record(8, NOW)])
        assert await client.hlen("test:recrawl:origin_numbers") == 3
    await client.delete("test:recrawl:origin_names", "test:recrawl:origin_numbers")
    with pytest.raises(StateError, match="no origin has the number 0"):
        await RedisPageStates(client, "test").get([7])


async def test_a_server_that_was_emptied_is_begun_anew(store: RedisPageStates, client: redis.asyncio.Redis) -> None:
    await store.put_many([record(1, NOW, "a"), record(2, NOW, "b")])
    await client.flushall()
    with pytest.raises(StoreUnavailable, match="page states lost"):
        await store.put_many([record(1, NOW, "b")])
    assert store.lost == 1
    await store.put_many([record(1, NOW, "b")])
    # The numbers that this process remembers would have named a job and an origin that the server does not know.
    other = RedisPageStates(client, "test")
    assert await other.get([1, 2]) == [record(1, NOW, "b"), None]


async def test_an_emptied_server_that_another_worker_has_begun_anew_is_noticed_all_the_same(
    store: RedisPageStates, client: redis.asyncio.Redis
) -> None:
    await store.put_many([record(1, NOW, "a"), record(2, NOW, "b")])
    await client.flushall()
    other = RedisPageStates(client, "test")
    await other.put_many([record(2, NOW, "b")])
    with pytest.raises(StoreUnavailable, match="page states lost"):
        await store.peek_due(NOW, 10)
    assert store.lost == 1
    await store.put_many([record(1, NOW, "a")])
    assert await other.get([1, 2]) == [record(1, NOW, "a"), record(2, NOW, "b")]


async def test_numbers_that_a_restart_may_have_lost_are_asked_for_again(client: redis.asyncio.Redis) -> None:
    losses = [0]
    store = RedisPageStates(client, "test", losses=lambda: losses[0])
    await store.put_many([record(1, NOW, "a")])
    # The server forgets its last second, and another worker is first.
    await client.delete(*(f"test:recrawl:{what}_{kind}" for what in ("job", "origin") for kind in ("numbers", "names")))
    other = RedisPageStates(client, "test")
    await other.put_many([record(2, NOW, "b")])
    losses[0] += 1
    await store.put_many([record(1, NOW, "a")])
    assert await other.get([1, 2]) == [record(1, NOW, "a"), record(2, NOW, "b")]


@pytest.mark.parametrize("asked", ["given", "names"])
async def test_numbers_asked_for_while_a_restart_is_noticed_are_told_all_the_same(
    client: redis.asyncio.Redis, asked: str
) -> None:
    losses = [0]
    numbers = Numbers(client, "test", "job", lambda: losses[0])
    assert (await numbers.given(["a"]), await numbers.names([0])) == ({"a": 0}, {0: "a"})
    await Numbers(client, "test", "job").given(["b"])
    ask, told = (
        (numbers.given(["a", "b"]), {"a": 0, "b": 1}) if asked == "given" else (numbers.names([0, 1]), {0: "a", 1: "b"})
    )
    asking = asyncio.create_task(ask)
    await asyncio.sleep(0)  # the server is asked for the one that is not known
    losses[0] += 1
    await numbers.given(["c"])
    assert await asking == told


async def test_what_comes_back_from_being_put_off_is_never_due_later(store: RedisPageStates) -> None:
    await store.put_many([record(key, NOW + 1000) for key in range(2)])
    await store.put_off({0: NOW + 400, 1: NOW + 2000}, NOW + 5000)
    await store.put_off({0: NOW + 1000, 1: NOW + 1000}, NOW + 5000, NOW + 300)
    assert [page.key for page in await store.peek_due(NOW + 400, 10)] == [0]
    assert len(await store.peek_due(NOW + 1000, 10)) == 2
