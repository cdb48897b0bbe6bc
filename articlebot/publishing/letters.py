"""What lies in the outbox: its state by sink, its dead letters, and what a person may do about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, case, delete, exists, func, insert, select, update

from articlebot.archive import Selection, schema
from articlebot.archive.batch import Route
from articlebot.archive.engine import reading, writing
from articlebot.archive.ids import Ids, letter

_box, _articles, _sinks, _versions = schema.outbox.c, schema.articles.c, schema.sinks.c, schema.versions.c
_CHUNK = 500


def summary(engine: Engine, names: Sequence[str], now: float) -> list[dict[str, Any]]:
    """A row for each sink, configured or not: pending, dead, oldest pending in seconds, delivered, last error."""
    counted = select(
        _box.sink,
        func.sum(case((_box.state == "pending", 1), else_=0)).label("pending"),
        func.sum(case((_box.state == "dead", 1), else_=0)).label("dead"),
        func.min(case((_box.state == "pending", _box.created_at))).label("oldest_at"),
    ).group_by(_box.sink)
    with reading(engine) as connection:
        waiting = {row.sink: row for row in connection.execute(counted)}
        states = {row.name: row for row in connection.execute(select(schema.sinks))}
    rows = []
    for name in sorted({*names, *waiting, *states}):
        box, state = waiting.get(name), states.get(name)
        rows.append(
            {
                "sink": name, "configured": name in names,
                "pending": int(box.pending) if box else 0, "dead": int(box.dead) if box else 0,
                "oldest_s": round(now - box.oldest_at, 1) if box and box.oldest_at is not None else None,
                "delivered": state.delivered if state else 0, "delivered_at": state.delivered_at if state else None,
                "failures": state.failures if state else 0,
                "retry_in_s": round(max(0.0, state.retry_at - now), 1) if state and state.failures else None,
                "error": state.error if state else None,
            }
        )  # fmt: skip
    return rows


def pending(engine: Engine) -> dict[str, int]:
    """How many versions wait for each sink that any wait for."""
    counted = select(_box.sink, func.count().label("number")).where(_box.state == "pending").group_by(_box.sink)
    with reading(engine) as connection:
        return {row.sink: row.number for row in connection.execute(counted)}


def waiting(engine: Engine, *, sink: str | None = None, limit: int = 100) -> list[dict[str, Any]]:
    """Dead letters, oldest first, with their article."""
    query = (
        select(
            _box.id, _box.sink, _box.attempts, _box.created_at, _box.next_at, _box.error,
            _articles.url, _articles.title, _versions.version, _versions.event,
        )
        .join_from(schema.outbox, schema.articles, _articles.id == _box.article_id)
        .join(schema.versions, _versions.id == _box.version_id)
        .where(*_chosen(sink, ()))
        .order_by(_box.id)
        .limit(limit)
    )  # fmt: skip
    with reading(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def retry(
    engine: Engine, now: float, *, sink: str | None = None, ids: Sequence[int] = (), stale: bool = False
) -> tuple[int, int]:
    """Gives dead letters, of one sink or all, a new life; returns how many, and how many were dropped as stale.

    A dead letter is stale when the sink has a later version of its article already: delivered now it would arrive in
    the wrong order.

    Args:
        now: epoch seconds.
        sink, ids: only of this sink, only these.
        stale: deliver also what is stale.
    """
    chosen = _chosen(sink, ids)
    later = schema.outbox.alias("later")
    waits = exists().where(
        later.c.sink == _box.sink, later.c.article_id == _box.article_id, later.c.version_id > _box.version_id
    )
    newest = select(_articles.version_id).where(_articles.id == _box.article_id).scalar_subquery()
    with writing(engine, alone=False) as connection:
        dropped = 0
        if not stale:
            gone = delete(schema.outbox).where(*chosen, newest > _box.version_id, ~waits)
            dropped = connection.execute(gone).rowcount
        values: dict[str, Any] = {"state": "pending", "attempts": 0, "next_at": now}
        revived = connection.execute(update(schema.outbox).where(*chosen).values(values)).rowcount
        renewed: dict[str, Any] = {"retry_at": 0}
        connection.execute(update(schema.sinks).where(*([] if sink is None else [_sinks.name == sink])).values(renewed))
    return revived, dropped


def drop(engine: Engine, *, sink: str | None = None, ids: Sequence[int] = ()) -> int:
    """Removes dead letters for good; returns how many."""
    with writing(engine, alone=False) as connection:
        return connection.execute(delete(schema.outbox).where(*_chosen(sink, ids))).rowcount


def fill(
    engine: Engine, sink: str, selection: Selection, now: float, *, route: Route, told: Callable[[int], None]
) -> int:
    """Enqueues the newest version of each selected article for a sink, as for one that is new; returns how many.

    Articles with something waiting for the sink are left to that. Some hundred go in a transaction, so that a crawl
    publishes meanwhile.

    Args:
        now: epoch seconds.
        route: names the sinks of a version; only what is routed to this one is enqueued.
        told: is called with how many more articles were looked at.
    """
    there = exists().where(_box.sink == sink, _box.article_id == _articles.id)
    query = select(schema.articles).where(*selection.conditions(), ~there).order_by(_articles.id).limit(_CHUNK)
    last = filled = 0
    while True:
        with writing(engine) as connection:
            rows = [dict(row) for row in connection.execute(query.where(_articles.id > last)).mappings()]
            chosen = [row for row in rows if sink in route(row)]
            _enqueue(connection, sink, chosen, now)
        told(len(rows))
        filled += len(chosen)
        if len(rows) < _CHUNK:
            return filled
        last = rows[-1]["id"]


def _enqueue(connection: Connection, sink: str, rows: Sequence[Mapping[str, Any]], now: float) -> None:
    ids = Ids(connection)
    if letters := [letter(ids, sink, row, now) for row in rows]:
        connection.execute(insert(schema.outbox), letters)
        ids.write()


def _chosen(sink: str | None, ids: Sequence[int]) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [_box.state == "dead"]
    if sink is not None:
        found.append(_box.sink == sink)
    if ids:
        found.append(_box.id.in_(ids))
    return found
