"""Which cluster of near-duplicates each article is in, as the archive tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select, update

from articlebot.archive import record, schema

_articles = schema.articles.c


def promote(connection: Connection, names: Iterable[str]) -> None:
    """Makes an article that was alone in its cluster the representative, once another has joined it."""
    for name in names:
        alone = update(schema.articles).where(_articles.cluster == name, _articles.cluster_role == "single")
        connection.execute(alone.values(cluster_role="representative"))


def regroup(connection: Connection, merged: Mapping[str, str], moved: Mapping[int, str]) -> None:
    """Follows the near-duplicate index where it has joined or split clusters; see ``Archive.regroup``."""
    for old, new in merged.items():
        page = update(schema.articles).where(_articles.cluster == old)
        connection.execute(page.values(cluster=new, cluster_role="member"))
    for key, name in moved.items():
        there = select(_articles.id).where(_articles.cluster == name).limit(1)
        role = "single" if connection.execute(there).first() is None else "member"
        page = update(schema.articles).where(_articles.page_key == record.signed(key))
        connection.execute(page.values(cluster=name, cluster_role=role))
        promote(connection, [name] if role == "member" else [])
