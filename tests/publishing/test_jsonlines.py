"""JSON Lines on a real disk: nothing twice, nothing torn, nothing lost, also when the process dies anywhere."""

from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.errors import StoreUnavailable
from articlebot.publishing.sink import Event
from articlebot.publishing.sinks.jsonlines import JsonLines


def _event(number: int, body: str = "正文") -> Event:
    row = {"key": f"key-{number}", "url": f"https://e.org/{number}", "body": body, "archived_at": 1e9 + number}
    return Event.of({**row, "change": "new"})


def _events(first: int, last: int) -> list[Event]:
    return [_event(number) for number in range(first, last)]


def _keys(folder: Path) -> list[str]:
    keys = []
    for path in sorted(folder.glob("a-*.gz")):
        keys += [json.loads(line)["key"] for line in gzip.decompress(path.read_bytes()).splitlines()]
    for path in [*sorted(folder.glob("a-*.jsonl")), folder / "a.jsonl"]:
        if path.exists():
            keys += [json.loads(line)["key"] for line in path.read_text("utf-8").splitlines()]
    return keys


def test_a_line_per_version_as_text(tmp_path: Path) -> None:
    JsonLines(tmp_path / "deep/a.jsonl").deliver(_events(0, 2))
    lines = (tmp_path / "deep/a.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "key": "key-0",
        "url": "https://e.org/0",
        "body": "正文",
        "archived_at": 1e9,
        "change": "new",
    }
    assert "正文" in lines[1]


def test_what_comes_again_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    sink = JsonLines(path)
    sink.deliver(_events(0, 5))
    sink.deliver(_events(3, 7))
    JsonLines(path).deliver(_events(5, 9))
    assert _keys(tmp_path) == [f"key-{n}" for n in range(9)]


@settings(deadline=None, max_examples=50)
@given(cut=st.integers(0, 400), resume=st.integers(0, 4))
def test_a_file_torn_anywhere_is_whole_again(tmp_path_factory: pytest.TempPathFactory, cut: int, resume: int) -> None:
    folder = tmp_path_factory.mktemp("torn")
    JsonLines(folder / "a.jsonl").deliver(_events(0, 4))
    size = (folder / "a.jsonl").stat().st_size
    os.truncate(folder / "a.jsonl", min(cut, size))
    sink = JsonLines(folder / "a.jsonl")
    sink.deliver(_events(0, 4))
    sink.deliver(_events(resume, 6))
    assert _keys(folder) == [f"key-{n}" for n in range(6)]


def test_a_hole_that_a_loss_of_power_left_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    JsonLines(path).deliver(_events(0, 4))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b"\0" * (len(lines[2]) - 9) + lines[2][-9:]
    path.write_bytes(b"".join(lines) + b"\0" * 100)
    JsonLines(path).deliver(_events(2, 6))
    assert sorted(_keys(tmp_path)) == [f"key-{n}" for n in range(6)]


@pytest.mark.parametrize("damage", [b"", b"nothing gzip wrote", None])
def test_a_damaged_file_put_aside_stops_nothing(tmp_path: Path, damage: bytes | None) -> None:
    JsonLines(tmp_path / "a.jsonl", max_bytes=1).deliver(_events(0, 300))
    [packed] = tmp_path.glob("a-*.gz")
    packed.write_bytes(packed.read_bytes()[:-20] if damage is None else damage)
    assert JsonLines(tmp_path / "a.jsonl").deliver(_events(300, 302)) == ()
    assert len((tmp_path / "a.jsonl").read_text("utf-8").splitlines()) == 2


def test_full_files_are_put_aside_and_remembered(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path / "a.jsonl", max_bytes=300)
    for n in range(0, 20, 2):
        sink.deliver(_events(n, n + 2))
    assert len(list(tmp_path.glob("a-*.jsonl.gz"))) == 5
    assert not list(tmp_path.glob("a-*.jsonl"))
    JsonLines(tmp_path / "a.jsonl", max_bytes=300).deliver(_events(17, 20))
    assert _keys(tmp_path) == [f"key-{n}" for n in range(20)]


@pytest.mark.parametrize("name", ["a", "a[1].jsonl", "a*"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    for n in range(0, 6, 2):
        JsonLines(tmp_path / name, max_bytes=300).deliver(_events(n, n + 3))
    packed = [path for path in tmp_path.iterdir() if path.suffix == ".gz"]
    lines = [line for path in sorted(packed) for line in gzip.decompress(path.read_bytes()).splitlines()]
    lines += (tmp_path / name).read_bytes().splitlines() if (tmp_path / name).exists() else []
    assert [json.loads(line)["key"] for line in lines] == [f"key-{n}" for n in range(7)]


def test_putting_aside_is_finished_after_a_kill(tmp_path: Path) -> None:
    JsonLines(tmp_path / "a.jsonl", max_bytes=1).deliver(_events(0, 3))
    [packed] = tmp_path.glob("a-*.gz")
    plain = packed.with_suffix("")
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    for also_packed in (True, False):
        if not also_packed:
            packed.rename(tmp_path / ".part")
            plain.write_bytes(gzip.decompress((tmp_path / ".part").read_bytes()))
        JsonLines(tmp_path / "a.jsonl").deliver(_events(1, 4))
        assert not plain.exists()
        assert _keys(tmp_path) == [f"key-{n}" for n in range(4)]


def test_two_processes_that_take_turns_do_not_repeat_each_other(tmp_path: Path) -> None:
    one, two = JsonLines(tmp_path / "a.jsonl"), JsonLines(tmp_path / "a.jsonl")
    one.deliver(_events(0, 3))
    two.deliver(_events(3, 5))
    one.deliver(_events(3, 6))
    assert _keys(tmp_path) == [f"key-{n}" for n in range(6)]


def test_a_file_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    script = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'ab'); fcntl.flock(f, 2); print(1, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / ".a.jsonl.lock")]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert holder.stdout
    holder.stdout.readline()
    try:
        with pytest.raises(StoreUnavailable):
            JsonLines(tmp_path / "a.jsonl").deliver(_events(0, 1))
    finally:
        holder.kill()
        holder.communicate()


@contextmanager
def _disk_of(size: int) -> Iterator[None]:
    """No file may grow over so many bytes, as on a disk that is full."""
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path / "a.jsonl")
    sink.deliver(_events(0, 3))
    before = (tmp_path / "a.jsonl").read_bytes()
    with _disk_of(len(before) + 100), pytest.raises(OSError, match="File too large"):
        sink.deliver(_events(3, 9))
    assert (tmp_path / "a.jsonl").read_bytes() == before
    sink.deliver(_events(3, 9))
    assert _keys(tmp_path) == [f"key-{n}" for n in range(9)]
