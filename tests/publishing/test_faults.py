"""Databases that go away, crash or are full: nothing is lost, nothing comes twice at a sink that minds its keys."""

from __future__ import annotations

import json
import resource
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from articlebot.archive import Archive
from articlebot.errors import StoreUnavailable
from articlebot.publishing import Outbox, Place, build
from tests.archive.conftest import MakeArticle, PostgreSQL, _binary
from tests.pipelines.test_publish import _finish, _lines_or_torn, _start


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A PostgreSQL server of the test's own, which it may stop."""
    initdb, postgres = _binary("initdb"), _binary("postgres")
    if not initdb or not postgres:
        pytest.skip("no PostgreSQL server that can be started here")
    with PostgreSQL(initdb, postgres) as running:
        yield running


def test_a_database_that_comes_back_is_used_again(server: PostgreSQL, make: MakeArticle, tmp_path: Path) -> None:
    sinks = build({"j": {"type": "jsonlines"}}, Place(tmp_path, lambda: 0.0))
    with Archive(server.url, route=sinks.routes) as archive:
        archive.publish([make("a")], 1)
        server.stop("immediate")
        outbox = Outbox(archive.engine)
        with pytest.raises(StoreUnavailable):
            archive.publish([make("b")], 2)
        with pytest.raises(StoreUnavailable):
            outbox.deliver(sinks.sinks, 2)
        server.start()
        assert [p.already for p in archive.publish([make("a"), make("b")], 3)] == [True, False]
        assert outbox.deliver(sinks.sinks, 4).delivered == 2


def test_a_crawl_outlives_its_database(server: PostgreSQL, tmp_path: Path) -> None:
    process = _start(tmp_path, 200, ARTICLEBOT_DATABASE_URL=server.url, ARTICLEBOT_PUBLISHING_GROUP=5)
    deadline = time.monotonic() + 60
    while len(_lines_or_torn(tmp_path)) < 20 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    server.stop("immediate")
    time.sleep(1.0)
    server.start()
    stats = _finish(process)
    assert stats["articlebot/publish/new"] + stats.get("articlebot/publish/already", 0) == 200
    with Archive(server.url) as archive:
        assert archive.counts()["versions"] == 200
    _all_once(tmp_path, 200)


def _all_once(folder: Path, count: int) -> None:
    lines = (folder / "published/articles.jsonl").read_text("utf-8").splitlines()
    keys = Counter(json.loads(line)["key"] for line in lines)
    assert len(keys) == count
    assert set(keys.values()) == {1}


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


def test_a_full_disk_refuses_a_commit_as_a_whole(make: MakeArticle, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Archive(url, route=lambda _row: ["s"]) as archive:
        archive.publish([make("a")], 1)
        many = [make(f"p{n}", f"{n} " * 3000) for n in range(200)]
        with _disk_of((tmp_path / "a.db-wal").stat().st_size + 100_000), pytest.raises(StoreUnavailable):
            archive.publish(many, 2)
        assert archive.counts()["versions"] == 1
        assert not any(p.already for p in archive.publish(many, 3))
        assert archive.counts()["versions"] == 201


def test_a_full_database_refuses_a_commit_as_a_whole(make: MakeArticle, tmp_path: Path) -> None:
    with Archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        archive.publish([make("a")], 1)
        with archive.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 5}")
        with pytest.raises(StoreUnavailable, match="full"):
            archive.publish([make(f"p{n}", f"{n} " * 3000) for n in range(50)], 2)
        with archive.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1073741823")
        assert archive.publish([make("p1", "1 " * 3000)], 3)[0].event == "new"
        assert archive.counts()["versions"] == 2


def test_a_locked_database_is_waited_for_and_then_named(make: MakeArticle, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Archive(url) as archive, Archive(url) as other:
        with other.engine.connect() as holder:
            holder.execution_options(articlebot_write=True).begin()
            with archive.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout=50")
            with pytest.raises(StoreUnavailable, match="locked"):
                archive.publish([make("a")], 1)
        assert archive.publish([make("a")], 2)[0].event == "new"
