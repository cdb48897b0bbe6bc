"""Archive and outbox against a model: whatever sinks and workers do, each version arrives, once and in order."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from articlebot.archive import Archive
from articlebot.errors import StoreUnavailable
from articlebot.publishing import letters
from articlebot.publishing.outbox import Outbox, Retry
from articlebot.publishing.sink import Event, Refusal
from tests.archive.conftest import MakeArticle
from tests.publishing.conftest import Recorder
from tests.withdrawing import withdraw

LEASE_S, RETRY = 30.0, Retry(first_s=5, cap_s=40, attempts=2)
PAGES = st.sampled_from(["a", "b"])
TEXTS = st.sampled_from(["one", "two", "bad"])
SINKS = ("s", "t")


class Death(BaseException):
    """The worker is no more: nothing after this was done."""


class Outboxes(RuleBasedStateMachine):
    folder: Path
    make: MakeArticle

    @initialize()
    def begin(self) -> None:
        self.own = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copy(self.folder / "empty.db", self.own / "a.db")
        self.archive = Archive(f"sqlite:///{self.own / 'a.db'}", route=lambda _row: SINKS)
        self.now, self.deaths = 1000.0, 0
        self.sinks = {name: Recorder() for name in SINKS}
        self.workers = [self.worker() for _ in range(2)]
        self.newest: dict[str, str | None] = {}
        self.versions: dict[str, int] = defaultdict(int)

    def worker(self) -> Outbox:
        return Outbox(self.archive.engine, batch=2, retry=RETRY, lease_s=LEASE_S)

    def teardown(self) -> None:
        if not hasattr(self, "own"):
            return
        for sink in self.sinks.values():
            sink.before = lambda _events: None
        for _ in range(20):
            self.now += RETRY.cap_s + LEASE_S
            for worker in self.workers:
                worker.deliver(self.sinks, self.now)
        dead = {
            (row["sink"], row["url"].rsplit("/", 1)[1], row["version"]) for row in letters.waiting(self.archive.engine)
        }
        for name, sink in self.sinks.items():
            arrived = list(dict.fromkeys(sink.got))
            every = {(page, n + 1) for page, count in self.versions.items() for n in range(count)}
            assert every - set(arrived) == {(page, version) for one, page, version in dead if one == name}
            assert self.deaths or len(arrived) == len(sink.got)
            for page in self.versions:
                in_order = [version for one, version in arrived if one == page]
                assert in_order == sorted(in_order)
        self.archive.close()
        shutil.rmtree(self.own)

    @rule(page=PAGES, text=TEXTS)
    def publish(self, page: str, text: str) -> None:
        (done,) = self.archive.publish([self.make(page, text, fetched_at=self.now)], self.now)
        assert done.already == (self.newest.get(page) == text)
        self.versions[page] += not done.already
        self.newest[page] = text

    @rule(page=PAGES)
    def withdraw(self, page: str) -> None:
        done = withdraw(self.archive, self.make(page), self.now)
        assert done.already == (self.newest.get(page) is None) or not self.versions[page]
        if self.versions[page]:
            self.versions[page] += not done.already
            self.newest[page] = None

    @rule(worker=st.integers(0, 1))
    def deliver(self, worker: int) -> None:
        try:
            self.workers[worker].deliver(self.sinks, self.now)
        except Death:
            self.deaths += 1
            self.workers[worker] = self.worker()

    @rule(name=st.sampled_from(SINKS), how=st.sampled_from(["takes", "is away", "refuses", "kills", "stumbles"]))
    def becomes(self, name: str, how: str) -> None:
        sink = self.sinks[name]

        def away(_events: Sequence[Event]) -> None:
            raise StoreUnavailable("away")

        def refuses(events: Sequence[Event]) -> Iterable[Refusal]:
            return [Refusal(event.key, "no") for event in events if event.article["body"] == "bad"]

        def kills(events: Sequence[Event]) -> None:
            sink.events += events  # they have arrived, and nobody will say so
            raise Death

        def stumbles(events: Sequence[Event]) -> None:
            if any(event.article["body"] == "bad" for event in events):
                raise ValueError("a fault of the sink")

        ways = {"is away": away, "refuses": refuses, "kills": kills, "stumbles": stumbles}
        sink.before = ways.get(how, lambda _events: None)

    @rule(seconds=st.sampled_from([1.0, 10.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def retry(self) -> None:
        letters.retry(self.archive.engine, self.now)

    @invariant()
    def the_archive_has_what_was_published(self) -> None:
        if hasattr(self, "own"):
            assert self.archive.counts()["versions"] == sum(self.versions.values())


def test_whatever_happens_each_version_arrives_once_and_in_order(tmp_path: Path, make: MakeArticle) -> None:
    Archive(f"sqlite:///{tmp_path / 'empty.db'}").close()
    machine = type("Machine", (Outboxes,), {"folder": tmp_path, "make": staticmethod(make)})
    run_state_machine_as_test(machine, settings=settings(max_examples=15, stateful_step_count=30, deadline=None))
