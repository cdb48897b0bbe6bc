"""Clusters of near-duplicates as the archive knows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, insert, select, update

from articlebot.archive import record, schema

_CHUNK = 500
_table, _articles = schema.clusters, schema.articles.c


def write_clusters(connection: Connection, rows: Mapping[str, Mapping[str, Any]], now: float) -> None:
    """Adds clusters that are new and notes that the others have gained or changed an article."""
    names = list(rows)
    known: set[str] = set()
    for start in range(0, len(names), _CHUNK):
        query = select(_table.c.cluster).where(_table.c.cluster.in_(names[start : start + _CHUNK]))
        known.update(connection.execute(query).scalars())
    fresh = [{**row, "last_at": now} for name, row in rows.items() if name not in known]
    if fresh:
        connection.execute(insert(_table), fresh)
    for name in known:
        values: dict[str, Any] = {"last_at": now}
        if rows[name]["representative_id"] is not None:
            values["representative_id"] = rows[name]["representative_id"]
        connection.execute(update(_table).where(_table.c.cluster == name).values(values))


def promote(connection: Connection, names: Iterable[str]) -> None:
    """Makes an article that was alone in its cluster the representative, once another has joined it."""
    for name in names:
        alone = update(schema.articles).where(_articles.cluster == name, _articles.cluster_role == "single")
        connection.execute(alone.values(cluster_role="representative"))


def regroup(connection: Connection, merged: Mapping[str, str], moved: Mapping[int, str]) -> None:
    """Follows the near-duplicate index where it has joined or split clusters.

    Args:
        connection: inside ``engine.writing``.
        merged: the cluster that a cluster went into, by the old name.
        moved: the cluster that an article is in now, by its unsigned page key.
    """
    for old, new in merged.items():
        values: dict[str, Any] = {"cluster": new, "cluster_role": "member"}
        connection.execute(update(schema.articles).where(_articles.cluster == old).values(values))
        connection.execute(_table.delete().where(_table.c.cluster == old))
    for key, name in moved.items():
        there = select(_articles.id).where(_articles.cluster == name).limit(1)
        role = "single" if connection.execute(there).first() is None else "member"
        page = update(schema.articles).where(_articles.page_key == record.signed(key))
        connection.execute(page.values(cluster=name, cluster_role=role))
        promote(connection, [name] if role == "member" else [])
