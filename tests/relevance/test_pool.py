"""The pool that the workers of a focused crawl share, on a real Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis.asyncio

from articlebot.items import Link
from articlebot.relevance import Focus, Judge, Pool, Topic, Waiting
from articlebot.relevance.focus import Seen

FOOTBALL = "The striker scored a late goal and the football club won the cup final"
TOPIC = Topic(name="t", texts=(FOOTBALL,))


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield client


def pool(client: redis.asyncio.Redis, clock: Clock | None = None, **options: Any) -> Pool:
    return Pool(client, "test:focus", TOPIC, clock or Clock(), **options)


def entry(url: str, priority: float, steps: int = 0) -> tuple[str, float, Waiting]:
    return url, priority, Waiting(Link(url=url, text=f"to {url}", context="体育"), "http://source.test/", steps)


async def test_gives_the_best_first_and_only_raises(client: redis.asyncio.Redis) -> None:
    one = pool(client)
    await one.offer([entry("a", 0.2), entry("b", 0.5), entry("c", 0.3)])
    await one.offer([("a", 0.9, None), ("b", 0.1, None), ("never offered", 1.0, None)])
    taken = [await one.take(10, 10) for _ in range(4)]
    assert [found and found[0] for found in taken] == ["a", "b", "c", None]
    assert taken[0] is not None
    waiting = taken[0][1]
    assert (waiting.link.text, waiting.link.context, waiting.source) == ("to a", "体育", "http://source.test/")
    assert waiting.priority == 0.9
    await one.offer([entry("a", 1.0)])
    assert await one.take(10, 10) is None, "each page once"


async def test_workers_share_window_and_budget(client: redis.asyncio.Redis) -> None:
    one, two = pool(client), pool(client)
    assert (await one.open(), await two.open()) == (True, False)
    await one.offer([entry(str(n), n / 10) for n in range(10)])
    assert await one.take(2, 4) is not None
    second = await two.take(2, 4)
    assert second is not None
    assert await one.take(2, 4) is None, "the window is full"
    assert await one.done(second[0]), "whoever answers it"
    assert not await two.done(second[0])
    third = await two.take(2, 4)
    assert third is not None
    assert await two.done(third[0], refund=True)
    fourth, fifth = [await two.take(9, 4) for _ in range(2)]
    assert fourth is not None
    assert fifth is not None
    assert await two.take(9, 4) is None, "the budget is used up"


async def test_a_crawl_begins_anew_when_no_worker_is_left(client: redis.asyncio.Redis) -> None:
    clock = Clock()
    killed = pool(client, clock)
    assert await killed.open()
    assert await killed.seed("s", fresh=True, budget=1)
    assert not await killed.seed("s2", fresh=True, budget=1)
    joined = pool(client, clock)
    assert not await joined.open()
    assert not await joined.seed("s", fresh=False, budget=9), "another worker has it"
    await joined.close()
    clock.now += 400
    after = pool(client, clock)
    assert await after.open()
    assert await after.seed("s", fresh=True, budget=1)


async def test_the_shorter_way_off_the_topic_counts(client: redis.asyncio.Redis) -> None:
    one = pool(client)
    await one.offer([entry("a", 0.5, steps=2)])
    await one.offer([entry("a", 0.4, steps=1)])
    found = await one.take(1, 1)
    assert found is not None
    assert (found[1].steps, found[1].priority) == (1, 0.5)


async def test_is_bounded(client: redis.asyncio.Redis) -> None:
    one = pool(client, most=50)
    for start in range(0, 500, 100):
        await one.offer([entry(str(n), n / 1000) for n in range(start, start + 100)])
    found = await one.take(1, 1)
    assert found is not None
    assert found[0] == "499"
    assert await client.zcard((await client.keys("test:focus:*:p"))[0]) == 49
    assert await client.hlen((await client.keys("test:focus:*:d"))[0]) == 49


async def test_what_one_worker_saw_ranks_the_pages_of_the_other(client: redis.asyncio.Redis) -> None:
    workers = [(pool(client), Focus(Judge(TOPIC))) for _ in range(2)]
    (one, first), (two, second) = workers
    targets = [Link(url=f"http://s{n}.test/", text="more") for n in range(8)]
    _, hub = first.look("http://hub.test/", "", "navigation", targets)
    first.take_in(hub)
    await one.tell(hub)
    for n in range(3):  # the other worker fetches what the first one's hub links to
        for seen in await two.news():
            second.take_in(seen)
        _, seen = second.look(f"http://s{n}.test/", "goal", FOOTBALL, [])
        second.take_in(seen)
        await two.tell(seen)
    before = first.priority("http://s7.test/")
    changed = [url for seen in await one.news() for url in first.take_in(seen)]
    assert "http://s7.test/" in changed
    assert first.priority("http://s7.test/") > before
    assert first.priority("http://s7.test/") == pytest.approx(second.priority("http://s7.test/"), abs=0.02)
    assert first.evidence("http://s7.test/").hub == second.evidence("http://s7.test/").hub == 1.0
    assert await one.news() == []
    later = pool(client)
    assert len(await later.news()) == 4, "a worker that joins later learns all of it"


def test_what_was_seen_survives_its_journey() -> None:
    seen = Seen("http://a.test/", 0.51239, 1.0, (("http://b.test/?q=体", 0.12346, 0.0, True),))
    assert Seen.from_json(seen.to_json()) == Seen(
        "http://a.test/", 0.5124, 1.0, (("http://b.test/?q=体", 0.1235, 0.0, True),)
    )


async def test_another_topic_has_another_pool(client: redis.asyncio.Redis) -> None:
    await pool(client).offer([entry("a", 0.5)])
    other = Pool(client, "test:focus", Topic(name="t", texts=("something else",)), Clock())
    assert await other.take(1, 1) is None
