from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest
import redis.asyncio

from articlebot.errors import StateError, StoreUnavailable
from articlebot.frontier import Candidate, Envelope, Frontier, Leased, Settlement
from articlebot.frontier.envelope import mark, split
from articlebot.frontier.forget import forget_job, forget_seen, purge
from articlebot.frontier.inspect import queued, slots
from articlebot.frontier.lookup import is_at_work, is_passed_over
from articlebot.frontier.pace import Pace
from articlebot.frontier.quarantine import quarantined, requeue
from articlebot.frontier.scripts import is_full, passes
from articlebot.frontier.slots import SlotKeys
from articlebot.frontier.wire import turns
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.urls import canonical_url, page_key
from articlebot_lab.leasing import settle, take

NOW = 1_700_000_000.0


def url_of(leased: Leased) -> str:
    return json.loads(leased.record)["u"]


async def admit(frontier, *urls, parent=None, at=NOW, **candidate):
    return await frontier.links.admit([Candidate(url, **candidate) for url in urls], job="j", parent_url=parent, now=at)


async def drain(frontier, at=NOW):
    """URLs in the order in which they are handed out when every page takes no time and no delay."""
    order = []
    while (taken := await take(frontier, 1, "w", now=at)).requests:
        order.append(url_of(taken.requests[0]))
        await settle(frontier, "w", [Settlement("ack", taken.requests[0].member)], now=at)
    return order


async def test_a_slot_is_a_max_priority_queue_first_in_first_out(frontier):
    await admit(frontier, "http://a.test/1", "http://a.test/2")
    await admit(frontier, "http://a.test/3", "http://a.test/4", priority=10)
    await admit(frontier, "http://a.test/5", priority=-10)
    await admit(frontier, "http://a.test/6")
    assert await drain(frontier) == [f"http://a.test/{n}" for n in (3, 4, 1, 2, 6, 5)]


async def test_a_better_link_raises_a_queued_page_and_keeps_its_place_among_equals(any_frontier):
    await admit(any_frontier, *(f"http://a.test/{n}" for n in range(4)), parent="http://p.test/")
    assert await admit(any_frontier, "http://a.test/2", "http://a.test/1", priority=7, parent="http://q.test/") == 0
    assert await admit(any_frontier, "http://a.test/1", priority=3) == 0  # less than it has
    assert await drain(any_frontier) == [f"http://a.test/{n}" for n in (1, 2, 0, 3)]


@pytest.mark.parametrize("parent", [None, "http://p.test/"])
async def test_a_list_says_of_a_queued_page_what_the_sitemap_did_not(any_frontier, parent):
    """The day stands in the list alone: the page would have been published without one."""
    said = {"anchor": 'A "quoted" ü headline \\', "context": "2026-11-02 A / headline \\", "published_at": 1.79e9}
    await admit(any_frontier, "http://a.test/1", meta={"kind": "auto", "changed_at": 5.0}, parent=parent, priority=4)
    named, day = {**said}, {"published_at": said["published_at"]}
    del named["published_at"]
    for meta in ({"anchor": "no text around it"}, named, {"context": "another list"}, day, {"published_at": 1.0}):
        assert await admit(any_frontier, "http://a.test/1", meta=meta, parent="http://q.test/", priority=2) == 0
    (lease,) = (await take(any_frontier, 9, "w", now=NOW)).requests
    kept = json.loads(lease.record)["m"]["articlebot"]
    assert {name: kept.get(name) for name in (*said, "kind", "changed_at", "parent_url")} == {
        **said, "kind": "auto", "changed_at": 5.0, "parent_url": parent
    }  # fmt: skip
    assert await admit(any_frontier, "http://a.test/1", meta=said) == 0  # which is on its way
    assert await drain(any_frontier) == []


async def test_a_worker_sends_again_what_says_more_and_hears_it_of_another(client):
    first, second = Frontier(client, known=10), Frontier(client, known=10)
    await admit(first, "http://a.test/1", "http://a.test/2", priority=10)
    await admit(first, "http://a.test/1", priority=4, meta={"context": "2026-11-02"})
    await admit(first, "http://a.test/1", priority=4, meta={"published_at": 1.79e9})
    await admit(second, "http://a.test/2", priority=4, meta={"context": "2026-11-03"})
    before = (await client.info("commandstats"))["cmdstat_evalsha"]["calls"]
    for meta in ({}, {"context": "2026-11-04"}, {"context": "2026-11-04", "published_at": 1.8e9}):
        await admit(first, "http://a.test/1", priority=10, meta=meta)
    assert (await client.info("commandstats"))["cmdstat_evalsha"]["calls"] == before
    said = []
    for worker in (first, second):
        (lease,) = (await take(worker, 1, "w", now=NOW)).requests
        said.append(json.loads(lease.record)["m"]["articlebot"]["context"])
        await settle(worker, "w", [Settlement("ack", lease.member)], now=NOW)
    assert said == ["2026-11-02", "2026-11-03"]


async def test_known_pages_are_not_queued_again(any_frontier):
    assert await admit(any_frontier, "http://a.test/", "http://A.test/#x", "http://a.test/?utm_source=x") == 1
    assert await drain(any_frontier) == ["http://a.test/"]
    assert await admit(any_frontier, "http://a.test/") == 0
    assert (await any_frontier.counts()).queued == 0


async def test_links_that_are_no_pages_are_counted_by_reason(frontier):
    assert await admit(frontier, "mailto:x@a.test", "http://a.test/", "http:///x") == 1
    assert frontier.links.refused == {"url_not_http": 1, "url_without_host": 1}


