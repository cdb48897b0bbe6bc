"""The outbox on real databases: order, back-off, dead letters, leases, and processes that die."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Sequence

import pytest
from sqlalchemy import select, update

from articlebot.archive import Archive, Selection, schema
from articlebot.archive.engine import reading, writing
from articlebot.errors import StoreUnavailable
from articlebot.publishing import letters
from articlebot.publishing.deliverer import Deliverer
from articlebot.publishing.outbox import Counts, Outbox, Retry
from articlebot.publishing.sink import Event, Refusal
from articlebot.publishing.specs import Routes, Rule
from articlebot.runtime import clock
from tests.archive.conftest import MakeArticle
from tests.publishing.conftest import Recorder
from tests.withdrawing import withdraw

RETRY = Retry(first_s=10, cap_s=100, attempts=3)


def test_each_sink_gets_each_version_once_and_in_order(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "one"), make("b", "one", job="x"), make("a", "two"), make("a", "three")], 1)
    s, t, outbox = Recorder(), Recorder(), Outbox(archive.engine, batch=3)
    total = Counts()
    while (counts := outbox.deliver({"s": s, "t": t}, 2)).delivered:
        total += counts
    assert s.got == [("a", 1), ("b", 1), ("a", 2), ("a", 3)]
    assert t.got == [("b", 1)]
    assert total.delivered == 5
    assert [event.article["body"] for event in s.events] == ["one", "one", "two", "three"]
    assert not letters.pending(archive.engine)


def test_what_is_committed_shortly_after_each_other_goes_together(archive: Archive, make: MakeArticle) -> None:
    s, calls = Recorder(), list[int]()
    s.before = lambda events: calls.append(len(events))
    deliverer, begun = Deliverer(Outbox(archive.engine), {"s": s}, clock.now, lambda _counts: None), time.monotonic()
    deliverer.start()
    for number in range(20):
        archive.publish([make(str(number)), make(str(number), "again")], clock.now())
        deliverer.wake()
        time.sleep(0.01)
    deliverer.stop(60.0)
    assert sorted(s.got) == sorted((str(number), version) for number in range(20) for version in (1, 2))
    # Two passes a second, each with the second versions behind the first ones, and batches of ten at the beginning.
    assert len(calls) <= 8 + 4 * (time.monotonic() - begun)
    assert not letters.pending(archive.engine)


def test_events_say_what_happened(archive: Archive, make: MakeArticle) -> None:
    article = make("a", "one " * 50)
    archive.publish([article, make("a", "one " * 50 + "two"), make("a", "three four")], 1)
    withdraw(archive, article, 2)
    s, outbox = Recorder(), Outbox(archive.engine)
    for _ in range(4):
        outbox.deliver({"s": s}, 3)
    assert [event.type for event in s.events] == ["new", "corrected", "updated", "withdrawn"]
    assert s.events[3].article["body"] == "three four"
    assert s.events[3].article["withdrawn_at"] == 2
    assert len({event.key for event in s.events}) == 4
    assert s.events[0].key.startswith(f"{article.page_key}-1-")
    assert s.events[0].article["key"] == s.events[0].key


def test_an_unreachable_sink_loses_nothing_and_backs_off(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a"), make("b")], 0)
    s, outbox = Recorder(), Outbox(archive.engine, retry=RETRY)

    def away(_events: Sequence[Event]) -> None:
        raise StoreUnavailable("away")

    s.before = away
    now, waits = 0.0, []
    for _ in range(6):
        assert outbox.deliver({"s": s}, now).failed_sinks == 1
        assert outbox.deliver({"s": s}, now) == Counts()
        waits.append(letters.summary(archive.engine, ["s"], now)[0]["retry_in_s"])
        now += waits[-1]
    assert waits == [10, 20, 40, 80, 100, 100]
    s.before = lambda _events: None
    assert outbox.deliver({"s": s}, now).delivered == 2
    assert letters.summary(archive.engine, ["s"], now)[0] | {"delivered_at": 0} == {
        "sink": "s", "configured": True, "pending": 0, "dead": 0, "oldest_s": None, "delivered": 2, "delivered_at": 0,
        "failures": 0, "retry_in_s": None, "error": None,
    }  # fmt: skip


def test_a_refused_version_holds_back_only_its_own_article_and_dies(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "bad"), make("b", "fine")], 0)
    archive.publish([make("a", "good")], 1)
    s, outbox = Recorder(), Outbox(archive.engine, retry=RETRY)
    s.before = lambda events: [Refusal(e.key, "no bad words") for e in events if e.article["body"] == "bad"]
    assert outbox.deliver({"s": s}, 2) == Counts(delivered=1, refused=1)
    assert outbox.deliver({"s": s}, 3) == Counts()
    assert outbox.deliver({"s": s}, 12) == Counts(refused=1)
    assert outbox.deliver({"s": s}, 32) == Counts(dead=1)
    assert s.got == [("b", 1)]
    assert outbox.deliver({"s": s}, 33) == Counts(delivered=1)
    assert s.got == [("b", 1), ("a", 2)]
    [dead] = letters.waiting(archive.engine)
    assert (dead["attempts"], dead["error"], dead["version"]) == (3, "no bad words", 1)


def test_dead_letters_are_retried_unless_a_later_version_has_arrived(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "bad"), make("b", "bad")], 0)
    archive.publish([make("a", "good")], 1)
    s, outbox = Recorder(), Outbox(archive.engine, retry=RETRY)
    s.before = lambda events: [Refusal(e.key, "no", final=True) for e in events if e.article["body"] == "bad"]
    outbox.deliver({"s": s}, 2)
    outbox.deliver({"s": s}, 3)
    assert s.got == [("a", 2)]
    s.before = lambda _events: None
    assert letters.retry(archive.engine, 4) == (1, 1)
    outbox.deliver({"s": s}, 5)
    assert s.got == [("a", 2), ("b", 1)]
    assert letters.waiting(archive.engine) == []


def test_dead_letters_are_dropped_by_hand(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a"), make("b")], 0)
    s, outbox = Recorder(), Outbox(archive.engine)
    s.before = lambda events: [Refusal(e.key, "no", final=True) for e in events]
    outbox.deliver({"s": s}, 1)
    first = letters.waiting(archive.engine)[0]["id"]
    assert letters.drop(archive.engine, ids=[first]) == 1
    assert letters.drop(archive.engine, sink="other") == 0
    assert letters.drop(archive.engine, sink="s") == 1


def test_a_sink_that_stumbles_over_one_event_gets_the_others(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "fine"), make("b", "poison"), make("c", "good")], 0)
    s, outbox = Recorder(), Outbox(archive.engine, retry=RETRY)

    def stumble(events: Sequence[Event]) -> Iterable[Refusal]:
        if any(event.article["body"] == "poison" for event in events):
            raise KeyError("poison")
        return ()

    s.before = stumble
    assert outbox.deliver({"s": s}, 1) == Counts(delivered=2, refused=1)
    assert s.got == [("a", 1), ("c", 1)]
    with reading(archive.engine) as connection:
        assert "KeyError" in connection.execute(select(schema.outbox.c.error)).scalar_one()


def test_one_process_at_a_time_serves_a_sink(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a"), make("b")], 0)
    first, second = Outbox(archive.engine, batch=1, lease_s=60), Outbox(archive.engine, lease_s=60)
    s, t = Recorder(), Recorder()
    seen: list[Counts] = []
    s.before = lambda _events: seen.append(second.deliver({"s": t}, 1))
    assert first.deliver({"s": s}, 1).delivered == 1
    assert seen == [Counts()]
    assert second.deliver({"s": t}, 2).delivered == 1
    assert (s.got, t.got) == ([("a", 1)], [("b", 1)])


@pytest.mark.parametrize("ahead", [-600.0, 600.0])
def test_machines_whose_clocks_differ_serve_a_sink_one_at_a_time(
    postgresql_url: str, make: MakeArticle, ahead: float
) -> None:
    with Archive(postgresql_url, route=lambda _row: ["s"]) as archive:
        archive.publish([make("a")], 0)
        right, wrong = clock.now, (lambda: clock.now() + ahead)
        first, second = (Outbox(archive.engine, wall=wall) for wall in (right, wrong))
        s, t, seen = Recorder(), Recorder(), list[Counts]()
        s.before = lambda _events: seen.append(second.deliver({"s": t}, wrong()))
        t.before = lambda _events: seen.append(first.deliver({"s": s}, right()))
        assert first.deliver({"s": s}, right()).delivered == 1
        archive.publish([make("b")], 0)
        assert second.deliver({"s": t}, wrong()).delivered == 1
    assert seen == [Counts(), Counts()]
    assert (s.got, t.got) == ([("a", 1)], [("b", 1)])


@pytest.mark.parametrize(("place", "free_at"), [("elsewhere", 61), ("a container", 61), ("here", 2)])
def test_what_a_dead_process_held_is_delivered(archive: Archive, make: MakeArticle, place: str, free_at: float) -> None:
    archive.publish([make("a")], 0)
    script = [sys.executable, "-c", "from articlebot.worker_names import worker_name; print(worker_name(7))"]
    gone = subprocess.run(script, capture_output=True, text=True, check=True)
    host, number, rest = gone.stdout.strip().rsplit("-", 2)
    host, rest = ("elsewhere" if place == "elsewhere" else host), ("0" * 14 if place == "a container" else rest)
    with writing(archive.engine) as connection:
        connection.execute(schema.sinks.insert(), {"name": "s"})
        values = {"owner": f"{host}-{number}-{rest}", "lease_until": 61.0}
        connection.execute(update(schema.sinks).values(values))
    s, outbox = Recorder(), Outbox(archive.engine)
    assert outbox.deliver({"s": s}, 1).delivered == (1 if free_at < 61 else 0)
    outbox.deliver({"s": s}, free_at)
    assert s.got == [("a", 1)]


def test_a_slow_sink_keeps_its_lease(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a")], 0)
    first, second = Outbox(archive.engine, lease_s=0.3), Outbox(archive.engine, lease_s=0.3)
    slow, other = Recorder(), Recorder()

    def work(_events: Sequence[Event]) -> None:
        ends = [0.3]
        while len(ends) < 4:  # three times prolonged, however long that takes here
            with reading(archive.engine) as connection:
                end = connection.execute(select(schema.sinks.c.lease_until)).scalar_one()
            assert second.deliver({"s": other}, end - 0.001) == Counts()
            if end > ends[-1]:
                ends.append(end)
            time.sleep(0.01)

    slow.before = work
    assert first.deliver({"s": slow}, 0.0).delivered == 1
    assert (slow.got, other.got) == ([("a", 1)], [])


def test_a_slow_sink_gets_few_at_once_and_a_fast_one_more_and_more(
    archive: Archive, make: MakeArticle, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.publish([make(f"p{n}", job="x") for n in range(50)], 1)
    sizes: dict[str, list[int]] = {"s": [], "t": []}
    slow, fast, outbox = Recorder(), Recorder(), Outbox(archive.engine)

    def work(events: Sequence[Event]) -> None:
        sizes["s"].append(len(events))
        time.sleep(0.02 * len(events))

    slow.before = work
    fast.before = lambda events: sizes["t"].append(len(events))
    monkeypatch.setattr("articlebot.publishing.outbox._CALL_S", 0.04)
    for _ in range(3):
        outbox.deliver({"s": slow}, 2)
    monkeypatch.setattr("articlebot.publishing.outbox._CALL_S", 60.0)
    while outbox.deliver({"t": fast}, 2).delivered:
        pass
    assert sizes["s"][0] == 10
    assert max(sizes["s"][1:]) <= 2
    assert sizes["t"] == [10, 20, 20]


def test_a_process_that_lost_its_lease_leaves_the_next_ones_alone(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a"), make("b")], 0)
    suspended, second, third = (Outbox(archive.engine, batch=1, lease_s=60) for _ in range(3))
    s, t, u = Recorder(), Recorder(), Recorder()
    inner: list[Counts] = []

    def overtaken(_events: Sequence[Event]) -> None:
        with writing(archive.engine) as connection:  # it slept beyond its lease, and another took over
            values = {"owner": second._owner, "lease_until": 160.0}
            connection.execute(update(schema.sinks).values(values))

    s.before = overtaken
    t.before = lambda _events: inner.append(third.deliver({"s": u}, 101))
    assert suspended.deliver({"s": s}, 1).delivered == 1
    assert third.deliver({"s": u}, 100) == Counts()
    assert second.deliver({"s": t}, 100).delivered == 1
    assert inner == [Counts()]
    assert (s.got, t.got) == ([("a", 1)], [("b", 1)])


@pytest.mark.parametrize("ahead", [10.0, 5_000.0, 30 * 86_400.0])
def test_a_clock_that_was_set_back_holds_up_little(archive: Archive, make: MakeArticle, ahead: float) -> None:
    s, outbox = Recorder(), Outbox(archive.engine, retry=RETRY)

    def away(_events: Sequence[Event]) -> None:
        raise StoreUnavailable("away")

    s.before = away
    archive.publish([make("a")], ahead)
    assert outbox.deliver({"s": s}, ahead).failed_sinks == 1
    with writing(archive.engine) as connection:  # killed on another machine while it had the lease
        values = {"owner": "elsewhere:1:00", "lease_until": ahead + 120}
        connection.execute(update(schema.sinks).values(values))
    s.before = lambda _events: None
    waited = 0.0
    while not outbox.deliver({"s": s}, waited).delivered and waited < 20_000:
        waited += 60
    assert waited <= 5_100
    assert s.got == [("a", 1)]


def test_a_new_sink_is_filled_from_the_archive(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "one"), make("b", category="news")], 0)
    archive.publish([make("a", "two"), make("c", job="x")], 10)
    everywhere = Routes({"late": Rule(), "some": Rule()})
    seen: list[int] = []
    assert letters.fill(archive.engine, "late", Selection(), 11, route=everywhere, told=seen.append) == 3
    assert letters.fill(archive.engine, "late", Selection(), 12, route=everywhere, told=seen.append) == 0
    chosen = Selection(category="news")
    assert letters.fill(archive.engine, "some", chosen, 12, route=everywhere, told=seen.append) == 1
    late = Recorder()
    Outbox(archive.engine).deliver({"late": late}, 13)
    assert late.got == [("a", 2), ("b", 1), ("c", 1)]
    routes = Routes({"late": Rule(), "x only": Rule(jobs=("x",))})
    seen.clear()
    assert letters.fill(archive.engine, "x only", Selection(), 13, route=routes, told=seen.append) == 1
    assert sum(seen) == 3
    archive.publish([make("d", job="x")], 14)  # ids go on


def test_waits_are_bounded() -> None:
    assert [RETRY.wait(n) for n in (1, 2, 3, 4, 5, 1000)] == [10, 20, 40, 80, 100, 100]
