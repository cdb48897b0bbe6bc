"""The stores of a soak, and how they are struck."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Protocol

from sqlalchemy import make_url, text
from sqlalchemy.exc import SQLAlchemyError

from articlebot.archive.engine import open_engine
from articlebot.runtime.private_redis import PrivateRedis

_TERMINATE = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class Store(Protocol):
    """A Redis that can be struck."""

    @property
    def url(self) -> str:
        """Its address for the workers."""
        ...

    def strike(self, lasts: float) -> None:
        """Kills the server that works, and brings it back after ``lasts`` seconds."""
        ...


class PrivateStore:
    """A server of its own in a folder; use as a context manager."""

    def __init__(self, folder: Path) -> None:
        self._server = PrivateRedis(folder)

    def __enter__(self) -> PrivateStore:
        self._server.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.release()

    @property
    def url(self) -> str:
        return self._server.url

    def strike(self, lasts: float) -> None:
        pid = self._server.pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        time.sleep(lasts)  # the soak's own process: nothing else waits for it
        again = PrivateRedis(self._server.folder)
        again.acquire()
        again.release()


def database_away(url: str, lasts: float) -> None:
    """Takes the database from the workers for ``lasts`` seconds: SQLite is locked, PostgreSQL's connections are cut."""
    end = time.monotonic() + lasts
    if make_url(url).get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(make_url(url).database), timeout=30, isolation_level=None)) as database:
            database.execute("BEGIN EXCLUSIVE")
            time.sleep(lasts)
            database.execute("ROLLBACK")
        return
    engine = open_engine(url)
    try:
        while time.monotonic() < end:
            try:
                with engine.connect() as connection:
                    connection.execute(text(_TERMINATE))
            except SQLAlchemyError:
                pass
            time.sleep(0.1)
    finally:
        engine.dispose()
