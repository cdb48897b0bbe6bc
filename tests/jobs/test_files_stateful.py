"""Job files against a model: whatever is done to them, each stands for what it said last that was right."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from articlebot.jobs.book import Changes, JobBook
from articlebot.jobs.files import JobFiles

NAMES = {"one.toml": "ab", "two.toml": "cd"}
FILES = st.sampled_from(sorted(NAMES))
WRONG = st.sampled_from(["[[site]]\n", "[[site]\n", '[[site]]\nname = "x"\nlist_pages = ["ftp://x"]\n', "\udcff"])


class Follower(RuleBasedStateMachine):
    base: Path

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        self.writes = 0
        self.files, self.book = JobFiles([self.folder]), JobBook(())
        self.said: dict[str, dict[str, int]] = {}
        self.written: dict[str, dict[str, int] | None] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def write(self, name: str, text: str) -> None:
        self.writes += 1
        (self.folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
        os.utime(self.folder / name, (self.writes, self.writes))

    @rule(name=FILES, minutes=st.lists(st.integers(1, 3), min_size=2, max_size=2), both=st.booleans())
    def says(self, name: str, minutes: list[int], both: bool) -> None:
        jobs = dict(zip(NAMES[name][: 1 + both], minutes, strict=False))
        blocks = (
            f'[[site]]\nname = "{job}"\nlist_pages = ["http://{job}.test/"]\ninterval = "{number}m"\n'
            for job, number in jobs.items()
        )
        self.write(name, "\n".join(blocks))
        self.written[name] = jobs

    @rule(name=FILES, text=WRONG)
    def is_spoilt(self, name: str, text: str) -> None:
        self.write(name, text)
        self.written[name] = None

    @rule(name=FILES)
    def goes(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)
        self.written.pop(name, None)

    @rule()
    def is_looked_at(self) -> None:
        self.files.look()
        news = self.files.look()
        self.said = {
            name: self.said.get(name, {}) if jobs is None else jobs for name, jobs in sorted(self.written.items())
        }
        expected = {job: 60.0 * number for jobs in self.said.values() for job, number in jobs.items()}
        before = {job.name: job.interval for job in self.book}
        assert (news.jobs is None) == (before == expected)
        after = self.book if news.jobs is None else JobBook(news.jobs)
        assert {job.name: job.interval for job in after} == expected
        changes = Changes.between(self.book, after)
        assert {job.name for job in changes.begun} == expected.keys() - before.keys()
        assert {job.name for job in changes.changed} == {
            name for name in expected.keys() & before.keys() if expected[name] != before[name]
        }
        assert set(changes.ended) == before.keys() - expected.keys()
        assert len(self.files.wrong) == sum(jobs is None for jobs in self.written.values())
        self.book = after


def test_files_stand_for_what_they_said_last_that_was_right(tmp_path: Path) -> None:
    machine = type("Machine", (Follower,), {"base": tmp_path})
    run_state_machine_as_test(machine, settings=settings(max_examples=60, stateful_step_count=30, deadline=None))
