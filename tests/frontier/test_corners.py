"""What no test noticed when a line of the scripts was changed (`make mutants-lua`)."""

from __future__ import annotations

import pytest

from articlebot.frontier import Candidate, Envelope, Frontier, Settlement
from articlebot.frontier.envelope import mark, split
from articlebot.frontier.forget import forget_seen
from articlebot.frontier.quarantine import quarantined
from articlebot.frontier.seen import BloomSeen
from articlebot.frontier.wire import settle_arguments
from articlebot_lab.leasing import settle, take

NOW = 1_700_000_000.0
PARENT = int.from_bytes(b"a parent", "big")


def again(last: int, parent: int = 0) -> Envelope:
    """A request that may be queued beside another one for its page."""
    return Envelope(b"pagekey0" + bytes(5) + bytes([last]), None, "a.test", parent, 0, '{"v":1,"u":"http://a.test/"}')


async def test_a_host_that_another_spider_is_in_is_looked_at_later(frontier):
    other = frontier.of("other")
    await frontier.links.admit([Candidate("http://a.test/")], job="j", now=NOW)
    assert len((await take(frontier, 9, "w", now=NOW)).requests) == 1
    await other.links.admit([Candidate("http://a.test/")], job="j", now=NOW)
    assert await other.next_ready_at() == pytest.approx(NOW + 0.25, abs=0.01)
    for at in (NOW, NOW + 1):
        taken = await take(other, 9, "v", look_ahead=0.5, now=at)
        assert taken.requests == ()
        assert taken.next_ready_at == pytest.approx(at + 0.25, abs=0.01)  # at once it would be asked without end


async def test_a_slot_that_waits_for_its_host_or_parent_says_when_and_is_not_left_to_others(frontier):
    links = [Candidate("http://a.test/"), Candidate("http://b.test/")]
    await frontier.links.admit(links, job="j", parent_url="http://p.test/", now=NOW)
    (first,) = (await take(frontier, 9, "w", now=NOW)).requests
    taken = await take(frontier, 9, "w", now=NOW)
    assert (taken.next_ready_at, taken.passed) == (None, 0)  # it waits for a page in flight
    waiting = f"{frontier.prefix}:wait:".encode() + split(first.member)[1]
    assert await frontier.redis.exists(waiting)
    await settle(frontier, "w", [Settlement("release", first.member, 9.0)], now=NOW)
    assert not await frontier.redis.exists(waiting)
    await frontier.links.admit([Candidate("http://c.test/")], job="j", parent_url="http://p.test/", now=NOW + 1)
    for _ in range(2):
        assert (await take(frontier, 9, "w", now=NOW + 1)).next_ready_at == pytest.approx(NOW + 9, abs=0.01)


async def test_a_host_that_is_held_for_a_fetch_without_a_lease_is_not_looked_at(any_frontier):
    await any_frontier.links.admit([Candidate("http://a.test/")], job="j", now=NOW)
    assert await any_frontier.of_host("a.test").hold("w", "a.test", now=NOW) == 0
    assert await any_frontier.next_ready_at() is None


async def test_what_is_given_back_before_it_began_rests_as_it_says(any_frontier):
    await any_frontier.links.admit([Candidate("http://a.test/")], job="j", now=NOW)
    (lease,) = (await take(any_frontier, 9, "w", now=NOW)).requests
    await settle(any_frontier, "w", [Settlement("back", lease.member, 9.0)], now=NOW)
    assert (await take(any_frontier, 9, "w", now=NOW)).next_ready_at == pytest.approx(NOW + 9, abs=0.01)


@pytest.mark.parametrize(("said_at", "begins"), [(-0.5, -0.5), (-60, -1.0), (60, 0.0)])
async def test_a_workers_estimate_of_the_clock_counts_for_a_second_at_most(frontier, said_at, begins):
    await frontier.links.admit([Candidate("http://a.test/1"), Candidate("http://a.test/2")], job="j", now=NOW)
    (lease,) = (await take(frontier, 9, "w", now=NOW)).requests
    told = [Settlement("release", lease.member, 9.0)]
    arguments = settle_arguments("w", "keys", told, tries=3, now=NOW + 20, said_at=NOW + 20 + said_at)
    await frontier.scripts.run("settle", arguments)
    assert await frontier.next_ready_at() == pytest.approx(NOW + 29 + begins, abs=0.01)


async def test_what_a_worker_leaves_to_others_is_forgotten_in_time(any_frontier):
    await any_frontier.links.admit([Candidate("http://a.test/")], job="paused", now=NOW)
    left_out = [mark("job", "paused")]
    assert (await take(any_frontier, 9, "w", left_out=left_out, now=NOW)).passed == 1
    assert 0 < await any_frontier.redis.ttl(f"{any_frontier.prefix}:strange:w") <= 3600
    assert (await take(any_frontier, 0, "w", anew=True, now=NOW)).passed == 0
    assert (await take(any_frontier, 9, "w", left_out=left_out, now=NOW)).passed == 1
    assert len((await take(any_frontier, 9, "v", now=NOW + 2)).requests) == 1
    assert (await take(any_frontier, 0, "v", now=NOW + 2)).passed == 0


