"""One look at what is known of some articles: which placements each matches, and where it is to be kept.

All articles of a call are looked at together: their buckets are read in one round trip, the candidates' records in
another, and all pairs are compared in one go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from articlebot.config import Dedup
from articlebot.dedup.index import Found, Index, Numbers, among, search
from articlebot.dedup.minwise import Marks
from articlebot.dedup.records import Columns, Rows, tail
from articlebot.dedup.sketch import Kind, Overlaps, Sketch, compare_many
from articlebot.dedup.store import Coming, RedisClusters, Step
from articlebot.dedup.verification import Sites, are_duplicates, are_twins

_SHINGLES: tuple[Kind, ...] = ("words", "short")
_SIMHASH: tuple[Kind, ...] = ("simhash",)


@dataclass(frozen=True, slots=True)
class Arrival:
    """An article to be placed: page key, sketch, when it was fetched, and its site ("" where that is not known)."""

    key: int
    sketch: Sketch
    at: float
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Texts of a call with their candidates, the best first; ``others`` are rows of the records and then the texts."""

    texts: Numbers
    others: Numbers
    duplicate: Marks
    twin: Marks


@dataclass(frozen=True, slots=True)
class _Matches:
    """For each text that has any, what it is to be joined with; which are twins."""

    others: dict[int, list[int]]
    twins: set[int]


async def look(store: RedisClusters, index: Index, params: Dedup, arrivals: Sequence[Arrival]) -> Step:
    """How articles with different page keys are to be placed.

    Candidates are placements, and those articles of the call that come before and are kept in the index.
    """
    asked = index.ask([arrival.sketch.items for arrival in arrivals])
    reading = await store.read([arrival.key for arrival in arrivals], asked)
    found = search(index, asked, reading.lengths, reading.buckets, params.candidates)
    numbers = np.unique(np.concatenate((found.numbers, reading.placed.numbers)))
    rows = await store.rows(numbers)
    old = np.full(len(arrivals), -1)
    before = np.searchsorted(numbers, reading.placed.numbers)
    keys = np.array([arrival.key for arrival in arrivals], dtype=np.uint64)
    own = rows["key"][before] == keys[reading.placed.texts]
    old[reading.placed.texts[own]] = before[own]  # the last write stays, which is the latest placement

    texts, others = _candidates(found, among(index, asked), numbers)
    matches = _Matches({}, set())
    if len(texts):
        sources = await store.source_numbers([arrival.source for arrival in arrivals])
        sketches = [arrival.sketch for arrival in arrivals]
        table = Columns.of_rows(rows).then(Columns.of_sketches(sketches, [a.at for a in arrivals], sources))
        matches = _matches(_compared(texts, others, table, old, params), len(arrivals), len(numbers), params)
    return Step(reading.seen, asked, _coming(arrivals, matches, numbers, old), found.crowded)


def _candidates(found: Found, near: Found, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Each text with its candidates, the best first: placements and texts of the call, which are younger than these."""
    texts = np.concatenate((found.texts, near.texts))
    others = np.concatenate((np.searchsorted(numbers, found.numbers), near.numbers + len(numbers)))
    order = np.lexsort((-others, -np.concatenate((found.closeness, near.closeness)), texts))
    return texts[order], others[order]


def _compared(texts: Numbers, others: Numbers, table: Columns, old: Numbers, params: Dedup) -> _Pairs:
    mine = texts + len(table.at) - len(old)
    source = table.source[mine]
    # An article's own earlier version is no other page of its site.
    sites = Sites.of(np.where(others == old[texts], 0, source), table.source[others])
    age = table.at[mine] - table.at[others]
    duplicate, twin = np.zeros(len(texts), dtype=np.bool_), np.zeros(len(texts), dtype=np.bool_)
    wanted = table.there[others] & (np.abs(age) <= params.window)
    for kind, at, shared in _shared(mine, others, wanted, table, params):
        duplicate[at] = are_duplicates(kind, shared, sites.at(at), params)
        twin[at] = are_twins(kind, shared)
    # A twin that is half out of the window would leave the later ones unfound.
    twin &= duplicate & (age <= params.window / 2)
    return _Pairs(texts, others, duplicate, twin)


def _shared(
    one: Numbers, two: Numbers, wanted: Marks, table: Columns, params: Dedup
) -> Iterator[tuple[Kind, Numbers, Overlaps]]:
    """For each kind of text the wanted pairs of that kind, and their overlaps."""
    for kind in _SHINGLES if params.method == "shingles" else _SIMHASH:
        short = kind == "short"
        at = np.flatnonzero(wanted & (table.short[one] == short) & (table.short[two] == short))
        if len(at):
            a, b = one[at], two[at]
            yield kind, at, compare_many(kind, table.body[a], table.size[a], table.body[b], table.size[b])


def linked(rows: Rows, params: Dedup) -> Marks:
    """Which of some placements are near-duplicates of each other; the upper triangle of a table."""
    table, found = Columns.of_rows(rows), np.zeros((len(rows), len(rows)), dtype=np.bool_)
    one, two = np.triu_indices(len(rows), 1)
    sites = Sites.of(table.source[one], table.source[two])
    for kind, at, shared in _shared(one, two, np.ones(len(one), dtype=np.bool_), table, params):
        found[one[at], two[at]] = are_duplicates(kind, shared, sites.at(at), params)
    return found


def _matches(pairs: _Pairs, count: int, known: int, params: Dedup) -> _Matches:
    found = _Matches({}, set())
    starts = np.searchsorted(pairs.texts, np.arange(count + 1)).tolist()
    others, duplicate, twin = pairs.others.tolist(), pairs.duplicate.tolist(), pairs.twin.tolist()
    for text in np.unique(pairs.texts[pairs.duplicate]).tolist():
        # What finds a text of this call finds its twin too, which is not kept.
        kept = [pair for pair in range(starts[text], starts[text + 1]) if others[pair] - known not in found.twins]
        matches = [pair for pair in kept[: params.candidates] if duplicate[pair]]
        if any(twin[pair] for pair in matches):
            found.twins.add(text)
        found.others[text] = [others[pair] for pair in matches]
    return found


def _coming(arrivals: Sequence[Arrival], matches: _Matches, numbers: Numbers, old: Numbers) -> list[Coming]:
    known = len(numbers)
    coming = []
    for text, (arrival, before) in enumerate(zip(arrivals, old.tolist(), strict=True)):
        joined = matches.others.get(text, ())
        coming.append(
            Coming(
                arrival.key, int(arrival.at), arrival.source, tail(arrival.sketch),
                old=int(numbers[before]) if before >= 0 else 0,
                matched=[int(numbers[other]) for other in joined if other < known],
                earlier=[other - known for other in joined if other >= known], twin=text in matches.twins,
            )
        )  # fmt: skip
    return coming
