"""Searching the archive: candidates from the index, ranked by relevance and freshness, with snippets."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, Engine, Select, select, tuple_

from articlebot.archive import read, schema
from articlebot.archive.engine import reading
from articlebot.archive.index import FACETS, Hit, Narrow, index_of
from articlebot.archive.meant import instead
from articlebot.archive.query import Query
from articlebot.archive.snippet import Snippet, snippet
from articlebot.errors import RefusedError

# A word that a third of a million articles hold would take seconds to rank; of so many only the newest can matter.
CANDIDATES = 1000
# Share of a score that age takes away in the long run, of equal matches the newer comes first; and the seconds in which
# half of it is gone, a news week.
_FRESHNESS, _HALF_LIFE_S = 0.5, 7 * 86_400.0


# The facets by which the database lists the newest articles at once. Others, and several at a time, are looked up as
# words are: of a site and a rare category the articles themselves would be read to the oldest.
_LISTED: tuple[set[str], ...] = (set(), {"site"}, {"category"}, {"job"})
DAY = "day"
# Values of one facet: more make a list that nobody reads.
_MOST = 12
Facets = dict[str, list[tuple[str, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One article of a result: its exported row without the body, and the place that matches."""

    article: dict[str, Any]
    snippet: Snippet
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A page of a result.

    Attributes:
        found: the page's articles, best first.
        total: how many articles match; a least number where ``more``.
        more: there are more than so many, all older: versions where words or several facets are looked for, of which
            only the newest ``CANDIDATES`` are ranked; else articles.
        rest: where ``more``, what ``Search.after`` takes to go on behind these.
        instead: where nothing was found, words that would find something: those that no article has are replaced by
            the likest ones of the newest titles, authors and sources.
        end: the place behind the page's last article, and that article's id: what ``Search.offset`` and ``behind`` take
            for the next page.
        facets: where ``Search.count`` asks for them, those of the newest ``CANDIDATES`` articles that match.
    """

    found: list[Found]
    total: int
    more: bool
    rest: str | None = None
    instead: str | None = None
    end: tuple[int, int | None] = (0, None)
    facets: Facets = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for.

    Attributes:
        words: in the search language of ``query.Query``; empty for all articles, newest first. Days said from today on
            are days where the functions below are told ``now``.
        site, category, job, language: all of those given.
        since: epoch seconds; least publication time (time of first archiving where unknown).
        sort: ``relevance`` or ``newest``.
        behind: the id of an article that is ranked: what stands behind it, wherever it stands by now; ``offset`` counts
            where it is there no more.
        after: ``Results.rest`` of a search for the same: what is older than all that one ranked or listed.
        count: count what the result could be narrowed to.
    """

    words: str = ""
    site: str | None = None
    category: str | None = None
    job: str | None = None
    language: str | None = None
    since: float | None = None
    sort: Literal["relevance", "newest"] = "relevance"
    limit: int = 20
    offset: int = 0
    behind: int | None = None
    after: str | None = None
    count: bool = False

    @property
    def facets(self) -> dict[str, str]:
        """Those given."""
        return {name: value for name in FACETS if (value := getattr(self, name)) is not None}


