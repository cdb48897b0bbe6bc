"""Forgetting: articles that have not changed for long, versions beyond a number, and the texts nothing needs then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, ScalarSelect, Select, delete, exists, func, insert, select

from articlebot.archive import schema
from articlebot.archive.engine import reading, writing
from articlebot.archive.index import index_of

_CHUNK = 500
_articles, _versions, _texts = schema.articles.c, schema.versions.c, schema.texts.c


@dataclass(slots=True)
class Removed:
    """How much was, or would be, removed."""

    articles: int = 0
    versions: int = 0
    texts: int = 0


def apply(
    engine: Engine,
    now: float,
    *,
    days: float | None = None,
    versions: int | None = None,
    remember_days: float | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> Removed:
    """Removes in transactions of some hundred articles, so that a crawl goes on beside it.

    Of each article its page key, content hash and the time are kept, so that a later visit does not archive it as new.
    What waits in the outbox, dead letters included, is kept with its article until it is delivered or dropped.

    Args:
        days: articles whose newest version was archived longer ago go with all their versions; None keeps all.
        versions: newest versions kept of each article; None keeps all.
        remember_days: what was removed is known for so many days after its page was last read; None: for ever.
        told: is called with how many more articles or versions are gone.
    """
    removed = Removed()
    if remember_days is not None:
        with writing(engine) as connection:
            gone_by = now - remember_days * 86_400
            connection.execute(delete(schema.removed).where(schema.removed.c.met_at < gone_by))
    if days is not None:
        while gone := _step(engine, _old(now - days * 86_400), removed, now, whole=True):
            removed.articles += gone
            told(gone)
    if versions is not None:
        while gone := _step(engine, _surplus(versions), removed, now, whole=False):
            told(gone)
    return removed


def plan(engine: Engine, now: float, *, days: float | None = None, versions: int | None = None) -> Removed:
    """What ``apply`` would remove, without the texts; versions of articles that would go are counted with them."""
    removed = Removed()
    with reading(engine) as connection:
        old = _old(now - days * 86_400) if days is not None else None
        if old is not None:
            removed.articles = _count(connection, old)
            removed.versions = _count(connection, select(_versions.id).where(_versions.article_id.in_(old)))
        if versions is not None:
            surplus = _surplus(versions)
            if old is not None:
                surplus = surplus.where(_versions.article_id.not_in(old))
            removed.versions += _count(connection, surplus)
    return removed


def _old(before: float) -> Select[tuple[int]]:
    waits = exists().where(schema.outbox.c.article_id == _articles.id)
    return select(_articles.id).where(_articles.archived_at < before, ~waits)


def _surplus(keep: int) -> Select[tuple[int]]:
    newest: ScalarSelect[int] = select(_articles.version).where(_articles.id == _versions.article_id).scalar_subquery()
    waits = exists().where(schema.outbox.c.version_id == _versions.id)
    return select(_versions.id).where(_versions.version <= newest - keep, ~waits)


def _remember(connection: Connection, ids: Sequence[Any], now: float) -> None:
    query = select(_articles.page_key, _articles.content_hash).where(_articles.id.in_(ids))
    rows = [{**row, "removed_at": now, "met_at": now} for row in connection.execute(query).mappings()]
    if rows:
        connection.execute(insert(schema.removed), rows)


def _count(connection: Connection, query: Select[tuple[int]]) -> int:
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())


def _step(engine: Engine, query: Select[tuple[int]], removed: Removed, now: float, *, whole: bool) -> int:
    """Removes some of what a query finds, articles or versions; returns how many."""
    with writing(engine) as connection:
        ids = connection.execute(query.limit(_CHUNK)).scalars().all()
        chosen = _versions.article_id.in_(ids) if whole else _versions.id.in_(ids)
        rows = connection.execute(select(_versions.id, _versions.text_id).where(chosen)).all()
        version_ids, text_ids = [row.id for row in rows], {row.text_id for row in rows}
        connection.execute(delete(schema.raw_pages).where(schema.raw_pages.c.version_id.in_(version_ids)))
        connection.execute(delete(schema.versions).where(_versions.id.in_(version_ids)))
        if whole:
            _remember(connection, ids, now)
            connection.execute(delete(schema.articles).where(_articles.id.in_(ids)))
        index_of(connection).drop(connection, version_ids)
        used = exists().where(_versions.text_id == _texts.id)
        unused = delete(schema.texts).where(_texts.id.in_(text_ids), ~used)
        removed.texts += connection.execute(unused).rowcount
        removed.versions += len(rows)
    return len(ids)
