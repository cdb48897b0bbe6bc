from __future__ import annotations

from pathlib import Path

import pytest

from articlebot.batch import Journal, Local
from tests.batch.work import Numbers, squares

BATCHES = [Numbers((n,)) for n in range(10)]
WANTED = [[n * n] for n in range(10)]


def so_far(path: Path, batches: list[Numbers], stop: int) -> list[bool]:
    """Runs until so many results have come, then fails as a killed run does; which of them were known."""
    known = []
    with pytest.raises(KeyboardInterrupt), Journal(path) as journal:
        for _, _, was_known in journal.run(Local(1), squares, batches):
            known.append(was_known)
            if len(known) == stop:
                raise KeyboardInterrupt
    return known


def all_of(path: Path, batches: list[Numbers]) -> tuple[list[list[int]], int]:
    with Journal(path) as journal:
        found = list(journal.run(Local(1), squares, batches))
    return [result for _, result, _ in found], sum(known for _, _, known in found)


def test_a_run_continues_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "batch" / "work.jsonl"
    assert so_far(path, BATCHES, 4) == [False] * 4
    assert so_far(path, BATCHES, 6) == [True] * 3 + [False] * 3  # the fourth was not taken by its reader
    assert all_of(path, BATCHES) == (WANTED, 5)
    assert not path.parent.exists()


@pytest.mark.parametrize("tail", [b"", b"{", b'["', b'["x", 1]\n', b"\xff\n", b"[]\n", b"3\n"])
def test_what_cannot_be_used_is_done_again(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "batch" / "work.jsonl"
    so_far(path, BATCHES, 5)
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 1, len(whole)):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(whole[:cut] + tail)
        assert all_of(path, BATCHES)[0] == WANTED


def test_other_batches_are_done_anew(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    so_far(path, BATCHES, 5)
    other = [*BATCHES[:2], Numbers((7, 8)), *BATCHES[2:]]
    assert all_of(path, other) == ([*WANTED[:2], [49, 64], *WANTED[2:]], 2)


def test_a_second_run_at_once_works_without(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    with Journal(path) as first:
        assert next(iter(first.run(Local(1), squares, BATCHES)))[1] == [0]
        assert all_of(path, BATCHES) == (WANTED, 0)
        assert path.exists()