async def test_a_page_is_known_to_a_bloom_filter_once_it_was_read(client):
    frontier = Frontier(client, seen=BloomSeen(4000, 1e-6), known=0)
    page = Envelope(b"page key", 1234567, "a.test", 0, 0, '{"v":1,"u":"http://a.test/"}')
    assert await frontier.push([page], now=NOW) == 1
    (lease,) = (await take(frontier, 9, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("ack", lease.member)], now=NOW)
    assert await frontier.push([page], now=NOW) == 0


@pytest.mark.parametrize("last", [0, 255])
async def test_a_page_that_asks_for_itself_is_queued_under_a_name_of_the_same_length(frontier, last):
    await frontier.push([again(last, PARENT)], now=NOW)
    (lease,) = (await take(frontier, 9, "w", now=NOW)).requests
    assert await frontier.push([again(last, PARENT)], now=NOW) == 1
    await settle(frontier, "w", [Settlement("ack", lease.member)], now=NOW)
    (other,) = (await take(frontier, 9, "w", now=NOW)).requests
    assert (len(other.member), split(other.member)[1]) == (22, PARENT.to_bytes(8, "big"))
    assert other.member[:13] == lease.member[:13]
    assert other.member[13] == (last + 1) % 256


async def test_a_process_that_is_to_remember_no_links_remembers_none(frontier):
    assert await frontier.links.admit([Candidate("http://a.test/")], job="j", now=NOW) == 1
    (lease,) = (await take(frontier, 9, "w", now=NOW)).requests
    await settle(frontier, "w", [Settlement("ack", lease.member)], now=NOW)
    await forget_seen(frontier)
    assert await frontier.links.admit([Candidate("http://a.test/")], job="j", now=NOW) == 1


async def test_a_page_in_hand_whose_mark_is_lost_is_not_queued_beside_itself(frontier):
    page = Envelope(b"page key", 1234567, "a.test", 0, 0, '{"v":1,"u":"http://a.test/"}')
    await frontier.push([page], now=NOW)
    (lease,) = (await take(frontier, 9, "w", now=NOW)).requests
    await forget_seen(frontier)
    assert await frontier.push([page], now=NOW) == 0
    assert (await settle(frontier, "w", [Settlement("ack", lease.member)], now=NOW)).settled == 1


async def test_a_request_that_is_tried_again_has_its_parent_and_a_quarantined_one_no_other_history(frontier):
    await frontier.push([again(0, PARENT)], now=NOW)
    for turn in range(4):  # two deaths among others, two alone
        at = NOW + 10 * turn
        (lease,) = (await take(frontier, 9, f"w{turn}", now=at)).requests
        await frontier.reap("other", dead=[f"w{turn}"], now=at)
    assert await frontier.redis.zscore(f"{frontier.prefix}:workers", "other") == pytest.approx(NOW + 30, abs=0.01)
    (kept,) = await quarantined(frontier)
    assert not await frontier.redis.exists(f"{frontier.prefix}:tries")
    await frontier.reap("other", now=kept.again_at + 1)
    (lease,) = (await take(frontier, 9, "w", now=kept.again_at + 9)).requests
    assert split(lease.member)[1] == PARENT.to_bytes(8, "big")


async def test_what_deleted_keys_leave_behind_is_mended(frontier):
    """A run waited for ever for leases and pages that were counted, and for a host that nobody was in."""
    links = [Candidate(f"http://{host}.test/{n}") for host in "ab" for n in range(2)]
    await frontier.links.admit(links, job="j", now=NOW)
    assert len((await take(frontier, 9, "w", now=NOW)).requests) == 2
    await frontier.redis.delete(f"{frontier.prefix}:w:w", f"{frontier.prefix}:q:b.test", f"{frontier.prefix}:ready")
    await frontier.reap("v", now=NOW + 1)
    assert (await frontier.counts()).leased == 0
    (left,) = (await take(frontier, 9, "v", look_ahead=9, now=NOW + 2)).requests
    assert (left.host, left.start_at) == ("a.test", NOW + 1 + frontier.lost_pause)
    await frontier.reap("v", now=NOW + 2)
    assert (await frontier.counts()).leased == 1
    await settle(frontier, "v", [Settlement("ack", left.member)], now=NOW + 3)
    await frontier.reap("v", now=NOW + 3)
    counts = await frontier.counts()
    assert (counts.queued, counts.leased) == (0, 0)


async def test_queues_that_nothing_leads_to_any_more_are_looked_at_again(frontier):
    await frontier.links.admit([Candidate("http://a.test/"), Candidate("http://b.test/")], job="j", now=NOW)
    await frontier.redis.delete(f"{frontier.prefix}:ready")
    assert not (await take(frontier, 9, "w", now=NOW)).requests
    await frontier.reap("w", now=NOW)
    assert len((await take(frontier, 9, "w", now=NOW)).requests) == 2