def search(engine: Engine, wanted: Search, now: float) -> Results:
    """The articles that match.

    Raises:
        RefusedError: the words hold nothing to look for, or too much, or ``after`` is not of such a search.
        StoreUnavailable: the database is away.
    """
    with reading(engine) as connection:
        query = _query(wanted.words, now)
        if query is None and set(wanted.facets) in _LISTED:
            return _newest(connection, wanted)
        narrow = Narrow(facets=wanted.facets, since=wanted.since, below=_below(wanted.after))
        hits = index_of(connection).find(connection, query, narrow, CANDIDATES + 1)
        if not hits and query is not None:
            return Results(found=[], total=0, more=False, instead=instead(connection, wanted.words, narrow, now))
        more, hits = len(hits) > CANDIDATES, hits[:CANDIDATES]
        ranked = rank(hits, wanted, now)
        first = next((n for n, (hit, _) in enumerate(ranked, 1) if hit.article_id == wanted.behind), wanted.offset)
        ranked = ranked[first : first + wanted.limit]
        rows = read.by_id(connection, [hit.article_id for hit, _ in ranked])
        counted = facets(connection, [hit.article_id for hit in hits]) if wanted.count else {}
    pattern = query.pattern() if query else None
    found = [_found(rows[hit.article_id], pattern, score) for hit, score in ranked if hit.article_id in rows]
    rest = f"v{hits[-1].version_id}" if more else None
    end = first + len(ranked), ranked[-1][0].article_id if ranked else None
    return Results(found=found, total=len(hits), more=more, rest=rest, end=end, facets=counted)


def matching(
    engine: Engine, words: str, selection: read.Selection, now: float | None = None
) -> Iterator[dict[str, Any]]:
    """Every selected article that matches, with its body, in parts of ``CANDIDATES``, the newest part first.

    Raises:
        RefusedError: at once, as ``search``.
        StoreUnavailable: when they are taken.
    """
    return _matching(engine, Query.parse(words, now), selection)


def _matching(engine: Engine, query: Query, selection: read.Selection) -> Iterator[dict[str, Any]]:
    below = None
    facets = {name: value for name in FACETS if (value := getattr(selection, name, None)) is not None}
    while True:
        with reading(engine) as connection:
            hits = index_of(connection).find(connection, query, Narrow(facets=facets, below=below), CANDIDATES)
            rows = read.by_id(connection, [hit.article_id for hit in hits])
        for row in (rows[hit.article_id] for hit in hits if hit.article_id in rows):
            if row["archived_at"] >= (selection.since or 0.0) and selection.cluster in (None, row["cluster"]):
                yield row
        if len(hits) < CANDIDATES:
            return
        below = hits[-1].version_id


def newer(engine: Engine, wanted: Search, above: int, upto: int, now: float | None = None) -> Results:
    """The articles that match and got a version after the one with the id ``above``, and up to that with ``upto``.

    Newest first, ``wanted.limit`` of them; only words and facets of ``wanted`` count, and one of the two is needed.

    Raises:
        RefusedError, StoreUnavailable: as ``search``.
    """
    query = _query(wanted.words, now)
    narrow = Narrow(facets=wanted.facets, above=above, below=upto + 1)
    with reading(engine) as connection:
        hits = index_of(connection).find(connection, query, narrow, CANDIDATES + 1)
        shown = hits[: wanted.limit]
        rows = read.by_id(connection, [hit.article_id for hit in shown])
    pattern = query.pattern() if query else None
    found = [_found(rows[hit.article_id], pattern, 0.0) for hit in shown if hit.article_id in rows]
    return Results(found=found, total=min(len(hits), CANDIDATES), more=len(hits) > CANDIDATES)


def latest(engine: Engine, wanted: Search, now: float | None = None) -> list[dict[str, Any]]:
    """The articles that match, with their bodies, ``wanted.limit`` of them: what got a version last stands first.

    So nothing that is new or has changed hides from who reads the first ones again and again, whatever its date.
    Only words and facets of ``wanted`` count.

    Raises:
        RefusedError, StoreUnavailable: as ``search``.
    """
    query = _query(wanted.words, now)
    table = schema.articles.c
    with reading(engine) as connection:
        if query is None and not wanted.facets:
            listed = select(table.id).order_by(table.version_id.desc()).limit(wanted.limit)
            ids = list(connection.execute(listed).scalars())
        else:
            hits = index_of(connection).find(connection, query, Narrow(facets=wanted.facets), wanted.limit)
            ids = [hit.article_id for hit in hits]
        rows = read.by_id(connection, ids)
    return [rows[number] for number in ids if number in rows]