async def test_links_known_to_this_process_are_not_sent(client):
    frontier = Frontier(client, known=10)
    assert await admit(frontier, "http://a.test/1") == 1
    before = (await client.info("commandstats")).get("cmdstat_evalsha", {}).get("calls", 0)
    assert await admit(frontier, "http://a.test/1") == 0
    assert (await client.info("commandstats"))["cmdstat_evalsha"]["calls"] == before
    assert await admit(frontier, "http://a.test/1", priority=5) == 0  # a better link is
    assert (await client.info("commandstats"))["cmdstat_evalsha"]["calls"] == before + 1


async def test_links_are_sent_again_to_a_server_that_has_started_anew(tmp_path):
    with PrivateRedis(tmp_path) as server:
        client = redis.asyncio.Redis.from_url(server.url)
        frontier = Frontier(client, known=10)
        assert await admit(frontier, "http://a.test/1") == 1
        await take(frontier, 0, "w")
        await client.flushall()  # what the last second of its file held is lost
        await client.connection_pool.disconnect()
    with PrivateRedis(tmp_path):
        await take(frontier, 0, "w")  # nobody noticed that it was away
        assert await admit(frontier, "http://a.test/1") == 1
        await client.aclose()


async def test_a_purge_makes_every_process_forget_what_it_knows(client):
    frontier, other = Frontier(client), Frontier(client)
    await admit(frontier, "http://a.test/1")
    await take(frontier, 0, "w", now=NOW)
    await purge(other)
    await take(frontier, 0, "w", now=NOW)
    assert await admit(frontier, "http://a.test/1") == 1


async def test_one_host_has_one_page_in_flight_and_rests_after_it(any_frontier):
    await admit(any_frontier, "http://a.test/1", "http://a.test/2", "http://b.test/1")
    first = (await take(any_frontier, 10, "w", now=NOW)).requests
    assert sorted(map(url_of, first)) == ["http://a.test/1", "http://b.test/1"]
    assert not (await take(any_frontier, 10, "w", look_ahead=100, now=NOW)).requests
    leased = next(one for one in first if "a.test" in url_of(one))
    await settle(any_frontier, "w", [Settlement("release", leased.member, 2.0)], now=NOW + 1)
    taken = await take(any_frontier, 10, "w", now=NOW + 2.9)
    assert not taken.requests
    assert taken.next_ready_at == pytest.approx(NOW + 3, abs=0.01)
    (second,) = (await take(any_frontier, 10, "w", look_ahead=0.5, now=NOW + 2.9)).requests
    assert second.start_at == pytest.approx(NOW + 3, abs=0.01)


async def test_pages_of_one_parent_follow_each_other_across_hosts(frontier):
    await admit(frontier, "http://a.test/1", "http://b.test/1", parent="http://p.test/x")
    await admit(frontier, "http://b.test/2")
    taken = (await take(frontier, 10, "w", now=NOW)).requests
    assert list(map(url_of, taken)) == ["http://a.test/1", "http://b.test/2"]
    await settle(frontier, "w", [Settlement("release", one.member, 3.0) for one in taken], now=NOW)
    (last,) = (await take(frontier, 10, "w", look_ahead=5, now=NOW)).requests
    assert (url_of(last), last.start_at) == ("http://b.test/1", pytest.approx(NOW + 3, abs=0.01))


async def test_a_slot_that_waits_for_a_running_parent_is_woken(frontier):
    await admit(frontier, "http://a.test/1", "http://b.test/1", parent="http://p.test/x")
    (first,) = (await take(frontier, 10, "w", now=NOW)).requests
    assert (await take(frontier, 10, "w", now=NOW)).next_ready_at is None
    await settle(frontier, "w", [Settlement("release", first.member, 1.0)], now=NOW + 50)
    assert await frontier.next_ready_at() == pytest.approx(NOW + 51, abs=0.01)


async def test_the_literal_reading_joins_the_slot_of_an_adjacent_page(client):
    frontier = Frontier(client, adjacency="slot", known=0)
    await admit(frontier, "http://a.test/1", "http://b.test/1", parent="http://p.test/x")
    await admit(frontier, "http://b.test/2", parent="http://q.test/x")  # b is queued in the first slot
    await admit(frontier, "http://c.test/1", parent="http://q.test/x")  # and so is the parent q now
    await admit(frontier, "http://d.test/1")
    assert {view.slot: view.queued for view in await slots(frontier, 9)} == {1: 4, 2: 1}
    assert await drain(frontier) == [
        "http://a.test/1", "http://b.test/1", "http://b.test/2", "http://c.test/1", "http://d.test/1",
    ]  # fmt: skip
    assert await slots(frontier, 9) == []  # a slot without pages is forgotten


@pytest.mark.parametrize("adjacency", ["keys", "host"])
async def test_no_two_adjacent_pages_are_ever_in_flight_together(client, adjacency):
    frontier = Frontier(client, adjacency=adjacency, known=0)
    rng = random.Random(3)
    for parent in range(12):
        links = [f"http://h{rng.randrange(9)}.test/{rng.randrange(10**6)}" for _ in range(8)]
        await admit(frontier, *links, parent=f"http://p.test/{parent}")
    total = (await frontier.counts()).queued
    now, done = NOW, 0
    running: dict[bytes, tuple[SlotKeys, float]] = {}
    free: dict[object, float] = {}
    while done < total:
        for leased in (await take(frontier, 20, "w", look_ahead=0.3, now=now)).requests:
            keys = SlotKeys(leased.host, int.from_bytes(split(leased.member)[1], "big"))
            for other, _ in running.values():
                assert keys.host != other.host and (adjacency == "host" or keys.parent != other.parent)
            assert leased.start_at >= free.get(keys.host, 0) - 1e-3
            assert adjacency == "host" or leased.start_at >= free.get(keys.parent, 0) - 1e-3
            running[leased.member] = keys, leased.start_at
        now += rng.random()
        for member, (keys, start_at) in list(running.items()):
            if start_at <= now and rng.random() < 0.6:
                free[keys.host] = free[keys.parent] = now + 0.5
                await settle(frontier, "w", [Settlement("release", member, 0.5), Settlement("ack", member)], now=now)
                del running[member]
                done += 1
    counts = await frontier.counts()
    assert (counts.queued, counts.leased) == (0, 0)


