"""Moving a crawl to another number of shards."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from articlebot.actions.reshard import reshard
from articlebot.config import Config
from articlebot.dedup import NearDuplicates
from articlebot.errors import StateError, UnderWay
from articlebot.frontier import Candidate, Settlement
from articlebot.frontier.build import frontier_of
from articlebot.frontier.inspect import slots
from articlebot.frontier.lookup import look_up
from articlebot.frontier.quarantine import quarantined
from articlebot.frontier.sessions import Sessions
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.recrawl.store import RedisPageStates
from articlebot_lab.leasing import settle, take
from tests.operations.running import scrapy

NOW = 1_700_000_000.0
URLS = [f"http://www{n % 3}.site{n % 20}.test/{n}" for n in range(200)]


def config(shards: int) -> Config:
    return Config.model_validate(
        {"frontier": {"shards": shards, "tries": 1, "seen_expected": 4000}, "delays": {"mean_s": 0.1}}
    )


class Stores:
    """Frontier and page states in a number of shards."""

    def __init__(self, url: str, shards: int) -> None:
        self.frontier = frontier_of(config(shards), url)
        redis = self.frontier.redis
        clients = [redis] * shards if shards > 1 else []
        self.near = NearDuplicates(redis, "{articlebot}", None, clients)
        self.pages = RedisPageStates(redis, shards=clients)

    async def __aenter__(self) -> Stores:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.frontier.close()


def record(key: int, at: float) -> PageRecord:
    kind = Kind.LIST if key % 7 == 0 else Kind.ARTICLE
    return PageRecord(key, f"http://a.test/{key}", f"job{key % 3}", PageState(kind, 3, 0, NOW, NOW, at, 9.0))


TEXT = " ".join(f"word{n * n % 701}" for n in range(400))
KEYS = [n * 0x9E3779B97F4A7C15 % (1 << 64) for n in range(1, 301)]


async def fill(stores: Stores) -> None:
    frontier, pages = stores.frontier, stores.pages
    await frontier.open()
    links = [Candidate(url, n % 5) for n, url in enumerate(URLS)]
    assert await frontier.links.admit(links, job="j", parent_url="http://p.test/") == 200
    for shard in frontier.shards:
        taken = await take(shard, 4, "dead")
        first, *_ = taken.requests
        await settle(shard, "dead", [Settlement("release", first.member), Settlement("fail", first.member, text="why")])
        await shard.redis.zadd(f"{shard.prefix}:workers", {"dead": 1.0})
        await shard.redis.hset(f"{shard.shared}:backoff", "www0.site0.test", "40")
    home = frontier.shards[0]
    await home.redis.hset(f"{home.prefix}:dead", b"damaged!", b'{"at":1.0}\n-\nno JSON')  # as one that cannot be read
    await pages.put_many(record(key, NOW + n) for n, key in enumerate(KEYS))
    aside = [one for one in await pages.get(KEYS[:30]) if one is not None and one.job == "job1"]
    await pages.set_aside(aside, NOW + 30)
    for key in (1, 2, 3):
        await stores.near.place(key, TEXT[: 900 * key], 0, NOW)


async def seen(stores: Stores) -> dict[str, Any]:
    """What a user sees of it."""
    frontier, pages = stores.frontier, stores.pages
    counts = await frontier.counts()
    views = await slots(frontier, 100)
    places = {url: (await look_up(frontier, url)).waiting for url in URLS[::9]}
    return {
        "counts": (counts.queued, counts.quarantined, counts.slots),
        "slots": sorted((one.name, one.queued) for one in views),
        "back_off": next(one.back_off for one in views if one.name == "www0.site0.test"),
        "places": {url: [(one.state, one.priority, one.before) for one in some] for url, some in places.items()},
        "dead": [(one.id, one.history) for one in await quarantined(frontier)],
        "pages": await pages.counts(NOW + 10_000), "records": await pages.get(KEYS),
        "due": [await pages.due_at(key) for key in KEYS],
    }  # fmt: skip


@pytest.mark.parametrize("steps", [(1, 4, 6, 1)])
async def test_a_crawl_moves_with_all_that_it_knows(redis_url: str, steps: tuple[int, ...]) -> None:
    async with Stores(redis_url, steps[0]) as stores:
        await fill(stores)
        for shard in stores.frontier.shards:
            await shard.reap("x", dead=["dead"], silent=False)
            await shard.retire("x")
        before = await seen(stores)
    members = 2
    for old, new in pairwise(steps):
        told = await reshard(config(old), redis_url, new)
        assert (told["before"], told["after"], told["pages"]) == (old, new, 300)
        async with Stores(redis_url, new) as stores:
            await stores.frontier.open()
            assert await seen(stores) == before
            assert await stores.frontier.links.admit([Candidate(url) for url in URLS], job="j") == 0
            names = [key.decode() async for key in stores.frontier.redis.scan_iter()]
            assert not [name for name in names if f":{old}." in name]
            placed = await stores.near.place(10 + new, TEXT, 0, NOW)
            assert placed.members > members
            members = placed.members
            if new > 1:
                assert not [name for name in names if name.startswith("{articlebot:frontier}:article")]
    async with Stores(redis_url, 1) as stores:
        assert await stores.pages.take_back(lambda job: True) == sum(at is None for at in before["due"]) > 0


@pytest.mark.parametrize("pieces", [1, 3, 6, 12, 20])
async def test_a_move_that_is_killed_goes_on(redis_url: str, pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Stores(redis_url, 2) as stores:
        await fill(stores)
        for shard in stores.frontier.shards:
            await shard.reap("x", dead=["dead"], silent=False)
            await shard.retire("x")
        before = await seen(stores)
    left = pieces

    def step(self: object, number: int = 1) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("articlebot.actions.output.Progress.step", step)
        with pytest.raises(KeyboardInterrupt):
            await reshard(config(2), redis_url, 3)
    async with Stores(redis_url, 3) as stores:
        with pytest.raises(StateError, match="scrapy frontier reshard 3"):
            await stores.frontier.open()
    with pytest.raises(StateError, match="scrapy frontier reshard 3"):
        await reshard(config(2), redis_url, 4)
    await reshard(config(2), redis_url, 3)
    async with Stores(redis_url, 3) as stores:
        await stores.frontier.open()
        assert await seen(stores) == before
        assert await stores.frontier.links.admit([Candidate(url) for url in URLS], job="j") == 0


async def test_what_cannot_be_moved_stays(redis_url: str) -> None:
    async with Stores(redis_url, 1) as stores:
        await stores.frontier.open()
        await stores.frontier.links.admit([Candidate(URLS[0])], job="j")
        other = Config.model_validate({"frontier": {"seen": "bloom"}})
        with pytest.raises(StateError, match="seen"):
            await reshard(other, redis_url, 2)
        await stores.frontier.redis.delete("{articlebot:frontier}:article:layout")
        with pytest.raises(StateError, match="cannot be cut anew"):
            await reshard(other, redis_url, 2)
        assert await stores.frontier.redis.get("{articlebot:frontier}:shards") is None


async def test_of_crawls_that_begin_at_once_with_other_numbers_one_is_refused(redis_url: str) -> None:
    frontiers = [frontier_of(config(1), redis_url), frontier_of(config(4), redis_url)]
    sessions = [Sessions(one, "w", look_ahead=1.0, count=lambda what, number: None) for one in frontiers]
    worker = MagicMock()
    worker.room.return_value, worker.members.return_value = 0, {}
    begun = await asyncio.gather(*(one.start(worker) for one in sessions), return_exceptions=True)
    assert Counter(map(type, begun)) == Counter([type(None), StateError])
    for one, frontier in zip(sessions, frontiers, strict=True):
        await one.close()
        await frontier.close()


async def test_a_move_waits_for_workers_and_another_number_is_refused(redis_url: str, tmp_path: Path) -> None:
    async with Stores(redis_url, 1) as stores:
        await stores.frontier.open()
        await stores.frontier.links.admit([Candidate(URLS[0])], job="j")
        await take(stores.frontier.shards[0], 0, "alive")
        with pytest.raises(UnderWay, match="worker alive is at work"):
            await reshard(config(1), redis_url, 2)
        await stores.frontier.shards[0].retire("alive")

        async def typed(*words: str, shards: str = "1") -> tuple[int, str]:
            settings = {"ARTICLEBOT_FRONTIER_SHARDS": shards, "ARTICLEBOT_FRONTIER_SEEN_EXPECTED": "4000"}
            code, out, said = await asyncio.to_thread(scrapy, tmp_path, *words, REDIS_URL=redis_url, **settings)
            return code, out + said

        code, said = await typed("frontier", "show", shards="2")
        assert (code, "scrapy frontier reshard 2" in said) == (2, True)
        code, said = await typed("frontier", "reshard", "2")
        assert (code, "1 requests and 0 pages moved from 1 to 2 shards" in said) == (0, True), said
        code, said = await typed("status", shards="2")
        assert "1 queued" in said
        assert (await typed("frontier", "show"))[0] == 2
