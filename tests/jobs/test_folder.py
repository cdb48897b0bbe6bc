"""Writing job files: what a change costs where there are many, and what a refused one leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot.errors import JobFileError
from articlebot.jobs.document import Document
from articlebot.jobs.files import load
from articlebot.jobs.folder import JobFolder


def _block(name: str, **keys: str) -> str:
    return "\n".join(
        ["[[site]]", f'name = "{name}"', f'site = "https://{name}/"', *(f'{k} = "{v}"' for k, v in keys.items())]
    )


def test_each_file_is_read_once_however_many_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    once = Document.read.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Document, "read", classmethod(lambda cls, path: read.append(path) or once(cls, path)))
    folder = JobFolder([tmp_path])
    for number in range(9):
        folder.add(f"n{number}.test", _block(f"n{number}.test"))
    assert sorted(set(read)) == sorted(read)


def test_what_was_refused_is_not_remembered(tmp_path: Path) -> None:
    folder = JobFolder([tmp_path])
    folder.add("a.test", _block("a.test") + '\n[group.slow]\ndelay = "9s"\n')
    folder.add("b.test", _block("b.test", group="slow"))
    for _ in range(2):
        with pytest.raises(JobFileError, match="slower"):
            folder.add("c.test", _block("c.test", group="slower"))
        with pytest.raises(JobFileError, match="already used"):
            folder.add("d.test", _block("a.test"))
        folder.undo(folder.remove("b.test"))
    assert [job.name for job in load([tmp_path])] == ["a.test", "b.test"]
