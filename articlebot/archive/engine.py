"""Connections to the archive's database: SQLite or PostgreSQL behind one pair of transactions."""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar
from weakref import WeakSet

from sqlalchemy import Connection, Dialect, Engine, Table, create_engine, event, make_url, text
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DatabaseError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from articlebot.errors import ConfigError, StateError, StoreUnavailable, reason

Synchronous = Literal["FULL", "NORMAL"]

_WRITE = "articlebot_write"
# One writer at a time over all machines: version numbers and ids then commit in their own order.
_WRITER_LOCK = 0x61727469636C65
# Seconds that SQLite waits for another process's write, and after which it looks whether this process ends.
_BUSY_S, _LOOK_S = 30.0, 1.0
_CHUNK = 500
# Of PostgreSQL's table of SQLSTATEs what speaks of the server and those who run it, not of what was to be written:
# read_only_sql_transaction, insufficient_privilege, undefined_table.
_NOT_OF_THE_ROW = {"25006", "42501", "42P01"}
# What to do, by SQLSTATE and by SQLite's result code, where that is not what the database itself says.
_NAME_ANOTHER = "ARTICLEBOT_DATABASE_URL names another"
_ADVICE: dict[object, str] = {
    "25006": "name the primary of it, or turn its default_transaction_read_only off",
    "42501": "its user needs the right (GRANT)",
    "42P01": "restore it from a backup; or start the crawl again, which makes an empty one",
    sqlite3.SQLITE_READONLY: f"its file and its folder have to be writable; {_NAME_ANOTHER}",
    sqlite3.SQLITE_IOERR: f"its disk fails, or is mounted to be read alone; {_NAME_ANOTHER}",
    sqlite3.SQLITE_CANTOPEN: f"its file and its folder have to be readable and writable; {_NAME_ANOTHER}",
}
# data_corrupted, index_corrupted.
_DAMAGED = {"XX001", "XX002"}
# Those of this process to PostgreSQL, and whether it makes no more of them.
_connections: WeakSet[Any] = WeakSet()
_no_more = threading.Event()
# A server whose process does not even greet stands still.
_CONNECT_S = 5
T = TypeVar("T")


def cut(*, for_good: bool = False) -> None:
    """Cuts this process's connections to PostgreSQL: what waits for a server that says nothing fails at once.

    A server that stands still, or a network that swallows all, ends no connection, and its driver waits for ever.

    Args:
        for_good: and none is made any more, as this process ends; nor is another process's write to SQLite waited for.
    """
    if for_good:
        _no_more.set()
    for connection in list(_connections):
        if not connection.closed:
            with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
                end.shutdown(socket.SHUT_RDWR)


def open_engine(database_url: str, *, synchronous: Synchronous = "FULL") -> Engine:
    """An engine for ``sqlite:///…`` or ``postgresql://…``.

    Args:
        database_url: SQLAlchemy URL; ``postgres://`` and ``postgresql://`` are spoken through psycopg 3.
        synchronous: SQLite only. FULL flushes the write-ahead log at each commit, so that a commit outlives a loss of
            power; NORMAL outlives only the death of the process.

    Raises:
        ConfigError: another database, a malformed URL, no file to write, or the driver is not installed. The first
            connection raises it too, where PostgreSQL's database is not in UTF-8.
    """
    url = _parse(database_url)
    try:
        if url.get_backend_name() == "sqlite":
            return _sqlite(url, synchronous)
        if url.get_backend_name() == "postgresql":
            engine = create_engine(
                url.set(drivername="postgresql+psycopg"),
                pool_pre_ping=True,
                # Without it, the answers of a database in SQL_ASCII are bytes.
                connect_args={"connect_timeout": _CONNECT_S, "client_encoding": "utf8"},
            )
            # It warns of each transaction that an error has ended, which is told where that is caught.
            logging.getLogger("psycopg").setLevel(logging.ERROR)
            event.listen(engine, "handle_error", _leave)
            event.listen(engine, "do_connect", _refuse)
            event.listen(engine, "connect", _take)
            return engine
    except ModuleNotFoundError as error:
        hint = "pip install '.[postgresql]' in the source tree"
        raise ConfigError(f"{database_url.partition(':')[0]}: {error}; {hint}") from None
    raise ConfigError(f"the archive needs sqlite or postgresql, not {url.get_backend_name()}")


def _leave(context: ExceptionContext) -> None:
    """Counts a server that refuses what it took before, as a standby after a fail-over does, as one that is away."""
    if getattr(context.original_exception, "sqlstate", None) in _NOT_OF_THE_ROW:
        context.is_disconnect = True


def _refuse(dialect: Dialect, *_: Any) -> None:
    if _no_more.is_set():
        raise dialect.loaded_dbapi.OperationalError("this process ends, and asks it no more")


