"""The schema's versions: a new database is created, an older one brought up by Alembic, a newer one refused."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

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
        migrate(connection, HEAD)


def create(connection: Connection) -> None:
    """All tables of the newest schema, in an empty database."""
    schema.metadata.create_all(connection)
    index_of(connection).create(connection)
    connection.execute(
        schema.counters.insert(), [{"name": n, "value": 0} for n in ("articles", "outbox", "texts", "versions")]
    )
    connection.execute(text(f"CREATE TABLE {_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text(f"INSERT INTO {_TABLE} VALUES (:head)"), {"head": HEAD})  # noqa: S608 - a constant


def migrate(connection: Connection, revision: str) -> None:
    """Runs Alembic's steps up to a revision inside the connection's transaction."""
    # Imported here: half a second that a start on a current schema need not pay.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    with _scripts() as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def _current(connection: Connection) -> str | None:
    tables = inspect(connection).get_table_names()
    if _TABLE in tables:
        version = connection.execute(text(f"SELECT version_num FROM {_TABLE}")).scalar()  # noqa: S608 - a constant
        if version is not None:
            return str(version)
    if set(tables) & set(schema.metadata.tables):
        raise StateError("the database holds tables of these names that are not an archive's: give it another database")
    return None


@contextmanager
def _scripts() -> Iterator[Path]:
    """The folder of migrations; copied out where the package is inside an egg, as on scrapyd."""
    source = resources.files("articlebot.archive") / "migrations"
    if isinstance(source, Path):
        yield source
        return
    with tempfile.TemporaryDirectory() as folder:
        _copy(source, Path(folder))
        yield Path(folder)


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        elif entry.name.endswith(".py"):
            (target / entry.name).write_bytes(entry.read_bytes())
