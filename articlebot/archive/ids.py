"""Ids that are given once, and the rows of the outbox that have some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from articlebot.archive import schema


def letter(ids: Ids, sink: str, row: Mapping[str, Any], now: float) -> dict[str, Any]:
    """A row of the outbox: the newest version of an article, for a sink."""
    own = {"id": ids.next("outbox"), "sink": sink, "article_id": row["id"], "version_id": row["version_id"]}
    return {**own, "created_at": now, "next_at": now}


class Ids:
    """Ids that are given once and never again, also not after their rows are gone."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._values: dict[str, int] = {
            row.name: row.value for row in connection.execute(select(schema.counters.c.name, schema.counters.c.value))
        }
        self._moved: set[str] = set()

    def next(self, name: str) -> int:
        """The next id of a table."""
        self._moved.add(name)
        self._values[name] += 1
        return self._values[name]

    def write(self) -> None:
        """Keeps what was given."""
        if self._moved:
            table = schema.counters
            query = update(table).where(table.c.name == bindparam("b_name")).values(value=bindparam("b_value"))
            self._connection.execute(query, [{"b_name": n, "b_value": self._values[n]} for n in sorted(self._moved)])
