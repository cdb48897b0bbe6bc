"""Databases that go away, crash or are full: nothing is lost, nothing comes twice at a sink that minds its keys."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from articlebot.archive import Archive, schema
from articlebot.archive.engine import open_engine, reading
from articlebot.errors import StoreUnavailable
from articlebot.publishing import letters
from articlebot.publishing.outbox import Outbox
from articlebot.publishing.specs import open_sinks
from tests.archive.conftest import MakeArticle, PostgreSQL
from tests.pipelines.test_publish import _finish, _lines_or_torn, _start

GROUP = "articlebot.pipelines.publish:GROUP"


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A PostgreSQL server of the test's own, which it may stop."""
    with PostgreSQL() as running:
        yield running


def test_a_database_that_comes_back_is_used_again(server: PostgreSQL, make: MakeArticle, tmp_path: Path) -> None:
    sinks = open_sinks({"j": {"type": "jsonlines"}}, tmp_path, lambda: 0.0)
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


LONG = pytest.mark.skipif("ARTICLEBOT_TEST_LONG" not in os.environ, reason="a minute: set ARTICLEBOT_TEST_LONG=1")


@pytest.mark.parametrize("outages", [{20: 0.5, 60: 0.5}, pytest.param({20: 60.0}, marks=LONG)])
def test_a_crawl_outlives_its_database(server: PostgreSQL, tmp_path: Path, outages: dict[int, float]) -> None:
    small = {"ARTICLEBOT_DATABASE_URL": server.url, "constants": {GROUP: 5}}
    process = _start(tmp_path, 200, **small)
    for enough, away_s in outages.items():
        _until_delivered(tmp_path, enough, process)
        server.stop("immediate")
        time.sleep(away_s)
        server.start()
    stats = _finish(process)
    assert stats["articlebot/publish/new"] + stats.get("articlebot/publish/already", 0) == 200
    _all_once(tmp_path, 200, server.url)


def test_killed_between_archive_and_sink_nothing_is_lost_and_nothing_comes_twice(
    database_url: str, tmp_path: Path
) -> None:
    batch = "articlebot.publishing.outbox:MOST_EVENTS"
    small = {"ARTICLEBOT_DATABASE_URL": database_url, "constants": {GROUP: 5, batch: 3}}
    for enough in (5, 35, 70):
        process = _start(tmp_path, 240, **small)
        _until_delivered(tmp_path, enough, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    _finish(_start(tmp_path, 240, **small))
    _all_once(tmp_path, 240, database_url)


def test_a_crawl_outlives_a_full_disk(tmp_path: Path) -> None:
    process = _start(tmp_path, 120, constants={GROUP: 5})
    _until_delivered(tmp_path, 10, process)
    full = max((tmp_path / name).stat().st_size for name in ("archive.db-wal", "published/articles.jsonl"))
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (full, -1))
    assert process.stderr
    seen = ""
    while " wait: " not in seen:  # the pipeline says so where it cannot commit
        seen = process.stderr.readline()
        assert seen, "the crawl ended on a full disk"
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    _finish(process)
    _all_once(tmp_path, 120, f"sqlite:///{tmp_path / 'archive.db'}")


def test_a_crawl_outlives_another_process_that_holds_its_archive(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    with Archive(f"sqlite:///{path}"):
        pass
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN EXCLUSIVE');"
        " print(1, flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    holder.stdout.readline()
    process = _start(tmp_path, 60)
    time.sleep(2)
    assert process.poll() is None
    holder.communicate()
    assert _finish(process)["articlebot/publish/new"] == 60
    _all_once(tmp_path, 60, f"sqlite:///{path}")


def test_processes_that_publish_the_same_at_once_publish_it_once(database_url: str, tmp_path: Path) -> None:
    small = {"ARTICLEBOT_DATABASE_URL": database_url, "constants": {GROUP: 4}}
    Archive(database_url).close()
    stats = [_finish(process) for process in [_start(tmp_path, 120, **small) for _ in range(3)]]
    assert sum(one.get("articlebot/publish/new", 0) for one in stats) == 120
    assert sum(one.get("articlebot/publish/already", 0) for one in stats) == 240
    _all_once(tmp_path, 120, database_url)


def test_a_connection_that_ends_in_the_middle_of_a_commit(postgresql_url: str, make: MakeArticle) -> None:
    rows = 0

    def route(_row: Mapping[str, Any]) -> list[str]:  # called inside the transaction
        nonlocal rows
        rows += 1
        if rows == 3:
            with admin.connect() as connection:
                connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        return ["s"]

    admin = open_engine(postgresql_url)
    with Archive(postgresql_url, route=route) as archive:
        items = [make(f"p{n}", f"text {n}") for n in range(5)]
        with pytest.raises(StoreUnavailable):
            archive.publish(items, 1)
        assert archive.counts() == {"articles": 0, "versions": 0, "texts": 0}
        assert [published.event for published in archive.publish(items, 2)] == ["new"] * 5
        with reading(archive.engine) as connection:
            assert connection.execute(select(func.count()).select_from(schema.outbox)).scalar_one() == 5
    admin.dispose()


def test_threads_that_find_all_connections_waiting_wait_too(postgresql_url: str) -> None:
    engine = open_engine(postgresql_url)
    engine.pool._timeout = 0.05  # type: ignore[attr-defined] # of 30 s
    with ExitStack() as held:
        for _ in range(15):  # as many as a pool has
            held.enter_context(engine.connect())
        with pytest.raises(StoreUnavailable, match="connections wait for it"), reading(engine):
            pass
    with reading(engine):
        pass
    engine.dispose()


def test_a_server_that_only_reads_for_now_is_away(postgresql_url: str, make: MakeArticle) -> None:
    admin = open_engine(postgresql_url).execution_options(isolation_level="AUTOCOMMIT")
    with Archive(postgresql_url) as archive, admin.connect() as connection:
        name = connection.engine.url.database
        assert [published.event for published in archive.publish([make("p0", "text 0")], 1)] == ["new"]
        # As on a standby, for connections that are open and those to come.
        with archive.engine.begin() as pooled:
            pooled.exec_driver_sql("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        with pytest.raises(StoreUnavailable, match=r"^ARTICLEBOT_DATABASE_URL: .* \(name the primary"):
            archive.publish([make("p1", "text 1")], 2)
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
        assert [published.event for published in archive.publish([make("p1", "text 1")], 3)] == ["new"]
        # As while somebody restores a table.
        connection.exec_driver_sql("ALTER TABLE articles RENAME TO articles_before")
        with pytest.raises(StoreUnavailable, match="does not exist"):
            archive.publish([make("p2", "text 2")], 4)
        connection.exec_driver_sql("ALTER TABLE articles_before RENAME TO articles")
        assert [published.event for published in archive.publish([make("p2", "text 2")], 5)] == ["new"]
    admin.dispose()


def _until_delivered(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while len(_lines_or_torn(folder)) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def _all_once(folder: Path, count: int, database_url: str) -> None:
    """Each version stands once in the archive and once in the JSON Lines, and none waits."""
    with Archive(database_url) as archive:
        assert archive.counts() == {"articles": count, "versions": count, "texts": count}
        assert not letters.pending(archive.engine)
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
