"""Writing job files: what a change costs where there are many, and what a refused one leaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from articlebot.errors import ConfigError, JobFileError
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


_A, _B = '[[site]]\nname = "a"\nsite = "https://a.test/"\n', '[[site]]\nname = "b"\nsite = "https://b.test/"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"# of all\n\n# about a\n{_A}# in a\n\n# apart\n\n# about b\n{_B}", "# of all\n\n# apart\n\n# about b\n"),
        (f"# a line\u2028of one editor\n\n{_A}", "# a line\u2028of one editor\n\n"),
        (f"{_A}category = '''\n[[site]]\n# x\n'''\n[defaults]\n", "[defaults]\n"),
        (f'{_A}article_exclude = [\n  "]", # [\n]\n', ""),
        (f"{_A}[ group . 'x' ]\ndelay = '3s'\n", "[ group . 'x' ]\ndelay = '3s'\n"),
        ('[[ "site" ]]' + _A[8:] + "[site . 'selectors']\ntitle = 'h1'\n", ""),
        (_A.replace('"a"', '"\\u0061"'), ""),
        ("\ufeff" + _A, ""),
    ],
    ids=["remarks", "separator", "text", "list", "group", "quoted", "escaped", "mark"],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_block_is_taken_out_and_put_back_and_the_rest_stays(
    tmp_path: Path, before: str, after: str, ends: str
) -> None:
    path, other = tmp_path / "jobs.toml", "" if _B in before else _B
    whole, left = ((text + other).replace("\n", ends).encode() for text in (before, after + _B.removeprefix(other)))
    path.write_bytes(whole)
    folder = JobFolder([tmp_path])
    own = folder.text("a")
    assert "\r" not in own
    changed = folder.edit("a", own.rstrip() + "\n# more\n")
    assert path.read_bytes() != whole
    folder.undo(changed)
    assert path.read_bytes() == whole
    removed = folder.remove("a")
    assert path.read_bytes() == left
    folder.undo(removed)
    assert path.read_bytes() == whole


def test_who_could_read_a_file_still_can(tmp_path: Path) -> None:
    path = tmp_path / "a.test.toml"
    path.write_text(_block("a.test"))
    path.chmod(0o644)
    before = os.umask(0o077)
    try:
        JobFolder([tmp_path]).edit("a.test", _block("a.test", delay="9s"))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644


def test_files_that_no_crawl_reads_are_not_changed(tmp_path: Path) -> None:
    kept = tmp_path / ".git" / "a.test.toml"
    kept.parent.mkdir()
    for path in (kept, tmp_path / "a.test.toml"):
        path.write_text(_block("a.test"))
    folder = JobFolder([tmp_path])
    folder.edit("a.test", _block("a.test", delay="9s"))
    assert kept.read_text() == _block("a.test")


def test_what_cannot_be_changed_is_said(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text('site = [{site = "https://a.test/"}]\n')
    with pytest.raises(ConfigError, match=r"one.toml has its jobs in one list: write a block \[\[site\]\] for each"):
        JobFolder([tmp_path]).text("a.test")
    folder = JobFolder([tmp_path])
    path.unlink()
    tmp_path.rmdir()
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        folder.text("a.test")
    with pytest.raises(ConfigError, match="start the console with --jobs FOLDER"):
        folder.add("b.test", _block("b.test"))
