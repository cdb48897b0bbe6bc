"""The full-text index in PostgreSQL: a table of vectors under a GIN index, walked from the newest versions back.

GIN gives all matches of a query or none, in no order, so the newest thousand of a word that a third of a million
articles hold would cost what all of them cost. Each vector therefore also holds the numbers of its blocks, of 8,192,
65,536 and 524,288 versions, as words that no text can hold: "this word within this block" costs no more than the rarer
of the two, and the newest matches are found block by block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from articlebot.archive.index.base import Document, Hit, Narrow, first_since
from articlebot.archive.query import Query, Term
from articlebot.archive.words import index_words

_BLOCKS = (13, 16, 19)  # bits of a version's id inside a block
# As many matches are looked at all at once.
_FEW = 5000
_INDEX = "CREATE INDEX ix_search_words ON search USING gin (words)"


class Tsvector:
    """PostgreSQL: a table of vectors with positions, titles weighted A."""

    def create(self, connection: Connection) -> None:
        """Makes the table."""
        connection.exec_driver_sql("CREATE TABLE search (version_id bigint PRIMARY KEY, words tsvector NOT NULL)")
        connection.exec_driver_sql(_INDEX)

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        """Adds versions."""
        rows = [{"id": document.version_id, "words": _vector(document)} for document in documents]
        if rows:
            connection.execute(text("INSERT INTO search VALUES (:id, CAST(:words AS tsvector))"), rows)

    def add_blocks(self, connection: Connection) -> None:
        """Writes a table of before anew, with the blocks of each version."""
        connection.exec_driver_sql("ALTER TABLE search RENAME TO before")
        words = f"words || array_to_tsvector({blocks_of('version_id')})"
        connection.exec_driver_sql(f"CREATE TABLE search AS SELECT version_id, {words} AS words FROM before")  # noqa: S608 - constants only
        connection.exec_driver_sql("DROP TABLE before")
        connection.exec_driver_sql("ALTER TABLE search ALTER words SET NOT NULL, ADD PRIMARY KEY (version_id)")
        connection.exec_driver_sql(_INDEX)

    def drop(self, connection: Connection, version_ids: Sequence[int]) -> None:
        """Forgets versions."""
        connection.execute(text("DELETE FROM search WHERE version_id = ANY(:ids)"), {"ids": list(version_ids)})

    def find(self, connection: Connection, query: Query | None, narrow: Narrow, limit: int) -> list[Hit]:
        """The newest so many articles that match, newest version first."""
        first = 0 if narrow.since is None else first_since(connection, narrow.since)
        newest = connection.execute(text("SELECT max(version_id) FROM search")).scalar()
        if first is None or newest is None:
            return []
        top = newest + 1 if narrow.below is None else min(newest + 1, narrow.below)
        # The planner knows nothing of a word that is in none of its statistics, and would read all articles for it, or
        # compile a query that takes a millisecond.
        for setting in ("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"):
            connection.execute(text(f"SET LOCAL {setting} = off"))
        return _Matches.of(query, narrow).newest(connection, first, top, limit)


@dataclass(frozen=True, slots=True)
class _Matches:
    """What matches a query: ``match`` with the facets, ``words`` without (None: no words), ``since`` as in Narrow."""

    match: str
    words: str | None
    since: float

    @classmethod
    def of(cls, query: Query | None, narrow: Narrow) -> _Matches:
        words = _tsquery(query) if query else None
        facets = [_lexeme(f"{name}:{value}") for name, value in narrow.facets.items()]
        since = float("-inf") if narrow.since is None else narrow.since
        return cls(" & ".join([*([words] if words else []), *facets]), words, since)

    def newest(self, connection: Connection, first: int, top: int, limit: int) -> list[Hit]:
        """The newest of the versions from ``first`` to before ``top``."""
        hits: list[Hit] = []
        begin, bits = top, _BLOCKS[0]
        while top > first and len(hits) < limit:
            if begin - top >= 4 << bits and bits < _BLOCKS[-1]:
                if bits == _BLOCKS[0] and self._are_few(connection):
                    return hits + self._within(connection, "", first, top, limit - len(hits))
                bits = _BLOCKS[_BLOCKS.index(bits) + 1]
            block = (top - 1) >> bits
            bottom = max(first, block << bits)
            hits += self._within(connection, f" & {_block(bits, block)}", bottom, top, limit - len(hits))
            top = bottom
        return hits

    def _are_few(self, connection: Connection) -> bool:
        query = "SELECT count(*) FROM (SELECT 1 FROM search WHERE words @@ CAST(:match AS tsquery) LIMIT :few) AS held"
        held = connection.execute(text(query), {"match": self.match, "few": _FEW + 1}).scalar_one()
        return bool(held <= _FEW)

    def _within(self, connection: Connection, block: str, first: int, top: int, limit: int) -> list[Hit]:
        # OFFSET 0 keeps the planner from looking for the matches otherwise than in the index of words. Ranking is for
        # those that are left.
        rank = "0.0" if self.words is None else "ts_rank(s.words, CAST(:words AS tsquery), 1)"
        sql = f"""
            SELECT newest.id, {rank}, newest.dated_at, newest.version_id
            FROM (
                SELECT a.id, a.dated_at, m.version_id
                FROM (SELECT version_id FROM search WHERE words @@ CAST(:match AS tsquery) OFFSET 0) m
                JOIN articles a ON a.version_id = m.version_id
                WHERE m.version_id >= :first AND m.version_id < :top AND a.dated_at >= :since
                ORDER BY m.version_id DESC LIMIT :limit
            ) newest JOIN search s ON s.version_id = newest.version_id
            ORDER BY newest.version_id DESC
        """  # noqa: S608 - constants only
        values: dict[str, Any] = {
            "match": self.match + block, "first": first, "top": top, "since": self.since, "limit": limit
        }  # fmt: skip
        values |= {"words": self.words} if self.words else {}
        return [Hit._make(row) for row in connection.execute(text(sql), values)]


def _vector(document: Document) -> str:
    """The vector in PostgreSQL's input form: 'word':1A,7 …"""
    places: dict[str, list[str]] = {}
    title = index_words(document.title)[:200]
    for place, word in enumerate(title, 1):
        places.setdefault(word, []).append(f"{place}A")
    room = 800_000  # bytes; a vector holds at most 1 MB
    # A gap keeps a phrase from running out of the title into the body.
    for place, word in enumerate(index_words(document.body), len(title) + 10):
        found = places.setdefault(word, [])
        if len(found) < 250:  # PostgreSQL keeps 256 places of a word
            found.append(str(place))
            room -= 4 + (len(word.encode()) if len(found) == 1 else 0)
        if room < 0:
            break
    parts = [f"{_lexeme(word)}:{','.join(at)}" for word, at in places.items()]
    parts += [_lexeme(f"{name}:{value}") for name, value in document.facets.items()]
    parts += [_block(bits, document.version_id >> bits) for bits in _BLOCKS]
    return " ".join(parts)


def blocks_of(version_id: str) -> str:
    """SQL: the words of the blocks of a version whose id is the value of an expression."""
    words = [f"'{bits}:' || (({version_id}) >> {bits})" for bits in _BLOCKS]
    return f"ARRAY[{', '.join(words)}]"


def _block(bits: int, number: int) -> str:
    return _lexeme(f"{bits}:{number}")


def _lexeme(word: str) -> str:
    return "'" + word[:200].replace("\\", "\\\\").replace("'", "''") + "'"


def _tsquery(query: Query) -> str:
    def term(term: Term) -> str:
        last = _lexeme(term.words[-1]) + (":*" if term.prefix else "")
        return "(" + " <-> ".join([*map(_lexeme, term.words[:-1]), last]) + ")"

    wanted = " & ".join(f"({' | '.join(map(term, terms))})" for terms in query.wanted)
    return "(" + wanted + "".join(f" & !{term(unwanted)}" for unwanted in query.unwanted) + ")"
