"""The round history in the archive's database, for machines that share it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sqlalchemy import Engine, delete, insert, select

from articlebot.archive import migrate, schema
from articlebot.archive.engine import is_shared, open_engine, reading, writing
from articlebot.archive.record import signed, unsigned
from articlebot.errors import StoreUnavailable
from articlebot.jobs.history import FolderRounds, RoundRecord, Rounds

# Rounds are written together: after so many, or so many seconds after the first of them.
_TOGETHER, _WAIT_S = 200, 5.0
# Rounds that wait while the database is away; the oldest beyond are lost.
_MOST_WAITING = 20_000
_COLUMNS = [schema.rounds.c[name] for name in RoundRecord._fields]


def open_rounds(database_url: str, data_dir: Path, worker: str = "", *, upgrade: bool = True) -> Rounds:
    """The history of all who share an archive: in its database, or in the data folder where that is one machine's own.

    Raises:
        StoreUnavailable: the database is away.
        StateError: its schema is another.
    """
    if not is_shared(database_url):
        return FolderRounds(data_dir / "history", worker)
    engine = open_engine(database_url)
    migrate.prepare(engine, upgrade=upgrade)
    return SqlRounds(engine)


class SqlRounds(Rounds):
    """A table of the archive's database, written by a thread.

    Args:
        engine: of the archive, whose tables are there.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, "rounds")
        self._waiting: list[RoundRecord] = []
        self._written_at = 0.0

    def write(self, record: RoundRecord) -> None:
        self._waiting.append(record)
        del self._waiting[:-_MOST_WAITING]
        now = time.monotonic()
        if len(self._waiting) >= _TOGETHER or now > self._written_at + _WAIT_S:
            self._written_at = now
            self._thread.submit(self._flush)

    def rounds(self, since: float = 0.0) -> Iterator[RoundRecord]:
        query = select(*_COLUMNS).where(schema.rounds.c.at >= since).order_by(schema.rounds.c.at)
        with reading(self._engine) as connection:
            for row in connection.execution_options(stream_results=True).execute(query):
                record = RoundRecord(*row)
                yield record._replace(page=unsigned(record.page))

    def remove_old(self, before: float) -> None:
        self._thread.submit(self._remove, before)

    def close(self) -> None:
        self._thread.shutdown()
        self._flush()
        self._engine.dispose()

    def _flush(self) -> None:
        rounds = self._waiting
        if not rounds:
            return
        self._waiting = []
        try:
            with writing(self._engine, alone=False) as connection:
                rows = [{**one._asdict(), "page": signed(one.page)} for one in rounds]
                connection.execute(insert(schema.rounds), rows)
        except StoreUnavailable:
            self._waiting = rounds + self._waiting

    def _remove(self, before: float) -> None:
        with writing(self._engine, alone=False) as connection:
            connection.execute(delete(schema.rounds).where(schema.rounds.c.at < before))