async def test_a_start_that_is_handed_out_late_is_dated_back_so_that_the_slot_keeps_its_rate(frontier):
    await admit(frontier, "http://a.test/1", "http://a.test/2", at=NOW)
    (first,) = (await take(frontier, 1, "w", now=NOW + 0.3)).requests
    assert first.start_at == pytest.approx(NOW, abs=0.01)
    await settle(frontier, "w", [Settlement("release", first.member, 0.2)], now=NOW + 0.4)
    (second,) = (await take(frontier, 1, "w", now=NOW + 9)).requests
    assert second.start_at == pytest.approx(NOW + 8, abs=0.01)  # but not further than a second


@pytest.mark.parametrize("host", ["a.test", "b.test"])
async def test_a_job_is_at_work_where_its_pages_are_in_hand_or_may_start_soon(any_frontier, host):
    def nobody(host: str) -> bool:
        return False

    await any_frontier.links.admit([Candidate(f"http://a.test/{n}", 9) for n in range(9)], job="busy", now=NOW)
    await any_frontier.links.admit([Candidate(f"http://{host}/mine", 5)], job="mine", now=NOW)
    for job, has, by, is_there in (
        ("mine", {host}.__contains__, NOW, True), ("mine", {host}.__contains__, NOW - 9, False),
        ("mine", nobody, NOW, host == "b.test" or any_frontier.adjacency == "slot"), ("busy", nobody, NOW, True),
        ("a.third", {host}.__contains__, NOW, False),
    ):  # fmt: skip
        assert await is_at_work(any_frontier, {job}.__contains__, has, by, by) is is_there, (job, has, by)
    for leased in (await take(any_frontier, 9, "w", now=NOW)).requests:
        job = json.loads(leased.record)["m"]["articlebot"]["job"]
        assert await is_at_work(any_frontier, {job}.__contains__, nobody, NOW - 9, NOW - 9)


@pytest.mark.parametrize("guest", [True, False])
async def test_a_job_is_at_work_where_a_page_of_another_is_in_flight_before_its_own(any_frontier, guest):
    has, mine = {"a.test"}.__contains__, {"mine"}.__contains__
    await any_frontier.links.admit([Candidate("http://a.test/1", 9)], job="busy", now=NOW)
    await any_frontier.links.admit([Candidate("http://a.test/2", 5)], job="mine", now=NOW)
    if guest:
        assert await any_frontier.of_host("a.test").hold("w", "a.test", now=NOW) == 0
    else:
        assert len((await take(any_frontier, 9, "w", now=NOW)).requests) == 1
    assert await is_at_work(any_frontier, mine, has, NOW, NOW)
    assert not await is_at_work(any_frontier, {"a.third"}.__contains__, has, NOW, NOW)


async def test_pages_of_unknown_jobs_are_left_to_other_workers(any_frontier):
    await any_frontier.links.admit([Candidate("http://a.test/1", 5)], job="the.other", now=NOW)
    await admit(any_frontier, "http://a.test/2", "http://b.test/1")
    taken = await take(any_frontier, 9, "w", left_out=[mark("job", "the.other")], now=NOW)
    assert sorted(map(url_of, taken.requests)) == ["http://a.test/2", "http://b.test/1"]
    for leased in taken.requests:
        await settle(any_frontier, "w", [Settlement("ack", leased.member)], now=NOW)
    assert (await take(any_frontier, 9, "w", now=NOW)).passed == 1
    assert await any_frontier.idle_for(NOW) is None
    for worker, job, by, waits in (
        ("w", "the.other", NOW, False), ("other", "a.third", NOW, False), ("other", "the.other", NOW - 9, False),
        ("other", "the.other", NOW + 9, True),
    ):  # fmt: skip
        assert await is_passed_over(any_frontier, worker, {job}.__contains__, by) is waits, (worker, job, by)
    await take(any_frontier, 9, "w", now=NOW + 0.4)
    (leased,) = (await take(any_frontier, 9, "other", now=NOW + 0.5)).requests
    assert url_of(leased) == "http://a.test/1"
    assert (await any_frontier.counts()).passed == 0


async def test_a_worker_that_looks_just_before_another_keeps_nothing_from_it(any_frontier):
    await any_frontier.links.admit([Candidate(f"http://{n}.test/1") for n in range(60)], job="mine", now=NOW)
    assert not (await take(any_frontier, 90, "w", left_out=[mark("job", "mine")], now=NOW)).requests
    other, got = [mark("job", "another")], set()
    await take(any_frontier, 0, "me", left_out=other, now=NOW)
    for second in range(1, 20):
        assert not (await take(any_frontier, 9, "w", now=NOW + second)).requests
        leased = (await take(any_frontier, 3, "me", now=NOW + second + 0.01)).requests
        got |= {url_of(one) for one in leased}
    assert len(got) == 3 * 19
    while leased := (await take(any_frontier, 9, "me", now=NOW + 20 + len(got))).requests:
        got |= {url_of(one) for one in leased}
    assert len(got) == 60