def rank(hits: Sequence[Hit], wanted: Search, now: float) -> list[tuple[Hit, float]]:
    """Hits with their scores (0 to 1), best first: relevance against the best one's, less for what is old."""
    if not any(hit.relevance for hit in hits):  # without words there is nothing but the date
        return [(hit, 0.0) for hit in sorted(hits, key=lambda hit: (-hit.dated_at, -hit.article_id))]
    best = max(hit.relevance for hit in hits)

    def score(hit: Hit) -> float:
        age = max(0.0, now - hit.dated_at)
        fresh = math.exp2(-min(1000.0, age / _HALF_LIFE_S))
        return hit.relevance / best * (1 - _FRESHNESS + _FRESHNESS * fresh)

    scored = [(hit, score(hit)) for hit in hits]
    if wanted.sort == "newest":
        return sorted(scored, key=lambda pair: (-pair[0].dated_at, -pair[0].article_id))
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0].dated_at, -pair[0].article_id))


def _newest(connection: Connection, wanted: Search) -> Results:
    table = schema.articles.c
    conditions = [table[name] == value for name, value in wanted.facets.items()]
    if wanted.since is not None:
        conditions.append(table.dated_at >= wanted.since)
    if (last := _last(wanted.after)) is not None:
        conditions += [table.dated_at <= last[0], tuple_(table.dated_at, table.id) < last]
    query = select(table.id, table.dated_at).where(*conditions).order_by(table.dated_at.desc(), table.id.desc())
    listed = connection.execute(query.offset(wanted.offset).limit(wanted.limit + 1)).all()
    more, listed = len(listed) > wanted.limit, listed[: wanted.limit]
    rows = read.by_id(connection, [row.id for row in listed])
    found = [_found(rows[row.id], None, 0.0) for row in listed]
    rest = f"d{listed[-1].dated_at!r},{listed[-1].id}" if more else None
    counted = facets(connection, query.with_only_columns(table.id).limit(CANDIDATES)) if wanted.count else {}
    return Results(found=found, total=wanted.offset + len(listed), more=more, rest=rest, facets=counted)


def _query(words: str, now: float | None) -> Query | None:
    return Query.parse(words, now) if words.strip() else None


def _below(after: str | None) -> int | None:
    """The version id in ``Search.after``."""
    return None if after is None else int(_matched("v([0-9]{1,18})", after)[1])


def _last(after: str | None) -> tuple[float, int] | None:
    """The time and article id in ``Search.after``."""
    if after is None:
        return None
    match = _matched(r"d(-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:e[-+]?[0-9]{1,3})?),([0-9]{1,18})", after)
    return float(match[1]), int(match[2])


def _matched(form: str, after: str) -> re.Match[str]:
    if not (match := re.fullmatch(form, after)):
        raise RefusedError("after_unknown", f"{after[:40]!r} is not where such a search ended")
    return match


def _found(row: dict[str, Any], pattern: re.Pattern[str] | None, score: float) -> Found:
    article = {name: value for name, value in row.items() if name != "body"}
    return Found(article=article, snippet=snippet(row["body"], pattern), score=round(score, 4))


def facets(connection: Connection, articles: Sequence[int] | Select[Any]) -> Facets:
    """Values with their numbers of articles by facet, the most first; days, of the articles' own zones, newest first.

    Args:
        connection: to the archive.
        articles: their ids, or a query for them.
    """
    table = schema.articles.c
    rows = connection.execute(select(*(table[name] for name in FACETS), table.published).where(table.id.in_(articles)))
    *columns, published = list(zip(*rows, strict=True)) or [()] * (len(FACETS) + 1)
    counted = {name: _most(column) for name, column in zip(FACETS, columns, strict=True)}
    days = Counter(day[:10] for day in published if day)
    return counted | {DAY: sorted(days.items(), reverse=True)[:_MOST]}


def _most(values: Iterable[str | None]) -> list[tuple[str, int]]:
    counts = Counter(value for value in values if value)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]
