"""What was meant by words that no article has: words of the newest titles, authors and sources that are like them."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, select

from articlebot.archive import read, schema
from articlebot.archive.days import typed
from articlebot.archive.index import Narrow, index_of
from articlebot.archive.query import Query, index_words
from articlebot.errors import RefusedError
from articlebot.text import fold

# Titles among whose words the one that was meant is looked for: a tenth of a second, where nothing was found.
_TITLES = 2000
# Their words, 50 ms to cut, and the version up to which they are known.
_WORDS: WeakKeyDictionary[Engine, tuple[int, Collection[str]]] = WeakKeyDictionary()
# How like two words must be (difflib's ratio): a letter of four and two of seven may be others, nearly Elasticsearch's
# "AUTO" fuzziness (one of three to five, two of more); of characters one of three.
_LIKE, _LIKE_OF_OTHERS = 0.7, 0.6
# Who types more words that no article has, did not mistype.
_UNKNOWN = 3


def instead(connection: Connection, words: str, narrow: Narrow, now: float) -> str | None:
    """Words as they may have been meant; None where no word is unknown, none is like it, or that finds nothing."""
    index = index_of(connection)
    meant: list[str] = []
    known: Collection[str] | None = None
    unknown = 0
    for word, is_day in typed(words):
        meant.append(word)
        if is_day or word == "OR" or not (bare := word.strip('"*')) or word.startswith("-"):
            continue
        try:
            if index.find(connection, Query.parse(bare), Narrow(facets={}), 1):
                continue
        except RefusedError:
            continue
        known = _newest_words(connection) if known is None else known
        unknown += 1
        if unknown > _UNKNOWN:
            return None
        folded = fold(bare)
        if not (like := get_close_matches(folded, known, 1, _LIKE if folded.isascii() else _LIKE_OF_OTHERS)):
            return None
        meant[-1] = word.replace(bare, like[0])
    if known is None:
        return None
    found = " ".join(meant)
    return found if index.find(connection, Query.parse(found, now), narrow, 1) else None


def _newest_words(connection: Connection) -> Collection[str]:
    """The words of the newest titles, authors and sources; those of a hundredth may be missing."""
    at, words = _WORDS.get(connection.engine, (0, ()))
    last = read.last_version(connection)
    if not words or last - at > min(last, _TITLES) // 100:
        words = _words_of_titles(connection)
        _WORDS[connection.engine] = last, words
    return words


def _words_of_titles(connection: Connection) -> Collection[str]:
    table = schema.articles.c
    query = select(table.title, table.authors, table.source).order_by(table.dated_at.desc()).limit(_TITLES)
    rows = connection.execute(query)
    return {word for row in rows for text in (row.title, *row.authors, row.source or "") for word in index_words(text)}