async def test_pages_behind_those_of_another_job_are_reached_and_a_change_of_jobs_is_heard_at_once(frontier):
    await frontier.links.admit([Candidate(f"http://a.test/{n}") for n in range(200)], job="paused", now=NOW)
    await frontier.links.admit([Candidate("http://a.test/mine")], job="mine", now=NOW)
    (leased,) = (await take(frontier, 1, "w", left_out=[mark("job", "paused")], now=NOW)).requests
    assert url_of(leased) == "http://a.test/mine"
    await settle(frontier, "w", [Settlement("ack", leased.member)], now=NOW)
    assert (await take(frontier, 1, "w", now=NOW)).passed == 1
    (leased,) = (await take(frontier, 1, "w", anew=True, now=NOW)).requests
    assert url_of(leased) == "http://a.test/0"


async def test_a_job_is_forgotten_and_may_come_back(any_frontier):
    await take(any_frontier, 0, "w", now=NOW)
    await any_frontier.links.admit([Candidate(f"http://{n % 3}.test/{n}") for n in range(30)], job="old", now=NOW)
    await any_frontier.links.admit([Candidate("http://1.test/mine")], job="old.but", now=NOW)
    await take(any_frontier, 1, "w", left_out=[mark("job", "old"), mark("job", "old.but")], now=NOW)
    assert await forget_job(any_frontier, "old") == 30
    counts = await any_frontier.counts()
    assert (counts.queued, counts.passed) == (1, 1)
    again = [Candidate(f"http://{n % 3}.test/{n}") for n in range(30)]
    await take(any_frontier, 0, "w", now=NOW)  # which tells of the new epoch
    assert await any_frontier.links.admit(again, job="old", now=NOW) == 30


async def test_a_dead_workers_requests_return_to_their_place(any_frontier):
    await admit(any_frontier, "http://a.test/1", "http://a.test/2")
    await take(any_frontier, 1, "dead", now=NOW)
    await take(any_frontier, 0, "w", now=NOW + 20)
    assert await any_frontier.reap("w", now=NOW + 20) == 0
    assert await any_frontier.reap("w", now=NOW + 31) == 1
    assert not (await take(any_frontier, 5, "w", now=NOW + 31)).requests  # what the dead one did last is not known
    later = NOW + 31 + any_frontier.lost_pause
    (leased,) = (await take(any_frontier, 5, "w", now=later)).requests
    assert url_of(leased) == "http://a.test/1"
    assert [(who, why) for _, who, why in leased.tries] == [("dead", "worker lost")]
    assert await any_frontier.workers() == ["w"]


async def test_a_request_with_which_workers_died_is_tried_again_by_itself(any_frontier):
    await admit(any_frontier, "http://a.test/killer", "http://b.test/beside")

    async def die(worker: str, at: float, most: int) -> list[str]:
        taken = (await take(any_frontier, most, worker, now=at)).requests
        await any_frontier.reap("w", dead=[worker], now=at)
        return [url_of(one) for one in taken]

    for n in range(2):
        assert len(await die(f"dead{n}", NOW + 10 * n, 2)) == 2
    beside, killer = sorted((await take(any_frontier, 2, "w", now=NOW + 20)).requests, key=url_of, reverse=True)
    assert beside.is_suspect
    assert killer.is_suspect
    await settle(any_frontier, "w", [Settlement("ack", beside.member), Settlement("back", killer.member)], now=NOW + 21)
    for n in range(2, 4):
        assert await die(f"dead{n}", NOW + 10 * n + 5, 2) == ["http://a.test/killer"]
    (kept,) = await quarantined(any_frontier)
    assert [why for _, _, why in kept.history] == ["worker lost"] * 2 + ["worker lost alone"] * 2
    assert kept.again_at == pytest.approx(NOW + 35 + 3600, rel=0, abs=1)
    await any_frontier.reap("w", now=NOW + 3600)
    assert (await any_frontier.counts()).queued == 0
    await any_frontier.reap("w", now=NOW + 3640)
    assert not await quarantined(any_frontier)
    assert not await any_frontier.redis.exists(f"{any_frontier.prefix}:again")
    # Once more alone, and it rests for twice as long; a job that goes takes it along. It waits once, however it came.
    assert await die("dead4", NOW + 3640, 5) == ["http://a.test/killer"]
    (kept,) = await quarantined(any_frontier)
    assert kept.again_at == pytest.approx(NOW + 3640 + 7200, rel=0, abs=1)
    assert await forget_job(any_frontier, "j") == 1
    await any_frontier.reap("w", now=NOW + 99_999)
    counts = await any_frontier.counts()
    assert (counts.queued, counts.leased, counts.quarantined) == (0, 0, 0)


async def test_a_worker_that_comes_back_late_cannot_settle_what_others_have(frontier):
    await admit(frontier, "http://a.test/1")
    (leased,) = (await take(frontier, 1, "slow", now=NOW)).requests
    await frontier.reap("w", now=NOW + 31)
    (again,) = (await take(frontier, 1, "w", now=NOW + 40)).requests
    settled = await settle(frontier, "slow", [Settlement("ack", leased.member)], now=NOW + 41)
    assert settled.unknown == (leased.member,)
    assert (await settle(frontier, "w", [Settlement("ack", again.member)], now=NOW + 42)).settled == 1


