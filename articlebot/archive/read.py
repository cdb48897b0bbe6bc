"""Reading the archive: articles and versions as exported rows, in short transactions over any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, select

from articlebot.archive import record, schema
from articlebot.archive.engine import chunks, reading

_CHUNK = 200
Row = Mapping[str, Any]
_OWN = ("version", "event", "text_id", "content_hash", "fetched_at", "archived_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which articles: all of the given; ``since`` is the least ``archived_at`` in epoch seconds."""

    since: float | None = None
    site: str | None = None
    category: str | None = None
    job: str | None = None
    cluster: str | None = None
    language: str | None = None
    page_keys: Sequence[int] | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """SQL conditions on ``articles``."""
        columns, names = schema.articles.c, ("site", "category", "job", "cluster", "language")
        found = [columns[name] == value for name in names if (value := getattr(self, name)) is not None]
        if self.page_keys is not None:
            found.append(columns.page_key.in_([record.signed(key) for key in self.page_keys]))
        if self.since is not None:
            found.append(columns.archived_at >= self.since)
        return found


def newest(engine: Engine, selection: Selection) -> Iterator[dict[str, Any]]:
    """The newest version of each article, oldest article first."""
    return _pages(engine, selection, _exported)


def every(engine: Engine, selection: Selection) -> Iterator[dict[str, Any]]:
    """Every version of each selected article, in order; with ``since`` only versions archived since."""

    def build(connection: Connection, articles: Sequence[Row]) -> list[dict[str, Any]]:
        rows = with_versions(connection, articles)
        since = float("-inf") if selection.since is None else selection.since
        return _exported(connection, [row for row in rows if row["archived_at"] >= since])

    return _pages(engine, selection, build)


def by_version_id(connection: Connection, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Exported rows of versions, by version id; those that retention has dropped are missing."""
    wanted = set(ids)
    rows: list[Row] = []
    for part in chunks(wanted):
        owners = select(schema.versions.c.article_id).where(schema.versions.c.id.in_(part))
        rows += _rows(connection, select(schema.articles).where(schema.articles.c.id.in_(owners)))
    found = {row["version_id"]: row for row in with_versions(connection, rows) if row["version_id"] in wanted}
    bodies = _bodies(connection, {row["text_id"] for row in found.values()})
    return {number: record.exported(row, bodies[row["text_id"]]) for number, row in found.items()}


def in_parts(engine: Engine, selection: Selection) -> Iterator[list[tuple[int, dict[str, Any]]]]:
    """The newest version of each article with its version id, some hundred at a time; beside what is exported, the
    ``sinks`` that its job names."""

    def build(connection: Connection, rows: Sequence[Row]) -> list[Any]:
        pairs = zip(rows, _exported(connection, rows), strict=True)
        return [[(row["version_id"], {**exported, "sinks": row["sinks"]}) for row, exported in pairs]]

    return _pages(engine, selection, build)


def by_id(connection: Connection, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Exported rows of articles in their newest version, by the article's id."""
    rows: list[Row] = []
    for part in chunks(set(ids)):
        rows.extend(_rows(connection, select(schema.articles).where(schema.articles.c.id.in_(part))))
    return {row["id"]: exported for row, exported in zip(rows, _exported(connection, rows), strict=True)}


def last_version(connection: Connection) -> int:
    """The id of the version that was archived last; 0 before the first."""
    known = select(schema.counters.c.value).where(schema.counters.c.name == "versions")
    return connection.execute(known).scalar_one_or_none() or 0


def _pages(
    engine: Engine, selection: Selection, build: Callable[[Connection, Sequence[Row]], list[Any]]
) -> Iterator[Any]:
    # A page of rows a transaction: one long reading transaction would keep SQLite's log from being folded back.
    table, last = schema.articles, 0
    while True:
        with reading(engine) as connection:
            query = select(table).where(table.c.id > last, *selection.conditions()).order_by(table.c.id).limit(_CHUNK)
            rows = _rows(connection, query)
            built = build(connection, rows)
        yield from built
        if len(rows) < _CHUNK:
            return
        last = rows[-1]["id"]


def _exported(connection: Connection, rows: Sequence[Row]) -> list[dict[str, Any]]:
    bodies = _bodies(connection, {row["text_id"] for row in rows})
    return [record.exported(row, bodies[row["text_id"]]) for row in rows]


def with_versions(connection: Connection, articles: Sequence[Row]) -> list[dict[str, Any]]:
    """Each version of the articles as a full row, rebuilt from the newest backwards; ascending per article."""
    versions: dict[int, list[Row]] = {}
    table, newest_rows = schema.versions, {row["id"]: row for row in articles}
    for part in chunks(newest_rows):
        query = select(table).where(table.c.article_id.in_(part)).order_by(table.c.article_id, table.c.version.desc())
        for version in _rows(connection, query):
            versions.setdefault(version["article_id"], []).append(version)
    rebuilt = (reversed(list(_rebuild(newest_rows[number], rows))) for number, rows in versions.items())
    return list(chain.from_iterable(rebuilt))


def _rebuild(article: Row, versions: Sequence[Row]) -> Iterator[dict[str, Any]]:
    state = dict(article)
    for version in versions:
        state = {**state, **(version["older"] or {}), **{name: version[name] for name in _OWN}}
        state["version_id"] = version["id"]
        state["withdrawn_at"] = version["archived_at"] if version["event"] == "withdrawn" else None
        yield state


def _rows(connection: Connection, query: Select[Any]) -> list[Row]:
    found = connection.execute(query)
    names = tuple(found.keys())
    return [dict(zip(names, row, strict=True)) for row in found]  # half the time of mappings


def _bodies(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    table, found = schema.texts, {}
    for part in chunks(ids):
        query = select(table.c.id, table.c.body).where(table.c.id.in_(part))
        found.update({row.id: row.body for row in connection.execute(query)})
    return found
