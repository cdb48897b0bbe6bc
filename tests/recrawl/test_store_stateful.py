"""Page states against a model: whatever is done to them in whatever order, both know the same."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import hypothesis.strategies as st
import pytest
import redis.asyncio
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.recrawl.record import Seed
from articlebot.recrawl.store import RedisPageStates

T = TypeVar("T")
NOW = 1_700_000_000.0
KEYS = st.sampled_from([1, 2**64 - 1])
JOBS = st.sampled_from(["a", "b"])
KINDS = st.sampled_from([Kind.LIST, Kind.ARTICLE])
WAITS = st.sampled_from([-60.0, 0.0, 30.0, 600.0])


@dataclass
class Known:
    """What the model has of a page; ``due_at`` is None while it stands aside."""

    record: PageRecord
    due_at: float | None
    aside_at: float = 0.0

    @property
    def place(self) -> int:
        return 0 if self.record.state.kind is Kind.LIST else 1


def record(key: int, job: str, kind: Kind, next_at: float) -> PageRecord:
    state = PageState(kind, 3, 0, NOW - 500, NOW, next_at, 500.0, 2.0, 60.0, NOW - 100, 77)
    return PageRecord(key, f"https://www.example.com/page/{key}", job, state)


class PageStates(RuleBasedStateMachine):
    url: str
    shards = 1

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.now, self.known = NOW, dict[int, Known]()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    @initialize()
    def begin(self) -> None:
        self.client = redis.asyncio.Redis.from_url(self.url)
        self.run(self.client.flushall())
        clients = [self.client] * self.shards if self.shards > 1 else []
        self.store = RedisPageStates(self.client, "{stateful}", 4, clients)

    def teardown(self) -> None:
        if hasattr(self, "client"):
            self.run(self.client.aclose())
        self.loop.close()

    @rule(key=KEYS, job=JOBS, kind=KINDS)
    def seed(self, key: int, job: str, kind: Kind) -> None:
        new = self.run(self.store.add_seeds([Seed(key, "http://a.test/", job, kind)], self.now))
        assert new == (key not in self.known)
        if new:
            seeded = PageRecord(key, "http://a.test/", job, PageState(kind, 0, 0, self.now, self.now, self.now))
            self.known[key] = Known(seeded, self.now)

    @rule(key=KEYS, job=JOBS, kind=KINDS, wait=WAITS)
    def visit(self, key: int, job: str, kind: Kind, wait: float) -> None:
        written = record(key, job, kind, self.now + wait)
        assert self.run(self.store.put_many([written])) == (key not in self.known)
        self.known[key] = Known(written, self.now + wait)

    @rule(seconds=st.sampled_from([1.0, 40.0, 700.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(limit=st.integers(1, 4), skip=st.sets(JOBS))
    def lease(self, limit: int, skip: set[str]) -> None:
        due = [one for one in self.known.values() if one.due_at is not None and one.due_at <= self.now]
        due = sorted((one for one in due if one.record.job not in skip), key=lambda one: (one.place, one.due_at))
        wanted = [(one.place, one.due_at) for one in due[:limit]]
        peeked = self.run(self.store.peek_due(self.now, limit, skip=skip))
        taken = self.run(self.store.lease_due(self.now, limit, 30.0, skip=skip))
        found = [(self.known[one.key].place, self.known[one.key].due_at) for one in taken]
        if self.shards == 1:
            assert found == wanted
            assert [one.key for one in peeked] == [one.key for one in taken]
        else:  # which of the pages of one kind come first is left to chance
            assert len(found) <= len(wanted)
            assert {one.record.key for one in due} >= {one.key for one in (*taken, *peeked)}
            if not skip:
                assert [place for place, _ in found] == [place for place, _ in wanted]
                assert len(peeked) == len(taken)
        for one in taken:
            assert one == self.known[one.key].record
            self.known[one.key].due_at = self.now + 30.0

    @rule(keys=st.sets(KEYS), wait=WAITS, due_by=WAITS)
    def put_off(self, keys: set[int], wait: float, due_by: float) -> None:
        self.run(self.store.put_off(dict.fromkeys(keys, self.now + wait), self.now + due_by))
        for key in keys & self.known.keys():
            one = self.known[key]
            if one.due_at is not None and one.due_at <= self.now + due_by:
                one.due_at = self.now + wait

    @rule(keys=st.sets(KEYS))
    def set_aside(self, keys: set[int]) -> None:
        chosen = [self.known[key] for key in keys & self.known.keys()]
        self.run(self.store.set_aside([one.record for one in chosen], self.now))
        for one in chosen:
            if one.due_at is not None and one.due_at <= self.now:
                one.due_at, one.aside_at = None, one.due_at

    @rule(jobs=st.sets(JOBS))
    def take_back(self, jobs: set[str]) -> None:
        self.run(self.store.take_back(lambda job: job in jobs))
        for one in self.known.values():
            if one.due_at is None and one.record.job in jobs:
                one.due_at = one.aside_at

    @rule(keys=st.sets(KEYS))
    def forget(self, keys: set[int]) -> None:
        assert self.run(self.store.forget(*keys)) == len(keys & self.known.keys())
        for key in keys:
            self.known.pop(key, None)

    @rule(job=JOBS)
    def forget_job(self, job: str) -> None:
        gone = {key for key, one in self.known.items() if one.record.job == job}
        assert set(self.run(self.store.forget_job(job))) == gone
        for key in gone:
            del self.known[key]

    @rule(factor=st.sampled_from([0.5, 2.0]))
    def retime(self, factor: float) -> None:
        self.run(self.store.retime(self.now, factor, 1000.0))
        for one in self.known.values():
            if one.due_at is not None and one.due_at > self.now:
                one.due_at = self.now + min((one.due_at - self.now) * factor, 1000.0)

    @invariant()
    def both_know_the_same(self) -> None:
        if not hasattr(self, "store"):
            return
        keys = list(self.known)
        assert self.run(self.store.get(keys)) == [self.known[key].record for key in keys]
        for key in keys:
            assert self.run(self.store.due_at(key)) == pytest.approx(self.known[key].due_at, abs=1e-3)
        due = [one.due_at for one in self.known.values() if one.due_at is not None]
        assert self.run(self.store.next_due_at()) == pytest.approx(min(due, default=None), abs=1e-3)
        jobs = [one.record.job for one in self.known.values()]
        counts = self.run(self.store.counts(self.now))
        assert counts.by_job == {job: jobs.count(job) for job in set(jobs)}
        assert counts.due == sum(at <= self.now for at in due)


class ShardedPageStates(PageStates):
    shards = 2


@pytest.mark.parametrize(("machine", "examples"), [(PageStates, 80), (ShardedPageStates, 30)])
def test_page_states_are_what_was_done_to_them(redis_url: str, machine: type[PageStates], examples: int) -> None:
    machine.url = redis_url
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=40, deadline=None))