async def test_a_request_that_comes_back_too_often_is_quarantined_with_its_history(frontier):
    await admit(frontier, "http://a.test/1", "http://a.test/2", parent="http://p.test/")
    for attempt in range(3):
        (leased,) = (await take(frontier, 1, "w", now=NOW + attempt)).requests
        assert url_of(leased) == "http://a.test/1"
        await settle(frontier, "w", [Settlement("fail", leased.member, text=f"reason {attempt}")], now=NOW + attempt)
    (one,) = await quarantined(frontier)
    assert (one.url, one.job) == ("http://a.test/1", "j")
    assert [why for _, _, why in one.history] == ["reason 0", "reason 1", "reason 2"]
    assert (await frontier.counts()).quarantined == 1
    assert await requeue(frontier, [one.id]) == 1
    assert sorted(await drain(frontier, NOW + 10)) == ["http://a.test/1", "http://a.test/2"]
    assert await quarantined(frontier) == []


async def test_what_was_not_begun_returns_without_a_mark(frontier):
    await admit(frontier, "http://a.test/1")
    (leased,) = (await take(frontier, 1, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("back", leased.member)], now=NOW)
    (again,) = (await take(frontier, 1, "w", now=NOW)).requests
    assert again.tries == ()


async def test_after_an_outage_leases_are_what_the_worker_holds(any_frontier):
    await admit(any_frontier, "http://a.test/1", "http://b.test/1", "http://c.test/1")
    taken = {one.host: one for one in (await take(any_frontier, 3, "w", now=NOW)).requests}
    # a is held; the answer that leased b never came; c is held, but the server has lost its last second
    member = taken["c.test"].member
    await settle(any_frontier, "w", [Settlement("back", member)], now=NOW)
    held = [(taken["a.test"].member, "a.test", True), (member, "c.test", True)]
    assert await any_frontier.reconcile("w", held, now=NOW + 1) == set()
    counts = await any_frontier.counts()
    assert (counts.queued, counts.leased) == (1, 2)
    (leased,) = (await take(any_frontier, 3, "w", look_ahead=10, now=NOW + 1)).requests
    assert leased.host == "b.test"
    # what another worker has got meanwhile is lost to this one, which is heard of by that alone
    assert await any_frontier.reconcile("other", [(member, "c.test", True)], now=NOW + 2) == {member}
    assert sorted(await any_frontier.workers()) == ["other", "w"]


async def test_after_an_outage_a_page_that_has_left_its_slot_does_not_hold_it_again(any_frontier):
    await admit(any_frontier, "http://a.test/1", "http://a.test/2")
    (first,) = (await take(any_frontier, 1, "w", now=NOW)).requests
    await settle(any_frontier, "w", [Settlement("release", first.member, 1.0)], now=NOW)
    assert await any_frontier.reconcile("w", [(first.member, "a.test", False)], now=NOW + 1) == set()
    (second,) = (await take(any_frontier, 1, "w", now=NOW + 2)).requests
    assert url_of(second) == "http://a.test/2"
    assert (await any_frontier.counts()).leased == 2


@pytest.mark.parametrize("other_has_it", [True, False])
async def test_a_lease_that_redis_forgot_shares_its_slot_with_no_other(frontier, other_has_it):
    """Redis has the worker's lease before it, which had left the slot."""
    await admit(frontier, "http://a.test/1", "http://a.test/2", "http://a.test/3")
    (first,) = (await take(frontier, 1, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("release", first.member, 1.0)], now=NOW)
    if other_has_it:
        assert (await take(frontier, 1, "other", now=NOW + 2)).requests
    lost = await frontier.reconcile("w", [(first.member, "a.test", True)], now=NOW + 3)
    assert lost == ({first.member} if other_has_it else set())
    assert not (await take(frontier, 1, "third", look_ahead=60, now=NOW + 3)).requests
    counts = await frontier.counts()
    assert (counts.queued, counts.leased) == (2, 1)


async def test_a_host_that_does_not_answer_one_keeps_its_slot_for_another(frontier):
    await admit(frontier, "http://a.test/1", "http://a.test/2", "http://a.test/3")
    (first,) = (await take(frontier, 1, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("release", first.member, 1.0)], now=NOW)
    assert (await take(frontier, 1, "other", now=NOW + 2)).requests
    await settle(frontier, "w", [Settlement("mute", first.member, 1.0, "{}")], now=NOW + 2)
    assert not (await take(frontier, 1, "third", look_ahead=60, now=NOW + 3)).requests


async def test_sending_again_what_was_stored_changes_nothing(frontier):
    envelopes = [Candidate(f"http://a.test/{n}").envelope({"job": "j"}, 0, None) for n in range(3)]
    assert await frontier.push(envelopes, now=NOW) == 3
    assert await frontier.push(envelopes, now=NOW) == 0
    (leased,) = (await take(frontier, 1, "w", now=NOW)).requests
    for _ in range(2):
        await settle(frontier, "w", [Settlement("release", leased.member, 1.0)], now=NOW)
    for settled in (1, 0):
        assert (await settle(frontier, "w", [Settlement("ack", leased.member)], now=NOW)).settled == settled
    counts = await frontier.counts()
    assert (counts.queued, counts.leased) == (2, 0)


async def test_a_page_that_waits_to_be_visited_again_waits_once(any_frontier):
    again = Envelope(b"pagekey0" + bytes(6), None, "a.test", 0, 0, '{"v":1,"u":"http://a.test/"}')
    assert [await any_frontier.push([again], now=NOW) for _ in range(3)] == [1, 0, 0]
    (leased,) = (await take(any_frontier, 5, "w", now=NOW)).requests
    # asked for by its own callback while it is leased: that is another visit
    assert [await any_frontier.push([again], now=NOW) for _ in range(3)] == [1, 0, 0]
    await settle(any_frontier, "w", [Settlement("ack", leased.member)], now=NOW)
    assert len(await drain(any_frontier)) == 1


