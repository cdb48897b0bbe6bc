"""The schema's versions: a new database is created, an older one brought up, a newer one refused."""

from __future__ import annotations

import logging

from sqlalchemy import Connection, Engine, inspect, text

from articlebot.archive import schema
from articlebot.archive.engine import reading, writing
from articlebot.archive.index import index_of
from articlebot.errors import StateError

logger = logging.getLogger(__name__)

HEAD = "0011"
_TABLE = "alembic_version"


def prepare(engine: Engine, *, upgrade: bool = True) -> None:
    """Makes sure that the database has this version's tables; without ``upgrade`` an older schema is refused.

    Raises:
        StateError: the schema is newer than this program, or older and ``upgrade`` is off; says what to do.
        StoreUnavailable: the database is away.
    """
    with reading(engine) as connection:
        if _current(connection) == HEAD:
            return
    with writing(engine) as connection:  # the writers' lock: of several processes that start together one does it
        current = _current(connection)
        if current == HEAD:
            return
        if current is None:
            create(connection)
            return
        if current > HEAD:
            raise StateError(
                f"the archive has schema {current}, written by a newer articlebot (this one: {HEAD}): update articlebot"
            )
        if not upgrade:
            raise StateError(
                f"the archive has schema {current}, this articlebot needs {HEAD}: back it up, then set "
                "ARTICLEBOT_ARCHIVE_UPGRADE=1 for one start"
            )
        logger.info("Bringing the archive's schema from %s to %s", current, HEAD)
        migrate(connection, current)


def create(connection: Connection) -> None:
    """All tables of the newest schema, in an empty database."""
    schema.metadata.create_all(connection)
    index_of(connection).create(connection)
    connection.execute(
        schema.counters.insert(), [{"name": n, "value": 0} for n in ("articles", "outbox", "texts", "versions")]
    )
    connection.execute(text(f"CREATE TABLE {_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text(f"INSERT INTO {_TABLE} VALUES (:head)"), {"head": HEAD})  # noqa: S608 - a constant


def migrate(connection: Connection, current: str) -> None:
    """Brings an older schema up to this one inside the connection's transaction."""
    # Imported here: with Alembic it takes what a start on a current schema need not pay.
    from articlebot.archive import steps  # noqa: PLC0415

    for number in sorted(steps.STEPS):
        if number > current:
            steps.take(connection, number)
    connection.execute(text(f"UPDATE {_TABLE} SET version_num = :head"), {"head": HEAD})  # noqa: S608 - a constant


def _current(connection: Connection) -> str | None:
    tables = inspect(connection).get_table_names()
    if _TABLE in tables:
        version = connection.execute(text(f"SELECT version_num FROM {_TABLE}")).scalar()  # noqa: S608 - a constant
        if version is not None:
            return str(version)
    if set(tables) & set(schema.metadata.tables):
        raise StateError("the database holds tables of these names that are not an archive's: give it another database")
    return None