def _take(connection: Any, _record: Any) -> None:
    """Keeps a new connection in mind; a database that cannot hold every letter is refused before anything is read."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise ConfigError(
            f"ARTICLEBOT_DATABASE_URL: the database is in {encoding}, which cannot hold every text: name one that was "
            "made with CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0"
        )
    _connections.add(connection)


def is_shared(database_url: str) -> bool:
    """Whether machines can share a database: a file is one machine's own.

    Raises:
        ConfigError: a malformed URL.
    """
    return _parse(database_url).get_backend_name() == "postgresql"


def _parse(database_url: str) -> URL:
    scheme, _, path = database_url.partition(":///")
    if scheme == "sqlite":
        return URL.create("sqlite", database=path)  # a file may have any name, also with what would begin a query
    try:
        url = make_url(database_url)
        if url.drivername == "postgres":
            url = url.set(drivername="postgresql")
        url.get_backend_name()
    except (ValueError, SQLAlchemyError):  # whose texts may hold a part of the password
        raise ConfigError(_EXPECTED) from None
    return url


_EXPECTED = (
    "not a database URL: expected sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters "
    "of the password as %XX"
)


def _sqlite(url: URL, synchronous: Synchronous) -> Engine:
    if url.host:
        raise ConfigError(_EXPECTED)
    if url.database in (None, "", ":memory:"):
        raise ConfigError("the archive needs a file: sqlite:///path/to/articles.db")
    path = Path(str(url.database))
    # Told here: SQLite says of these what it says of a full disk, which passes.
    if said := _unusable(path):
        raise ConfigError(f"the archive's database {path} {said}; ARTICLEBOT_DATABASE_URL names another")
    engine = create_engine(url, connect_args={"timeout": _LOOK_S, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver would begin late and commit around DDL
        # Of processes that make the file together, SQLite refuses all but one at once.
        _patiently(lambda: connection.execute("PRAGMA journal_mode=WAL"))
        pragmas = (f"synchronous={synchronous}", "foreign_keys=ON", "cache_size=-32768", "temp_store=MEMORY")
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that turns from reading to writing cannot wait for another writer, so writers say so at once.
        write = connection.get_execution_options().get(_WRITE)
        _patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN"))

    return engine


def _unusable(path: Path) -> str:
    """Why no database can be at a path, "" where one can; its folder is made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot be opened: {reason(error)}"
    if stat.S_ISDIR(mode):
        return "is a folder"
    return "" if os.access(path, os.R_OK | os.W_OK) else "may not be read and written"


def _patiently(work: Callable[[], object]) -> None:
    """Does what waits for another process's write, for 30 s at most, or until this process ends."""
    until = time.monotonic() + _BUSY_S
    while True:
        try:
            work()
        except (sqlite3.OperationalError, OperationalError) as error:
            told = error.orig if isinstance(error, OperationalError) else error
            is_busy = getattr(told, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > until or _no_more.is_set():
                raise
            time.sleep(0.02)
        else:
            return


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """The values 500 at a time: SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535."""
    some = iter(values)
    while chunk := list(islice(some, _CHUNK)):
        yield chunk


@contextmanager
def writing(engine: Engine, *, alone: bool = True) -> Iterator[Connection]:
    """A transaction that writes.

    Args:
        alone: the only one of its kind at a time over all processes and machines. SQLite knows no other.

    Raises:
        StoreUnavailable: the database is away, locked or full; nothing was written.
        StateError: the database is damaged.
    """
    with _translated(engine), engine.connect().execution_options(**{_WRITE: True}) as connection, connection.begin():
        if alone and engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _WRITER_LOCK})
        yield connection


def insert_into(connection: Connection, table: Table) -> Any:
    """The database's own INSERT, which can be told what to do where the row is there (``on_conflict_do_…``)."""
    # Imported here: that of PostgreSQL takes 80 ms, which a command on SQLite need not wait.
    return import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that reads one consistent state.

    Raises:
        StoreUnavailable: the database is away.
        StateError: it is damaged.
    """
    with _translated(engine), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    try:
        yield
    except PoolTimeout as error:  # they are at what the database does not answer
        raise StoreUnavailable(f"{_named(engine)}: all of this process's connections wait for it") from error
    except (DatabaseError, InterfaceError) as error:
        if _is_damage(error.orig):
            raise StateError(
                f"{_named(engine)} is damaged ({error.orig}): put a backup in its place (scrapy restore), or name "
                "another in ARTICLEBOT_DATABASE_URL"
            ) from error
        if isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated:
            said = " ".join(f"{_named(engine)}: {error.orig or error}".split())
            raise StoreUnavailable(f"{said} ({advice})" if (advice := _advice(error.orig)) else said) from error
        raise


def _named(engine: Engine) -> str:
    """The database, with the setting that names one which is no file of the data folder."""
    setting = "" if engine.dialect.name == "sqlite" else "ARTICLEBOT_DATABASE_URL: "
    return f"{setting}the archive's database {engine.url.render_as_string(hide_password=True)}"


def _advice(error: BaseException | None) -> str | None:
    if isinstance(error, sqlite3.Error):
        return _ADVICE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    return _ADVICE.get(getattr(error, "sqlstate", None))


def _is_damage(error: BaseException | None) -> bool:
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return getattr(error, "sqlstate", None) in _DAMAGED