async def test_known_pages_take_turns_with_those_never_read(any_frontier):
    new = [Candidate(f"http://a.test/{n}", 10).envelope({"job": "j"}, 0, None) for n in range(40)]
    news = [Candidate(f"http://a.test/news{n}", 12).envelope({"job": "j"}, 0, None) for n in range(5)]
    known = [
        Envelope(b"%08d" % n + bytes(6), None, "a.test", 0, 0, f'{{"u":"http://a.test/k{n}"}}', turns=10)
        for n in range(4)
    ]
    last = Envelope(b"%08d" % 9 + bytes(6), None, "a.test", 0, 0, '{"u":"http://a.test/old"}')
    await any_frontier.push([*new, last], now=NOW)
    await any_frontier.push(known[:2], now=NOW)
    assert await queued(any_frontier, dict.fromkeys(["a.test", "b.test"], turns(0, 10))) == {
        "a.test": (43, 13),
        "b.test": (0, 0),
    }
    await any_frontier.push([*known[2:], *news], now=NOW)
    came = [{"k": "k", "n": "news", "o": "old"}.get(url[14:15], ".") for url in await drain(any_frontier)]
    assert came[:5] == ["news"] * 5
    places = [n for n, what in enumerate(came[5:]) if what == "k"]
    assert places[0] == 3
    assert {b - a for a, b in pairwise(places)} <= {4, 5}
    assert came[-1] == "old"


async def test_known_pages_that_take_turns_stay_in_their_order_where_little_waits(any_frontier):
    known = [
        Envelope(b"%08d" % n + bytes(6), None, "a.test", 0, 0, f'{{"u":"http://a.test/k{n}"}}', turns=10)
        for n in range(6)
    ]
    new = [Candidate(f"http://a.test/{n}", 10).envelope({"job": "j"}, 0, None) for n in range(2)]
    await any_frontier.push([*known, *new], now=NOW)
    assert await drain(any_frontier) == [f"http://a.test/{n}" for n in (0, 1, *(f"k{n}" for n in range(6)))]


async def test_marked_pages_are_known(any_frontier):
    keys = [page_key(canonical_url(f"http://a.test/{n}")) for n in range(3)]
    assert await any_frontier.seen.mark(keys[:2]) == 2
    assert await any_frontier.seen.mark(keys) == 1
    assert await admit(any_frontier, *(f"http://a.test/{n}" for n in range(4))) == 1


async def test_questions_to_a_redis_that_is_away_say_so(tmp_path):
    async with redis.asyncio.Redis(unix_socket_path=str(tmp_path / "none"), retry=None) as client:
        for question in (Frontier(client).counts(), Frontier(client).idle_for(NOW), Frontier(client).seen.mark([1])):
            with pytest.raises(StoreUnavailable):
                await question


async def test_back_off_is_shared_and_forgotten_when_over(frontier):
    await admit(frontier, "http://a.test/1", "http://a.test/2", "http://a.test/3")
    (leased,) = (await take(frontier, 1, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("release", leased.member, 10, "10")], now=NOW)
    (leased,) = (await take(frontier, 1, "other", now=NOW + 10)).requests
    assert leased.pace == Pace(10)
    await settle(frontier, "other", [Settlement("release", leased.member, 1, "0")], now=NOW + 11)
    (leased,) = (await take(frontier, 1, "w", now=NOW + 12)).requests
    assert leased.pace == Pace()


async def test_a_guest_takes_the_host_from_every_worker(frontier):
    await admit(frontier, "http://a.test/1")
    assert await frontier.hold("guest", "a.test", now=NOW) == 0
    assert await frontier.hold("other", "a.test", now=NOW) > 0
    assert not (await take(frontier, 1, "w", now=NOW)).requests
    await frontier.unhold("guest", "a.test", 2.0, now=NOW)
    assert await frontier.hold("other", "a.test", now=NOW) == pytest.approx(2.0)
    assert len((await take(frontier, 1, "w", now=NOW + 2)).requests) == 1


async def test_a_dead_guest_leaves_its_host(frontier):
    await admit(frontier, "http://a.test/1")
    await take(frontier, 0, "guest", now=NOW)
    await frontier.hold("guest", "a.test", now=NOW)
    await frontier.reap("w", now=NOW + 60)
    assert len((await take(frontier, 1, "w", now=NOW + 70)).requests) == 1


async def test_a_guest_that_has_not_heard_that_it_was_let_in_is_let_in_again(frontier):
    for _ in range(2):
        assert await frontier.hold("guest", "a.test", now=NOW) == 0
    await frontier.unhold("guest", "a.test", 0.0, now=NOW)
    assert await frontier.hold("other", "a.test", now=NOW) == 0


@pytest.mark.parametrize("spider", ["article", "other"])
async def test_a_guest_that_has_ended_leaves_its_host(frontier, spider):
    await admit(frontier, "http://a.test/1")
    of = frontier.of(spider)
    await of.exchange("guest", [], 0, now=NOW)
    await of.hold("guest", "a.test", now=NOW)
    await frontier.reap("w", now=NOW + 1)
    assert not (await take(frontier, 1, "w", now=NOW + 10)).requests  # it fetches there
    assert await of.retire("guest") is (spider == "other")
    await frontier.reap("w", now=NOW + 10)
    assert len((await take(frontier, 1, "w", now=NOW + 20)).requests) == 1


