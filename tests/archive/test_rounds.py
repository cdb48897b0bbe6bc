"""The round history: the same in a folder and in each database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from articlebot.archive import migrate
from articlebot.archive.engine import open_engine
from articlebot.archive.rounds import SqlRounds, open_rounds
from articlebot.jobs.history import FolderRounds, RoundRecord, Rounds

KEY = 2**63 + 300  # half of the 600 keys below are greater than a signed integer


@pytest.fixture(params=["folder", "sqlite", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Rounds]:
    if request.param == "folder":
        return lambda: FolderRounds(tmp_path, "w")
    name = "sqlite:///" + str(tmp_path / "archive.db")
    url = name if request.param == "sqlite" else str(request.getfixturevalue("postgresql_url"))

    def make() -> Rounds:
        engine = open_engine(url)
        migrate.prepare(engine)
        return SqlRounds(engine)

    return make


def test_rounds_of_two_workers_come_back_together(opened: Callable[[], Rounds]) -> None:
    records = [RoundRecord("a" if n % 2 else "b", 1000.5 + n, 1, n % 3, int(n % 3 > 0), 0, KEY - n) for n in range(600)]
    workers = opened(), opened()
    for n, record in enumerate(records):
        workers[n % 2].write(record)
    for worker in workers:
        worker.close()
    reader = opened()
    assert sorted(reader.rounds(), key=lambda one: one.at) == records
    assert sorted(one.at for one in reader.rounds(since=1400.5)) == [1000.5 + n for n in range(400, 600)]
    reader.close()


def test_old_rounds_are_removed_from_a_database(postgresql_url: str, tmp_path: Path) -> None:
    rounds = open_rounds(postgresql_url, tmp_path)
    for at in (1.0, 2.0, 3.0):
        rounds.write(RoundRecord("a", at))
    rounds.close()
    rounds = open_rounds(postgresql_url, tmp_path)
    rounds.remove_old(2.5)
    rounds.close()
    rounds = open_rounds(postgresql_url, tmp_path)
    assert [one.at for one in rounds.rounds()] == [3.0]
    rounds.close()
    assert not any(tmp_path.iterdir())
