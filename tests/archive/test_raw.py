"""Raw pages: kept with their version, read back exactly, bounded, and WARC to any other tool."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from articlebot.archive import Archive, Kept, RawPages
from articlebot.archive.raw import RawPage, write
from articlebot.errors import StateError
from tests.archive.conftest import MakeArticle


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "raw"


@pytest.fixture
def archive(database_url: str, folder: Path) -> Iterator[Archive]:
    with Archive(database_url, raw=RawPages(folder, 1 << 20)) as opened:
        yield opened


def test_a_page_is_kept_with_its_version(archive: Archive, folder: Path, make: MakeArticle) -> None:
    body = "<p>编码</p>".encode("gb18030")
    a, b, c = make("a"), make("b"), make("c")
    published = archive.publish([a, b, c], 1, {a: Kept(raw=body), c: Kept(raw=b"%PDF" * 9)})
    again = archive.publish([a], 2, {a: Kept(raw=body)})
    assert again[0].already
    pages = dict(archive.raw_pages(p.version_id for p in published))
    assert set(pages) == {published[0].version_id, published[2].version_id}
    page = pages[published[0].version_id]
    assert (page.body, page.url, page.fetched_at) == (body, make("a").url, 1000.0)
    [path] = folder.iterdir()
    with path.open("rb") as file:
        records = [
            (r.rec_type, r.rec_headers.get_header("WARC-Target-URI"), r.content_stream().read())
            for r in ArchiveIterator(file)
        ]
    assert records == [("resource", make("a").url, body), ("resource", make("c").url, b"%PDF" * 9)]


def test_the_newest_pages_of_a_site_come_with_one_that_is_asked_for_first(archive: Archive, make: MakeArticle) -> None:
    made = [make(f"p{n}", f"text {n}", published_at_epoch=1.7e9 + n) for n in range(6)]
    paper = make("paper", "text of paper", kind="document", published_at_epoch=1.75e9)
    kept = {one: Kept(raw=one.url.encode()) for one in [*made[1:], paper]}
    archive.publish([*made, paper], 1.8e9, kept)
    site = made[0].site

    def urls(*asked: Any) -> list[str]:
        return [page.url for page in archive.newest_raw(*asked)]

    assert urls(site, 3) == [made[n].url for n in (5, 4, 3)]
    assert urls(site, 3, made[2].url) == [made[n].url for n in (2, 5, 4)]
    assert urls(site, 9, made[5].url) == [made[n].url for n in (5, 4, 3, 2, 1)]
    assert urls(site, 1, made[0].url) == [made[5].url]  # of which no page is kept
    assert urls("other.test", 3, made[2].url) == []


def test_the_oldest_files_go_when_there_is_too_much(database_url: str, folder: Path, make: MakeArticle) -> None:
    ids = []
    for number in range(6):
        with Archive(database_url, raw=RawPages(folder, 25_000)) as archive:  # each process writes a file of its own
            article = make(f"p{number}", f"text {number}")
            [published] = archive.publish([article], number, {article: Kept(raw=os.urandom(10_000))})
            ids.append(published.version_id)
            for path in folder.iterdir():
                os.utime(path, (path.stat().st_mtime - 10,) * 2)
    with Archive(database_url, raw=RawPages(folder, 25_000)) as archive:
        assert [number for number, _ in archive.raw_pages(ids)] == ids[-2:]
    assert len(list(folder.iterdir())) == 2


def test_there_is_never_too_much_where_the_clock_was_set_back(
    database_url: str, folder: Path, make: MakeArticle
) -> None:
    for number in range(6):
        with Archive(database_url, raw=RawPages(folder, 25_000)) as archive:
            article = make(f"p{number}", f"text {number}")
            archive.publish([article], number, {article: Kept(raw=os.urandom(10_000))})
            for path in folder.iterdir():
                os.utime(path, (path.stat().st_mtime + 1e6,) * 2)
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    ("body", "content_type", "written"),
    [
        (b"\xef\xbb\xbf\n<!DOCTYPE html><p>Text</p>", None, "text/html"),
        (b"%PDF-1.7 <", None, "application/octet-stream"),
        (b"", None, "application/octet-stream"),
        (b"<html>", "application/xhtml+xml", "application/xhtml+xml"),
    ],
)
def test_markup_that_came_without_a_type_is_written_as_a_page(
    body: bytes, content_type: str | None, written: str
) -> None:
    file = io.BytesIO()
    write(file, RawPage("https://a.example/", body, content_type, 1.0))
    record = next(iter(ArchiveIterator(io.BytesIO(file.getvalue()))))
    assert record.rec_headers.get_header("Content-Type") == written


def test_damage_is_named(archive: Archive, folder: Path, make: MakeArticle) -> None:
    article = make("a")
    [published] = archive.publish([article], 1, {article: Kept(raw=b"x" * 1000)})
    [path] = folder.iterdir()
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(StateError, match="damaged"):
        list(archive.raw_pages([published.version_id]))


def test_an_archive_without_raw_pages_keeps_none(tmp_path: Path, make: MakeArticle) -> None:
    with Archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        article = make("a")
        [published] = archive.publish([article], 1, {article: Kept(raw=b"x")})
        assert list(archive.raw_pages([published.version_id])) == []
