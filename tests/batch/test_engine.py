from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from articlebot.batch import Local, open_engine
from articlebot.errors import ConfigError, StoreUnavailable, WorkersLost
from tests.batch.work import Numbers, deadly, squares

BATCHES = [Numbers((n, n + 1)) for n in range(0, 60, 2)]
WANTED = [(batch, [n * n for n in batch.numbers]) for batch in BATCHES]


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_batches(processes: int) -> None:
    assert list(Local(processes).run(squares, BATCHES)) == WANTED
    assert list(Local(processes).run(squares, [])) == []


def test_a_killed_process_costs_its_batch_which_is_done_again(tmp_path: Path) -> None:
    batches = [Numbers(one.numbers, str(tmp_path / "killed") if n == 7 else "") for n, one in enumerate(BATCHES)]
    found = list(Local(2).run(squares, batches))
    assert (tmp_path / "killed").exists()
    assert [result for _, result in found] == [result for _, result in WANTED]
    assert [batch for batch, _ in found] == batches


def test_a_batch_that_always_kills_ends_the_run() -> None:
    with pytest.raises(WorkersLost, match="3 times"):
        list(Local(2).run(deadly, BATCHES))


def test_batches_are_read_as_they_are_needed() -> None:
    read: list[int] = []

    def unread() -> Iterator[Numbers]:
        for n, batch in enumerate(BATCHES):
            read.append(n)
            yield batch

    found = Local(2).run(squares, unread())
    next(found)
    assert len(read) <= 8  # three for each process, and two that tell whether processes pay
    found.close()  # type: ignore[attr-defined]


def test_what_is_no_engine_is_refused() -> None:
    for name, said in (("spark", "expected local or dask"), ("dask://nowhere", "--engine dask://nowhere")):
        with pytest.raises((ConfigError, StoreUnavailable), match=said):
            open_engine(name)
    with pytest.raises(ConfigError, match="--processes 0"):
        open_engine("local", 0)
    with pytest.raises(ConfigError, match="--processes belongs"):
        open_engine("dask://127.0.0.1:1", 2)