async def test_nothing_is_left_of_a_dead_worker(frontier):
    """It had two hosts as a guest, leases that were compared, and words that were numbered."""
    hosts = [f"h{n}.test" for n in range(3)]
    await admit(frontier, *(f"http://{host}/" for host in hosts))
    for host in hosts[:2]:
        assert await frontier.hold("dead", host, now=NOW) == 0
    (lease,) = (await take(frontier, 5, "dead", now=NOW)).requests
    await frontier.exchange("dead", [Settlement("release", lease.member)], 0, said_at=NOW, number=1)
    await frontier.reconcile("dead", [(lease.member, lease.host, False)], number=1)
    while await frontier.reap("w", dead=["dead"]):
        pass
    later = (await frontier.redis.time())[0] + 60.0
    assert {url_of(one) for one in (await take(frontier, 5, "w", now=later)).requests} == {
        f"http://{h}/" for h in hosts
    }
    kinds = {"hash": frontier.redis.hgetall, "zset": lambda key: frontier.redis.zrange(key, 0, -1)}
    for key in await frontier.redis.keys("*"):
        kind = (await frontier.redis.type(key)).decode()
        told = str(await kinds[kind](key)) if kind in kinds else ""
        assert b":w:dead" not in key
        assert "dead" not in told or ":tries" in key.decode(), (key, told)


@pytest.mark.parametrize("answered", [1, None])
async def test_a_late_call_of_a_worker_that_was_taken_for_dead_acts_on_nothing_new(frontier, answered):
    """Its number went with its name; the comparison that it comes back with tells it anew."""
    await admit(frontier, "http://a.test/")
    (first,) = (await take(frontier, 1, "w")).requests
    failed = [Settlement("fail", first.member, text="once")]
    await frontier.exchange("w", failed, 0, number=1)
    await frontier.reap("other", dead=["w"])
    await frontier.reconcile("w", [], number=1, answered=answered)
    (again,) = (await take(frontier, 1, "w", look_ahead=9)).requests
    assert again.member == first.member
    settled, _ = await frontier.exchange("w", failed, 0, number=1)  # as the first copy, after its time
    assert settled.settled == (answered is None)
    assert (await frontier.counts()).leased == (answered is not None)


async def test_idle_slots_are_forgotten(frontier):
    await admit(frontier, *(f"http://h{n}.test/" for n in range(300)))
    while taken := (await take(frontier, 50, "w", now=NOW)).requests:
        await settle(
            frontier, "w", [Settlement(o, one.member, 1.0) for one in taken for o in ("release", "ack")], now=NOW
        )
    for n in range(10):
        await take(frontier, 0, "w", now=NOW + 10 + n)
    left = {key.decode() for key in await frontier.redis.keys(f"{frontier.prefix}:*") if b":seen:" not in key}
    assert {name.removeprefix(frontier.prefix) for name in left} <= {":n", ":slot", ":arrivals", ":workers", ":epoch"}


async def test_a_frontier_of_another_layout_is_refused(client):
    await Frontier(client).open()
    await Frontier(client).open()
    with pytest.raises(StateError, match="adjacency"):
        await Frontier(client, adjacency="slot").open()


async def test_how_long_nothing_can_be_done(frontier):
    assert await frontier.idle_for(NOW) is None
    await admit(frontier, "http://a.test/1", "http://a.test/2")
    assert await frontier.idle_for(NOW) == 0
    (leased,) = (await take(frontier, 1, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("release", leased.member, 60.0), Settlement("ack", leased.member)], now=NOW)
    assert await frontier.idle_for(NOW) == pytest.approx(60)


async def test_a_full_server_can_be_worked_off(tmp_path):
    with PrivateRedis(tmp_path) as server:
        async with redis.asyncio.Redis.from_url(server.url) as client:
            await client.config_set("maxmemory", "4mb")
            frontier = Frontier(client, known=0)
            filled = 0
            with pytest.raises(redis.ResponseError) as refused:
                while filled < 10**6:
                    links = [f"http://h{filled % 7}.test/{filled + n}/{'x' * 100}" for n in range(100)]
                    envelopes = [Candidate(link).envelope({"job": "j"}, 0, None) for link in links]
                    filled += await frontier.push(envelopes, now=NOW)
            assert is_full(refused.value)
            assert passes(refused.value)
            assert filled > 100
            for _ in range(200):
                for leased in (await take(frontier, 7, "w", now=NOW)).requests:
                    await settle(frontier, "w", [Settlement("ack", leased.member)], now=NOW)
            assert await frontier.push(envelopes[:1], now=NOW) in (0, 1)


@pytest.mark.parametrize(
    "commands",
    [
        [("REPLICAOF", "127.0.0.1", "1")],
        [("REPLICAOF", "127.0.0.1", "1"), ("CONFIG", "SET", "replica-serve-stale-data", "no")],
        [("CONFIG", "SET", "min-replicas-to-write", "1")],
    ],
    ids=["a replica", "a replica without its primary", "a primary without its replicas"],
)
async def test_a_server_that_refuses_for_now_is_waited_for(tmp_path, commands):
    with PrivateRedis(tmp_path) as server:
        async with redis.asyncio.Redis.from_url(server.url) as client:
            await Frontier(client).open()
            for command in commands:
                await client.execute_command(*command)
            link = Candidate("http://a.test/1").envelope({"job": "j"}, 0, None)
            with pytest.raises(redis.ResponseError) as refused:
                await Frontier(client, known=0).push([link], now=NOW)
            assert passes(refused.value)
            assert not is_full(refused.value)


