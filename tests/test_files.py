"""Files replaced as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot import files


def test_content_is_replaced_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    files.replace(path, "第一")
    files.replace(path, b"second")
    assert path.read_bytes() == b"second"
    assert [one.name for one in path.parent.iterdir()] == ["b.json"]


def test_what_cannot_be_moved_into_place_leaves_the_old_and_no_draft(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        files.replace(tmp_path / "taken", "text")
    assert [one.name for one in tmp_path.iterdir()] == ["taken"]
