"""What a full-text index takes and gives, whatever the database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from articlebot.archive.days import day_word
from articlebot.archive.query import index_words

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
# A page that gives more is a list of names.
_NAME_WORDS = 100
FACETS = ("site", "category", "job", "language")


@dataclass(frozen=True, slots=True)
class Document:
    """One version's words: what is searched, and what a search is narrowed by; ``about``: authors, source and day."""

    version_id: int
    title: str
    body: str
    facets: Mapping[str, str]
    about: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Mapping[str, Any], body: str) -> Document:
        """The document of an article's row."""
        facets = {name: row[name] for name in FACETS if row[name]}
        return cls(row["version_id"], row["title"], body, facets, about(row))


def about(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of an article's row by which it is found beside its texts: its authors, its source, its day.

    The day is that of the page's own zone.
    """
    names = [*(row.get("authors") or ()), row.get("source") or ""]
    words = [word for name in names for word in index_words(str(name))][:_NAME_WORDS]
    day = _DAY.match(row.get("published") or "")
    return (*words, day_word(*day.groups())) if day else tuple(words)


class Hit(NamedTuple):
    """A candidate: higher relevance is better, within one search only. A named tuple: cheap by the thousand."""

    article_id: int
    relevance: float
    dated_at: float
    version_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrow:
    """What candidates must have beside the words.

    Attributes:
        facets: values by name, all of them.
        since: epoch seconds; the least ``dated_at``.
        below: only versions with a smaller id, which are older.
        above: only versions with a greater id, which are newer.
    """

    facets: Mapping[str, str]
    since: float | None = None
    below: int | None = None
    above: int = 0


def first_since(connection: Connection, since: float) -> int | None:
    """The least version id that may be of an article dated since then; None where there is none.

    An article is archived no earlier than dated, and versions are archived in the order of their ids; an hour is left
    for the clocks of several machines.
    """
    query = "SELECT id FROM versions WHERE archived_at >= :since - 3600 ORDER BY archived_at, id LIMIT 1"
    first: int | None = connection.execute(text(query), {"since": since}).scalar()
    return first
