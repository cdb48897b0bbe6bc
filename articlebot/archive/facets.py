"""What a search can be narrowed to: how many found articles each site, category, job, language and day has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, select

from articlebot.archive import schema
from articlebot.archive.index import FACETS

DAY = "day"
# Values of one facet: more make a list that nobody reads.
_MOST = 12
Facets = dict[str, list[tuple[str, int]]]


def facets(connection: Connection, articles: Sequence[int] | Select[Any]) -> Facets:
    """Values with their numbers of articles by facet, the most first; days are those of the articles' own zones.

    Args:
        connection: to the archive.
        articles: their ids, or a query for them.
    """
    table = schema.articles.c
    rows = connection.execute(select(*(table[name] for name in FACETS), table.published).where(table.id.in_(articles)))
    *columns, published = list(zip(*rows, strict=True)) or [()] * (len(FACETS) + 1)
    counted = {name: _most(column) for name, column in zip(FACETS, columns, strict=True)}
    return counted | {DAY: _most((day or "")[:10] for day in published)}


def _most(values: Iterable[str | None]) -> list[tuple[str, int]]:
    counts = Counter(value for value in values if value)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]
