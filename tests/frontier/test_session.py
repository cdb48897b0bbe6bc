"""One worker's conversation, against a real server."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from articlebot.frontier import Candidate, Frontier
from articlebot.frontier.contact import ServerClock
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Settlement
from articlebot.frontier.reports import Reports
from articlebot.frontier.sessions import Sessions
from articlebot_lab.leasing import take


class Worker:
    """Holds what it is told to hold."""

    def __init__(self, room):
        self.free, self.held, self.lost = room, {}, []

    def room(self):
        return self.free

    def members(self, begun, shard=None):
        return self.held

    def lose(self, member):
        self.lost.append(member)

    def wake(self):
        pass

    def fetch_again(self):
        pass


async def begun(frontier, worker, count=lambda event, number: None):
    sessions = Sessions(frontier, "w", look_ahead=0.5, count=count)
    await sessions.start(worker)
    (made,) = sessions.every
    return made


@pytest.fixture
def worker():
    return Worker(10)


@pytest.fixture
async def session(client, worker):
    frontier = Frontier(client, known=0, lease_s=30, lost_pause=0.3)
    await frontier.links.admit([Candidate("http://a.test/")], job="j")
    events: Counter[str] = Counter()
    made = await begun(frontier, worker, lambda event, number: events.update({event: number}))
    made.events = events
    yield made
    await made.close()


async def until(condition):
    async with asyncio.timeout(300):
        while not condition():  # noqa: ASYNC110 - the conversation goes on in the background
            await asyncio.sleep(0.01)


async def test_what_had_not_begun_when_the_lease_was_in_doubt_starts_anew(session):
    assert len(session.due) == 1
    assert not session.contact.in_doubt
    loop, asked_at = asyncio.get_running_loop(), session.contact.asked_at
    before, left, after = loop.time(), session.contact.left(), loop.time()
    assert 28.5 - (after - asked_at) - 1e-6 <= left <= 28.5 - (before - asked_at) + 1e-6
    session.contact.asked_at -= 25
    assert session.contact.in_doubt
    assert session.contact.left() < 4
    assert session.next_due() is None
    await until(lambda: session.events["leased"] == 2)  # it went back, its slot rested, and here it is again
    assert not session.contact.in_doubt
    await until(lambda: session.next_due() is not None)


async def test_a_lease_that_was_taken_away_is_noticed(session, worker):
    leased, _ = session.next_due()
    worker.held = {leased.member: (leased.host, True)}
    await session.frontier.reap("other", dead=["w"], silent=False)
    await take(session.frontier, 1, "other", look_ahead=5.0)
    await until(lambda: worker.lost == [leased.member])
    worker.held = {}


async def test_the_dead_are_found_soon_after_an_outage(session, worker):
    frontier, heard_at = session.frontier, session.contact.outlook.at
    worker.free = 0
    session._news.set()
    await until(lambda: session.contact.outlook.at > heard_at)  # it asks for nothing any more
    await frontier.links.admit([Candidate("http://b.test/")], job="j")
    assert (await take(frontier, 1, "dead")).requests
    seconds, _ = await frontier.redis.time()
    await frontier.redis.zadd(f"{frontier.prefix}:workers", {"dead": seconds - 31})
    worker.free = 10
    session._in_touch_since -= 6.0  # and not the whole lease: its hosts would stand still so long
    session._upkeep.reaped_at -= 15.0
    await until(lambda: session.events["returned"] == 1)


async def test_links_that_redis_lost_with_its_last_second_are_admitted_again(client):
    frontier = Frontier(client, lease_s=30)
    made = await begun(frontier, Worker(0))
    link = Candidate("http://a.test/1")
    assert await frontier.links.admit([link], job="j") == 1
    await client.flushall()  # killed before it had written
    assert await frontier.links.admit([link], job="j") == 0
    made._away.begin(ConnectionError())
    made._news.set()
    await until(lambda: not made._away.is_on)
    assert await frontier.links.admit([link], job="j") == 1
    await made.close()


async def test_a_crawl_does_not_end_while_a_request_is_on_its_way_to_redis(client, monkeypatch):
    """The last answer knows nothing of it, the next has not come: a start address was handed back, the crawl ended."""
    frontier = Frontier(client, lease_s=30)
    made = await begun(frontier, Worker(1))
    assert not made.is_pending(0.0)
    pending, run_all = [], frontier.scripts.run_all

    async def looked_at(calls):
        pending.append(made.is_pending(0.0))
        return await run_all(calls)

    monkeypatch.setattr(frontier.scripts, "run_all", looked_at)
    made.push(Envelope(bytes(8), None, "a.test", 0, 0, "{}"), 0)
    await until(lambda: made.due)
    assert all(pending)
    made.next_due()
    await made.close()


def test_each_answer_bounds_the_servers_clock_on_both_sides():
    clock = ServerClock(0.0)
    clock.hear(1000.0, 0.0, 0.8)  # read somewhere between question and answer
    assert (clock.offset, clock.most) == pytest.approx((999.2, 1000.0), abs=1e-6)
    clock.hear(1001.0, 1.0, 1.1)
    assert (clock.offset, clock.most) == pytest.approx((999.9, 1000.0), abs=1e-3)
    clock.hear(1003.0, 2.0, 4.0)  # a slow one says nothing new; the bounds part by the drift
    assert (clock.offset, clock.most) == pytest.approx((999.89855, 1000.00145), abs=1e-3)
    clock.hear(1004.7, 5.0, 5.1)  # set back by a quarter of a second
    assert (clock.offset, clock.most) == pytest.approx((999.6, 999.7), abs=1e-6)
    clock.hear(1065.9, 6.0, 6.1)  # set forward
    assert (clock.offset, clock.most) == pytest.approx((1059.8, 1059.9), abs=1e-6)


@pytest.mark.parametrize(("unsaid", "told"), [([], True), ([0, 2], True), ([5, 9], True), ([1, 3, 9], False)])
def test_a_page_waits_only_for_requests_that_were_found_while_it_was_in_hand(unsaid, told):
    """All that was done while one of several masters was away was fetched again, for a start address of that one."""
    reports = Reports()
    reports.add(Settlement("release", b"page"), 0.0)
    reports.add(Settlement("ack", b"page"), 0.0, range(3, 5))
    assert [one.settlement.operation for one in reports.say(unsaid)] == ["release", "ack"][: 1 + told]
