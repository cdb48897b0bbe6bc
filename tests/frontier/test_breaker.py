"""Silence: its pauses, whom it is blamed on, and what the queue does with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.frontier import Candidate
from articlebot.frontier.breaker import NO_ANSWER, Silence, after, fault_of, is_to_blame, places_behind
from articlebot.frontier.inspect import silent
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.wire import read_leased, take_arguments
from articlebot_lab.leasing import settle, take


@given(probes=st.integers(1, 5000), first=st.floats(0.1, 100), longest=st.floats(100, 1e5))
def test_pauses_double_up_to_the_longest(probes: int, first: float, longest: float) -> None:
    pauses = [Silence("a", 0.0, 0.0, n, "timeout").pause(first, longest) for n in (1, probes, probes + 1)]
    assert pauses[0] == first
    assert Silence("a", 0.0, 0.0, 1, "dns").pause(first, longest) == min(longest, 4 * first)
    assert pauses[2] == min(longest, 2 * pauses[1])


def test_a_silence_keeps_its_beginning_and_reads_what_it_wrote() -> None:
    first = after(None, "a.test", "dns", 5.0)
    second = after(first, "a.test", "timeout", 9.0)
    assert second == Silence("a.test", 5.0, 9.0, 2, "timeout")
    assert Silence.load(second.dump()) == second
    assert [Silence.load(text) for text in (None, b"", b"[]", b'{"host": 1}', b"\xff")] == [None] * 5


@pytest.mark.parametrize(
    ("before", "reasons", "patience", "blamed"),
    [
        (None, [], 2, False),
        (None, [NO_ANSWER + "timeout"] * 2, 2, True),
        (None, ["callback: ValueError"] * 2, 2, False),
        (Silence("a", 0, 0, 1, "dns"), [NO_ANSWER + "timeout"] * 2, 2, False),  # nobody is answered there
        (Silence("a", 0, 0, 1, "dns"), [], 0, True),
    ],
)
def test_a_page_is_blamed_only_where_its_host_answers_others(before, reasons, patience, blamed) -> None:
    assert is_to_blame(before, reasons, patience) is blamed


@pytest.mark.parametrize(("before", "places"), [(None, 20), (Silence("a", 0, 0, 2, "dns"), 3)])
def test_a_page_that_may_hang_alone_comes_after_others(before, places) -> None:
    assert places_behind(after(before, "a", "timeout", 1.0), before) == places


def test_what_http_says_is_no_silence() -> None:
    assert fault_of(TimeoutError()) == "timeout"
    assert fault_of(ConnectionRefusedError()) == "refused_connection"
    assert fault_of(ConnectionResetError()) is None


async def test_a_silent_host_rests_with_all_its_pages_and_the_next_probe_is_another_page(any_frontier) -> None:
    frontier = any_frontier
    for number in (1, 2, 3, 4):
        await frontier.links.admit([Candidate(f"http://a.test/{number}", priority=9 - number)], job="j", now=0)
    [lease] = (await take(frontier, 5, "w", now=0)).requests
    assert lease.silence is None
    silence = after(None, lease.host, "timeout", 0.0)
    told = [Settlement("release", lease.member, 1.0), Settlement("mute", lease.member, 10.0, silence.dump())]
    await settle(frontier, "w", [*told, Settlement("behind", lease.member, text=f"2 {NO_ANSWER}timeout")], now=0)
    assert (await take(frontier, 5, "v", now=9)).requests == ()  # of another worker too
    [probe] = (await take(frontier, 5, "v", now=11)).requests
    assert probe.silence == silence
    assert '"http://a.test/2"' in probe.record
    told = [Settlement("heard", probe.member), Settlement("release", probe.member, 1.0)]
    await settle(frontier, "v", [*told, Settlement("ack", probe.member)], now=11)
    rest = []
    for now in (13, 15, 17):
        [one] = (await take(frontier, 5, "v", now=now)).requests
        rest.append(one)
        await settle(frontier, "v", [Settlement("release", one.member, 1.0), Settlement("ack", one.member)], now=now)
    # The first went behind two others.
    assert [next(n for n in "1234" if f"a.test/{n}" in one.record) for one in rest] == ["3", "1", "4"]
    assert [one.silence for one in rest] == [None] * 3
    assert [reason for _, _, reason in rest[1].tries] == [NO_ANSWER + "timeout"]


async def test_silence_never_ends_in_quarantine(frontier) -> None:
    await frontier.links.admit([Candidate("http://a.test/")], job="j", now=0)
    for n in range(6):  # `tries` is 3
        [lease] = (await take(frontier, 5, "w", now=100 * n)).requests
        await settle(frontier, "w", [Settlement("behind", lease.member, text=f"1 {NO_ANSWER}dns")], now=100 * n)
    [lease] = (await take(frontier, 5, "w", now=1000)).requests
    await settle(frontier, "w", [Settlement("fail", lease.member, text="callback: ValueError")], now=1000)
    assert (await frontier.counts()).quarantined == 0
    for n in (11, 12):
        [lease] = (await take(frontier, 5, "w", now=100 * n)).requests
        await settle(frontier, "w", [Settlement("fail", lease.member, text="callback: ValueError")], now=100 * n)
    assert (await frontier.counts()).quarantined == 1


async def test_a_parent_does_not_wait_for_a_silent_child(frontier) -> None:
    links = [Candidate("http://a.test/"), Candidate("http://b.test/")]
    await frontier.links.admit(links, job="j", parent_url="http://p.test/", now=0)
    [lease] = (await take(frontier, 5, "w", now=0)).requests
    told = [Settlement("release", lease.member, 1.0), Settlement("mute", lease.member, 1000.0, "{}")]
    await settle(frontier, "w", [*told, Settlement("behind", lease.member, text="1 ")], now=0)
    assert len((await take(frontier, 5, "w", now=2)).requests) == 1


async def test_a_run_that_ends_when_idle_does_not_stay_for_a_host_that_it_asked_in_vain(frontier) -> None:
    async def ask(begun: float, now: float) -> tuple[list[Leased], float]:
        arguments = take_arguments("w", "keys", 9, look_ahead=0.0, begun=begun, stay=30.0, now=now)
        at, _, ready, *_, rows = await frontier.scripts.run("take", arguments)
        return [read_leased(row) for row in rows], float(ready or "inf") - float(at)

    async def hangs(lease: Leased, now: float) -> None:
        silence = after(lease.silence, lease.host, "timeout", now)
        told = [Settlement("mute", lease.member, 10.0, silence.dump()), Settlement("behind", lease.member, text="1 ")]
        await settle(frontier, "w", told, now=now)

    await frontier.links.admit([Candidate("http://a.test/")], job="j", now=0)
    for now in (0, 40):
        [lease], _ = await ask(0, now)
        await hangs(lease, now)
    await frontier.links.admit([Candidate("http://b.test/")], job="j", now=44)
    [other] = (await take(frontier, 1, "w", now=45)).requests
    await settle(frontier, "w", [Settlement("back", other.member, 20.0)], now=50)
    [lease], _ = await ask(0, 55)  # there is more to be done soon
    assert lease.host == "a.test"
    await hangs(lease, 56)
    (lease, other), _ = await ask(0, 71)
    await hangs(lease, 71)
    await settle(frontier, "w", [Settlement("ack", other.member)], now=71)
    leases, ready_in = await ask(0, 85)
    assert leases == []
    assert ready_in > 30  # it is for the next run
    [lease], _ = await ask(150, 150)
    assert lease.host == "a.test"


async def test_hosts_for_which_nothing_waits_are_not_named(frontier) -> None:
    await frontier.links.admit([Candidate("http://a.test/"), Candidate("http://b.test/")], job="j")
    for lease in (await take(frontier, 5, "w", look_ahead=1.0)).requests:
        text = after(None, lease.host, "dns", lease.start_at).dump()
        end = "behind" if lease.host == "a.test" else "ack"
        told = [Settlement("mute", lease.member, 60.0, text), Settlement(end, lease.member, text="1 ")]
        await settle(frontier, "w", told)
    [one] = await silent(frontier)
    assert (one.host, one.fault, one.probes, one.queued) == ("a.test", "dns", 1, 1)
    assert await frontier.redis.hlen(f"{frontier.shared}:silent") == 2
    seconds, _ = await frontier.redis.time()
    await take(frontier, 0, "w", now=seconds + 100)
    assert await frontier.redis.hkeys(f"{frontier.shared}:silent") == [b"a.test"]
    assert one.next_probe_at is not None
    assert 50 < one.next_probe_at - one.since < 70
