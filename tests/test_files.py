"""Files replaced as a whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from articlebot import files


def test_content_is_replaced_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    files.replace(path, "第一")
    files.replace(path, b"second")
    assert path.read_bytes() == b"second"
    assert [one.name for one in path.parent.iterdir()] == ["b.json"]


def test_what_is_public_may_be_read_by_all_and_nothing_else(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        files.replace(tmp_path / "feeds" / "all.json", "{}", public=True)
        files.replace(tmp_path / "kept" / "run.json", "{}")
    finally:
        os.umask(before)
    modes = {one.name: one.stat().st_mode & 0o777 for one in tmp_path.rglob("*")}
    assert modes == {"feeds": 0o755, "all.json": 0o644, "kept": 0o700, "run.json": 0o600}


def test_what_cannot_be_moved_into_place_leaves_the_old_and_no_draft(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        files.replace(tmp_path / "taken", "text")
    assert [one.name for one in tmp_path.iterdir()] == ["taken"]


def test_a_link_leads_to_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "jobs.toml").symlink_to(tmp_path / "kept" / "jobs.toml")
    files.replace(tmp_path / "jobs.toml", "one")
    assert (tmp_path / "kept" / "jobs.toml").read_text() == "one"
    assert (tmp_path / "jobs.toml").is_symlink()


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.replace(pipe, "text")
    assert os.read(reading, 9) == b"text"
    os.close(reading)
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]
