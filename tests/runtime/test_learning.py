"""Learning by several workers of one crawl, against a real Redis and real stores."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing import connection
from pathlib import Path

import pytest
from redis.asyncio import Redis

from articlebot.archive.shelf import open_shelf
from articlebot.config import Wrappers
from articlebot.extraction.wrapper.shelf import FolderShelf, Shelf
from articlebot.extraction.wrapper.turns import RedisTurns
from articlebot.page import Page
from articlebot.runtime.learning import Learning
from tests.extraction.wrapper.pages import article
from tests.runtime.fleet import wait_for

SITE = "s.test"


@pytest.fixture(params=["folder", "postgresql"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Shelf]:
    shared = request.param == "postgresql"
    url = str(request.getfixturevalue("postgresql_url")) if shared else "sqlite:///archive.db"
    return partial(open_shelf, url, tmp_path)


def held(shelf: Callable[[], Shelf]) -> Shelf:
    """Does not open the store for the process that learns."""
    if multiprocessing.parent_process() is not None:
        time.sleep(600)
    return shelf()


class Worker:
    """One worker's learning, with the clock in the test's hand."""

    def __init__(self, shelf: Callable[[], Shelf], redis: Redis) -> None:
        self.now, self.events = 1e9, list[str]()
        turns = RedisTurns(lambda: redis)
        self.learning = Learning(
            Wrappers(processes=1), shelf, lambda: self.now, lambda _, event: self.events.append(event), turns
        )

    async def see(self, number: int, body_class: str = "story-text") -> str | None:
        """Reads an article page; the name of the wrapper that it was read with."""
        body = article(number, body_class=body_class)[0]
        page = Page.parse(body, f"https://{SITE}/{number}", "text/html", self.now)
        await self.learning.open(SITE)
        wrapper = self.learning.choose(SITE, page)
        self.learning.note(SITE, body, "text/html", page)
        await self.settled()
        return None if wrapper is None else wrapper.name

    async def settled(self, *, learned: bool = False) -> None:
        """Waits for what goes on beside the crawl; with ``learned`` also for the process that learns."""
        while self.learning._tasks:
            await asyncio.wait(self.learning._tasks)
        while learned and self.learning._learners:
            await asyncio.wait(self.learning._learners)


@asynccontextmanager
async def two_workers(shelf: Callable[[], Shelf], redis_url: str) -> AsyncIterator[tuple[Worker, Worker]]:
    async with Redis.from_url(redis_url) as redis:
        workers = Worker(shelf, redis), Worker(shelf, redis)
        try:
            yield workers
        finally:
            for worker in workers:
                await worker.learning.close()


def test_one_worker_learns_and_both_go_by_it(shelf: Callable[[], Shelf], redis_url: str) -> None:
    async def crawl() -> None:
        async with two_workers(shelf, redis_url) as (first, second):
            assert await second.see(0) is None
            # Pages of both count; whoever sees the fifth learns, and the other, whose turn it is not, does not.
            for number in range(1, 4):
                assert await first.see(number) is None
            await asyncio.gather(first.see(4), second.see(5))
            await asyncio.gather(first.settled(learned=True), second.settled(learned=True))
            second.now += 60
            first.now += 60
            names = [await first.see(6), await second.see(7)]
            assert names[0] is not None
            assert names[0].endswith("/v1.0")
            assert names[0] == names[1]
            assert sorted(first.events + second.events) == ["learned"]

    asyncio.run(crawl())


def test_a_doubt_of_one_worker_is_heard_by_the_other(shelf: Callable[[], Shelf], redis_url: str) -> None:
    async def crawl() -> None:
        async with two_workers(shelf, redis_url) as (first, second):
            for number in range(5):
                await first.see(number)
            await first.settled(learned=True)
            assert first.events == ["learned"]
            assert await second.see(6) is not None
            for number in range(20, 24):
                await first.see(number, "new-layout")
            assert "doubted" in first.events
            second.now += 60
            assert await second.see(30) is None

    asyncio.run(crawl())


def test_what_a_worker_saw_outlives_it(shelf: Callable[[], Shelf], redis_url: str) -> None:
    async def crawl() -> None:
        async with two_workers(shelf, redis_url) as (first, _):
            for number in range(5):
                await first.see(number)
            await first.settled(learned=True)
            assert first.events == ["learned"]
            await first.see(6)
            await first.see(7)
        async with two_workers(shelf, redis_url) as (third, _):
            assert await third.see(8) is not None
            assert len(third.learning._book.of(SITE).drift.history) == 3

    asyncio.run(crawl())


class SlowToKeep(FolderShelf):
    """Keeps a page in the time that a database far away takes."""

    def put_page(self, site: str, name: str, packed: bytes, most: int) -> int:
        time.sleep(0.2)
        return super().put_page(site, name, packed, most)


def test_no_page_waits_for_what_is_kept_of_others(tmp_path: Path, redis_url: str) -> None:
    async def crawl() -> int:
        async with Redis.from_url(redis_url) as redis:
            learning = Worker(lambda: SlowToKeep(tmp_path), redis).learning
            for number in range(20):
                body = article(number)[0]
                learning.note(SITE, body, "text/html", Page.parse(body, f"https://{SITE}/{number}", "text/html"))
            await learning.open("another.test")
            waiting = len(learning._tasks)
            await learning.close()
            return waiting

    assert asyncio.run(crawl()) > 10


def test_what_is_being_learned_keeps_no_worker_from_ending(tmp_path: Path, redis_url: str) -> None:
    others = set(multiprocessing.active_children())  # of other tests

    def begun() -> list[multiprocessing.process.BaseProcess]:
        return [process for process in multiprocessing.active_children() if process not in others]

    async def crawl() -> list[multiprocessing.process.BaseProcess]:
        async with Redis.from_url(redis_url) as redis:
            worker = Worker(partial(held, partial(open_shelf, "sqlite:///archive.db", tmp_path)), redis)
            for number in range(6):
                await worker.see(number)
            await asyncio.to_thread(wait_for, lambda: bool(begun()))
            learning = begun()
            await worker.learning.close()
            return learning

    for process in asyncio.run(crawl()):
        # The pool may reap its process first, and `is_alive` is wrong for that moment; the sentinel is not.
        assert connection.wait([process.sentinel], 300)
