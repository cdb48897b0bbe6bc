"""Several rankings made one: reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from articlebot.urls import canonical_or_none, page_key


@dataclass(frozen=True, slots=True)
class Result:
    """One result of one engine."""

    url: str
    title: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Fused:
    """One result of all engines.

    Attributes:
        url: canonical.
        score: sum of 1 / (k + rank) over the engines that found it.
        ranks: its rank, from 1, by engine.
    """

    url: str
    title: str
    snippet: str
    score: float
    ranks: dict[str, int]


def fuse(rankings: Mapping[str, Sequence[Result]], *, k: float = 60.0, limit: int | None = None) -> list[Fused]:
    """The results of all engines, best first, each page once (Cormack, Clarke and Büttcher, SIGIR 2009, whose k it is).

    The order depends on ranks alone, so engines need not agree on what a score means. A page that an engine names twice
    counts at its better rank; what is no http or https address takes no rank.
    """
    ranks: dict[int, dict[str, int]] = {}
    firsts: dict[int, Result] = {}
    for engine, results in rankings.items():
        rank = 0
        for result in results:
            if (url := canonical_or_none(result.url)) is None:
                continue
            key = page_key(url)
            known = ranks.setdefault(key, {})
            if engine in known:
                continue
            rank += 1
            known[engine] = rank
            before = firsts.get(key)
            if before is None or (not before.title and result.title):
                firsts[key] = Result(url, result.title, result.snippet)
    fused = [
        Fused(first.url, first.title, first.snippet, sum(1.0 / (k + rank) for rank in ranks[key].values()), ranks[key])
        for key, first in firsts.items()
    ]
    fused.sort(key=lambda one: (-one.score, min(one.ranks.values()), one.url))
    return fused[:limit]