async def test_a_server_that_forgot_one_script_of_two_leases_nothing_twice(frontier, client):
    await admit(frontier, "http://a.test/", "http://b.test/", at=None)
    (first,) = (await take(frontier, 1, "w")).requests
    await client.script_flush()
    await take(frontier, 0, "other")  # the server knows ``take`` again, not ``settle``
    settled, taken = await frontier.exchange("w", [Settlement("ack", first.member)], 5)
    assert settled.settled == 1
    assert len(taken.requests) == 1
    assert (await take(frontier, 0, "w")).own == 1


def spiders(client, *names):
    return [Frontier(client, spider=name, known=0) for name in names]


async def test_each_spider_has_its_own_queue_and_seen_set(client):
    one, two = spiders(client, "one", "two")
    await admit(one, "http://a.test/1")
    assert (await take(two, 9, "w2", now=NOW)).requests == ()
    assert await admit(two, "http://a.test/1") == 1
    assert (await one.counts()).queued == (await two.counts()).queued == 1


async def test_two_spiders_are_never_on_one_host_together(client):
    one, two = spiders(client, "one", "two")
    await admit(one, "http://a.test/1")
    (held,) = (await take(one, 9, "w1", now=NOW)).requests
    await admit(two, "http://a.test/2", "http://b.test/1")
    assert [taken.host for taken in (await take(two, 9, "w2", now=NOW)).requests] == ["b.test"]
    waiting = await take(two, 9, "w2", now=NOW + 0.1)
    assert (waiting.requests, waiting.queued) == ((), 1)
    assert waiting.next_ready_at == pytest.approx(NOW + 0.25, abs=0.2)
    await settle(one, "w1", [Settlement("release", held.member, 5.0)], now=NOW + 1)
    assert (await take(two, 9, "w2", now=NOW + 5.9)).requests == ()
    (later,) = (await take(two, 9, "w2", now=NOW + 6.1)).requests
    assert later.start_at == pytest.approx(NOW + 6, abs=0.01)


async def test_a_dead_workers_host_is_freed_by_a_worker_of_another_spider(client):
    one, two = spiders(client, "one", "two")
    await admit(one, "http://a.test/1")
    await take(one, 9, "w1", now=NOW)
    await one.hold("w1", "c.test", now=NOW)
    await admit(two, "http://a.test/2")
    assert await two.reap("w2", now=NOW + 29) == 0
    assert await two.reap("w2", now=NOW + 31) == 1
    assert (await one.counts()).queued == 1
    assert [taken.host for taken in (await take(two, 9, "w2", now=NOW + 40)).requests] == ["a.test"]
    assert await two.hold("w2", "c.test", now=NOW + 40) == 0


async def test_a_purge_leaves_other_spiders_alone_and_frees_the_hosts(client):
    one, two = spiders(client, "one", "on*")
    await admit(one, "http://a.test/1")
    await admit(two, "http://a.test/2")
    await take(two, 9, "w2", now=NOW)
    await purge(two)
    assert (await one.counts()).queued == 1
    assert len((await take(one, 9, "w1", now=NOW + 1)).requests) == 1


async def test_what_was_seen_is_forgotten_and_what_is_queued_stays(client):
    (one,) = spiders(client, "one")
    await admit(one, "http://a.test/1")
    await forget_seen(one)
    assert (await one.counts()).queued == 1
    (held,) = (await take(one, 9, "w1", now=NOW)).requests
    await settle(one, "w1", [Settlement("ack", held.member)], now=NOW)
    assert await admit(one, "http://a.test/1") == 1


async def test_the_last_worker_of_a_spider_is_told_so(client):
    one, two = spiders(client, "one", "two")
    for frontier, worker in ((one, "w1"), (one, "w2"), (two, "w3")):
        await take(frontier, 0, worker)
    assert [await one.retire("w1"), await one.retire("w2"), await two.retire("w3")] == [False, True, True]
    await admit(two, "http://a.test/1")
    await take(two, 0, "w3")
    assert not await two.retire("w3")


async def test_a_repeated_word_acts_on_no_newer_lease(frontier):
    await frontier.links.admit([Candidate("http://a.test/")], job="j")
    first = (await take(frontier, 1, "w")).requests[0]
    await frontier.scripts.load(["settle"])
    told = [Settlement("fail", first.member, text="callback: ValueError")]
    settled, taken = await frontier.exchange("w", told, 1, look_ahead=60, number=1)  # and its answer is lost
    assert settled.settled == 1
    assert [len(one.tries) for one in taken.requests] == [1]
    settled, _ = await frontier.exchange("w", told, 1, look_ahead=60, number=1)
    assert settled.settled == 0
    assert (await frontier.counts()).leased == 1
    settled, taken = await frontier.exchange("w", told, 1, look_ahead=60, number=2)
    assert settled.settled == 1
    assert [len(one.tries) for one in taken.requests] == [2]


async def test_a_page_is_not_done_where_its_links_may_be_lost(frontier):
    await frontier.links.admit([Candidate("http://a.test/")], job="j")
    taken = await take(frontier, 1, "w")
    done = [Settlement("ack", taken.requests[0].member)]
    frontier._epoch = b"0 " + b"a" * 40  # known before the server was started anew
    assert (await settle(frontier, "w", done)).settled == 1
    assert (await frontier.counts()).queued == 1
    taken = await take(frontier, 1, "w", look_ahead=60)
    assert (await settle(frontier, "w", [Settlement("ack", taken.requests[0].member)])).settled == 1
    assert (await frontier.counts()).queued == 0
