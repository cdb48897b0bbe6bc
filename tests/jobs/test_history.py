"""The round history, and what is learned from it offline."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from articlebot.errors import StateError
from articlebot.jobs import Job
from articlebot.jobs.history import FolderRounds, RoundRecord
from articlebot.jobs.intervals import learn_interval
from articlebot.jobs.learned import FILE_NAME, Learned, LearnedJobs
from articlebot.jobs.windows import learn_windows

MONDAY = 1_700_438_400.0  # a Monday, 0:00 UTC
JOB = Job(name="a", list_pages=("https://a.test/",))


def test_rounds_come_back_and_a_line_cut_short_is_passed_over(tmp_path: Path) -> None:
    writer = FolderRounds(tmp_path / "history", "w", 1)
    rounds = [RoundRecord("a" if i % 2 else "b", MONDAY + i, 1, i % 3, int(i % 3 > 0)) for i in range(100)]
    for record in rounds:
        writer.write(record)
    writer.close()
    (path,) = (tmp_path / "history").iterdir()
    with path.open("a") as out:
        out.write('[9,"a",1]\n[1,"a",17')
    files = FolderRounds(tmp_path / "history")
    assert list(files.rounds()) == rounds
    assert list(files.rounds(MONDAY + 90)) == rounds[90:]
    assert list(FolderRounds(tmp_path / "none").rounds()) == []


def test_history_is_rotated_and_old_files_go(tmp_path: Path) -> None:
    writer = FolderRounds(tmp_path, "w", 1)
    writer._limit = 200
    for i in range(50):
        writer.write(RoundRecord("a", MONDAY + i))
    assert len(list(tmp_path.iterdir())) > 5
    assert len(list(FolderRounds(tmp_path).rounds())) == 50
    writer.close()
    writer.remove_old(4e9)
    assert list(tmp_path.iterdir()) == []


def test_the_hours_in_which_a_job_publishes_are_found() -> None:
    rounds = [
        RoundRecord(
            "a", MONDAY + i * 1200.0, 1, new := (2 if 8 <= i / 3 % 24 < 20 and i // 72 % 7 < 5 else 0), int(new > 0)
        )
        for i in range(72 * 28)
    ]
    found = learn_windows(rounds, 0.0)
    assert [(window.hours, window.days) for window in found.windows] == [("8-20", ("mon", "tue", "wed", "thu", "fri"))]
    assert found.confidence >= 0.95
    east = learn_windows(rounds, 8 * 3600.0)
    assert {window.hours for window in east.windows} == {"16-4"}


def test_nothing_is_closed_on_little_evidence() -> None:
    assert learn_windows([], 0.0).windows == ()
    rng = random.Random(1)
    even = [RoundRecord("a", MONDAY + i * 3600.0, 1, rng.randrange(3)) for i in range(100)]
    assert learn_windows(even, 0.0).windows == ()


def test_closed_hours_keep_their_probes() -> None:
    learned = Learned(learn_windows([
        RoundRecord("a", MONDAY + i * 1200.0, 1, 2 if 8 <= i / 3 % 24 < 20 else 0) for i in range(72 * 28)
    ], 0.0).windows)  # fmt: skip
    rng = random.Random(1)
    assert not learned.closed_for(JOB, MONDAY + 12 * 3600, rng)
    probes = sum(not learned.closed_for(JOB, MONDAY + 2 * 3600, rng) for _ in range(1000))
    assert 50 < probes < 200


@pytest.mark.parametrize(("share", "wanted"), [(0.0, 900.0), (0.49, 900.0), (0.5, 600.0), (0.89, 600.0), (0.95, 402.0)])
def test_the_base_interval_follows_the_rounds_with_an_update(share: float, wanted: float) -> None:
    rounds = [RoundRecord("a", i, 1, 1, int(i < share * 100)) for i in range(100)]
    failed = [RoundRecord("a", i, 0, 0, 0, 1) for i in range(50)]
    assert learn_interval(rounds + failed, 600.0, 60.0, 3600.0).interval == pytest.approx(wanted)
    assert learn_interval(rounds[:10], 600.0, 60.0, 3600.0).interval == 600.0
    assert 500.0 <= learn_interval(rounds, 600.0, 500.0, 700.0).interval <= 700.0


def test_what_was_learned_is_kept_in_a_file(tmp_path: Path) -> None:
    known = LearnedJobs({"a": Learned((), 0.97, 450.0, MONDAY)})
    known.save(tmp_path)
    assert LearnedJobs.load(tmp_path) == known
    assert LearnedJobs.load(tmp_path / "none").get("b") == Learned()
    for damaged in ("{", '{"version": 9, "jobs": {}}', '{"version": 1, "jobs": {"a": {}}}', "[]"):
        (tmp_path / FILE_NAME).write_text(damaged)
        with pytest.raises(StateError):
            LearnedJobs.load(tmp_path)


def test_what_a_job_states_anew_wins_over_what_was_learned() -> None:
    known = Learned(interval=450.0, stated=600.0)
    assert known.interval_of(JOB.model_copy(update={"interval": 600.0})) == 450.0
    assert known.interval_of(JOB.model_copy(update={"interval": 60.0})) == 60.0
    assert known.interval_of(JOB) is None
    assert Learned(interval=450.0).interval_of(JOB) == 450.0
    assert Learned(interval=450.0, stated=0.0).interval_of(JOB) == 450.0
    assert Learned().interval_of(JOB) is None
