from __future__ import annotations

import asyncio
from itertools import pairwise
from time import monotonic

import pytest
import redis.asyncio
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from articlebot.frontier import Candidate, Frontier
from articlebot.frontier.hosts import Hosts
from articlebot.frontier.requests import keys_of
from articlebot.middlewares.slots import SlotsMiddleware
from articlebot.runtime.private_redis import PrivateRedis
from articlebot_lab.leasing import take


@pytest.fixture
async def frontier(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield Frontier(client, known=0)


def test_another_scheduler_does_not_need_it():
    with pytest.raises(NotConfigured):
        SlotsMiddleware.from_crawler(Crawler(Spider, {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}))


def test_scheduler_and_middleware_ask_one_question():
    request = Request("http://A.test:80/x", meta={"articlebot": {"parent": 5}, "download_slot": "stale"})
    assert (keys_of(request).host, keys_of(request).parent) == ("a.test", 5)


async def test_a_guest_waits_for_a_host_that_another_worker_has(frontier):
    mine, theirs = Hosts(frontier, "w1"), Hosts(frontier, "w2")
    assert await mine.enter("a.test", 1.0)
    assert not await theirs.enter("a.test", 0.2)
    entering = asyncio.create_task(theirs.enter("a.test", 300.0))
    await asyncio.sleep(0.05)
    assert not entering.done()
    mine.leave("a.test", 0.1)
    assert await entering
    theirs.leave("a.test", 0.0)


async def test_guests_of_one_worker_share_a_host_that_is_left_when_the_last_is_gone(frontier):
    hosts = Hosts(frontier, "w1")
    assert all(await asyncio.gather(*(hosts.enter("a.test", 60.0) for _ in range(3))))
    for _ in range(3):
        assert await frontier.hold("w2", "a.test") > 0
        hosts.leave("a.test", 0.0)
    await hosts.close()
    assert await frontier.hold("w2", "a.test") == 0


async def test_a_guest_of_a_leased_host_needs_no_slot_of_its_own(frontier):
    hosts = Hosts(frontier, "w1")
    await frontier.links.admit([Candidate("http://a.test/")], job="j")
    (leased,) = (await take(frontier, 1, "w1")).requests
    hosts.enter_leased(leased.host)
    assert await hosts.enter("a.test", 0.1)
    hosts.leave("a.test", 0.0)
    hosts.leave_leased(leased.host)
    assert await frontier.hold("w2", "a.test") > 0  # the lease is the scheduler's to end


async def test_a_guest_that_waits_for_a_host_shares_the_lease_of_a_page_that_comes_meanwhile(frontier):
    hosts = Hosts(frontier, "w1")
    await frontier.links.admit([Candidate("http://a.test/")], job="j")
    (leased,) = (await take(frontier, 1, "w1")).requests
    waiting = asyncio.create_task(hosts.enter("a.test", 3600.0))  # leased, and not handed out yet
    await asyncio.sleep(0.1)
    assert not waiting.done()
    hosts.enter_leased(leased.host)
    # The page may wait for a guest of its own, such as its robots.txt, which comes behind the first.
    assert await asyncio.wait_for(asyncio.gather(waiting, hosts.enter("a.test", 3600.0)), 300) == [True, True]


class _LostAnswers:
    """A frontier of which the answers to the first calls of a kind do not come, though Redis has done what they ask."""

    def __init__(self, frontier, **lost):
        self._frontier, self._lost = frontier, lost

    def of_host(self, host):
        return self

    async def _call(self, name, *args):
        answer = await getattr(self._frontier, name)(*args)
        self._lost[name] = self._lost.get(name, 0) - 1
        if self._lost[name] >= 0:
            raise redis.exceptions.TimeoutError
        return answer

    async def hold(self, *args):
        return await self._call("hold", *args)

    async def unhold(self, *args):
        return await self._call("unhold", *args)


async def test_a_host_is_taken_though_redis_answers_late(frontier):
    hosts = Hosts(_LostAnswers(frontier, hold=1, unhold=1), "w1")
    assert await hosts.enter("a.test", 60.0)
    assert await frontier.hold("w2", "a.test") > 0
    hosts.leave("a.test", 0.0)
    assert await hosts.enter("a.test", 60.0)  # once Redis has been told that it was left
    await asyncio.sleep(1.0)
    assert await frontier.hold("w2", "a.test") > 0
    hosts.leave("a.test", 0.0)
    await hosts.close()
    assert await frontier.hold("w2", "a.test") == 0


async def test_a_guest_that_gives_up_while_redis_answers_late_has_no_host(frontier):
    hosts = Hosts(_LostAnswers(frontier, hold=9), "w1")
    assert not await hosts.enter("a.test", 0.1)
    await hosts.close()
    assert await frontier.hold("w2", "a.test") == 0


async def test_what_one_worker_fetches_from_a_host_takes_turns_with_a_delay_between(frontier):
    hosts = Hosts(frontier, "w1")
    starts = []

    async def fetch(guest, delay=0.1):
        await hosts.turn("a.test")
        starts.append(monotonic())
        await asyncio.sleep(0.01)
        hosts.end_turn("a.test", delay, guest=guest)

    await asyncio.gather(fetch(True), fetch(True), fetch(False, 3600.0))
    await asyncio.wait_for(fetch(False), 300)  # the frontier sees to the delay between pages that it hands out
    assert min(b - a for a, b in pairwise(starts[:3])) > 0.1


async def test_a_host_is_left_when_redis_is_back(tmp_path):
    async with redis.asyncio.Redis(unix_socket_path=str(tmp_path / "redis.sock"), retry=None) as client:
        frontier = Frontier(client, known=0)
        with PrivateRedis(tmp_path):
            hosts = Hosts(frontier, "w1")
            assert await hosts.enter("a.test", 60.0)
        hosts.leave("a.test", 0.0)
        assert not await hosts.enter("b.test", 0.1)  # not to be had while Redis is away
        ends = asyncio.Event()
        waiting = asyncio.create_task(hosts.enter("b.test", 600.0, ends.is_set))
        await asyncio.sleep(0.1)
        ends.set()
        assert not await asyncio.wait_for(waiting, 300)  # and a crawl that ends does not wait for it
        with PrivateRedis(tmp_path):
            await hosts.close()
            assert await frontier.hold("w2", "a.test") == 0
