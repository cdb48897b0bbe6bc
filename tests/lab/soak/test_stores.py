"""What a soak does to the stores: away for so long, and then as before."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest
import redis
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from articlebot.archive.engine import open_engine
from articlebot_lab.soak.stores import PrivateStore, database_away
from tests.archive.conftest import postgresql_server  # noqa: F401


def test_sqlite_is_locked_for_writing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (x)")
    thread = threading.Thread(target=database_away, args=(f"sqlite:///{path}", 1.0))
    with sqlite3.connect(path, timeout=0.1) as database, pytest.raises(sqlite3.OperationalError, match="locked"):
        thread.start()
        while thread.is_alive():
            database.execute("INSERT INTO t VALUES (1)")
            database.commit()
            time.sleep(0.02)
    thread.join()
    with sqlite3.connect(path, timeout=0.1) as database:
        database.execute("INSERT INTO t VALUES (1)")


def test_connections_to_postgresql_are_cut(postgresql_server: str) -> None:  # noqa: F811
    engine = open_engine(postgresql_server)
    thread = threading.Thread(target=database_away, args=(postgresql_server, 1.0))
    with pytest.raises(OperationalError), engine.connect() as connection:
        thread.start()
        while thread.is_alive():
            connection.execute(text("SELECT 1"))
            time.sleep(0.02)
    thread.join()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT 1")).scalar() == 1
    engine.dispose()


def test_redis_is_killed_and_keeps_what_it_had(tmp_path: Path) -> None:
    with PrivateStore(tmp_path / "redis") as store:
        with redis.Redis.from_url(store.url) as client:
            client.set("a", "1")
            before = client.info("server")["process_id"]
        store.strike(0.1)
        with redis.Redis.from_url(store.url) as client:
            assert client.get("a") == b"1"
            assert client.info("server")["process_id"] != before
