"""The shelf of wrappers: the same in a folder and in each database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from articlebot.archive import migrate
from articlebot.archive.engine import open_engine
from articlebot.archive.shelf import SqlShelf, open_shelf
from articlebot.errors import StateError
from articlebot.extraction.wrapper.shelf import FolderShelf, Shelf


@pytest.fixture(params=["folder", "sqlite", "postgresql"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    if request.param == "folder":
        yield FolderShelf(tmp_path)
        return
    name = "sqlite:///" + str(tmp_path / "archive.db")
    engine = open_engine(name if request.param == "sqlite" else str(request.getfixturevalue("postgresql_url")))
    migrate.prepare(engine)
    opened = SqlShelf(engine)
    yield opened
    opened.close()


def test_versions_are_never_written_twice(shelf: Shelf) -> None:
    assert shelf.sites() == shelf.numbers("s") == []
    assert shelf.add("s", 1, "first") and shelf.add("s", 2, "second") and shelf.add("t", 1, "other")
    assert not shelf.add("s", 2, "another")
    assert (shelf.sites(), shelf.numbers("s"), shelf.version("s", 2)) == (["s", "t"], [1, 2], "second")
    assert "2" in shelf.place("s", 2)
    with pytest.raises(StateError):
        shelf.version("s", 3)
    assert shelf.forget("s") and not shelf.forget("s")
    assert shelf.sites() == ["t"]


def test_notes_stay_beside_each_other(shelf: Shelf) -> None:
    shelf.add("s", 1, "first")
    assert shelf.state("s") == {}
    shelf.note("s", "pinned", 1)
    shelf.note("s", "drift", {"history": [1.0], "text": "文"})
    shelf.note("s", "pinned", None)
    assert shelf.state("s") == {"pinned": None, "drift": {"history": [1.0], "text": "文"}}
    shelf.forget("s")
    assert shelf.state("s") == {}


def test_the_oldest_pages_give_way(shelf: Shelf) -> None:
    assert [shelf.put_page("s", name, name.encode(), 3) for name in "abcd"] == [1, 2, 3, 3]
    assert shelf.put_page("s", "b", b"new", 3) == 3
    assert list(shelf.pages("s")) == [b"new", b"d", b"c"]
    assert shelf.put_page("t", "a", b"\x00\xff", 3) == shelf.count_pages("t") == 1
    shelf.forget_pages("s")
    assert (shelf.count_pages("s"), list(shelf.pages("s")), shelf.count_pages("t")) == (0, [], 1)


def test_a_shared_database_begins_with_what_the_folder_has(tmp_path: Path, postgresql_url: str) -> None:
    here = open_shelf(f"sqlite:///{tmp_path / 'archive.db'}", tmp_path)
    assert isinstance(here, FolderShelf)
    here.add("s", 1, "first")
    here.note("s", "pinned", 1)
    for _ in range(2):
        shared = open_shelf(postgresql_url, tmp_path)
        assert (shared.version("s", 1), shared.state("s")) == ("first", {"pinned": 1})
        shared.close()
        here.add("s", 2, "later")
    shared = open_shelf(postgresql_url, tmp_path)
    assert shared.numbers("s") == [1]
    shared.close()
