"""Near-duplicates among edited versions: what editors make of a report, among what merely looks like it.

    python -m benchmarks.neardup_versions [--corpus FOLDER] [--half report|tune|all] [--languages zh en]

The texts are the articles of ``benchmarks.neardup_hard``, whose halves share no site and no article. Made of them by
seed, each article for one purpose only:

``version``  an original and two versions of it (the only near-duplicates), with one or two edits each. Each half has
             edits of its own. ``tune``: words exchanged, clauses in another order, half of the sentences taken out and
             the rest in another order, another beginning. ``report``: sentences shortened by their clauses, cut to 50
             to 85%, a piece of another report joined to it, numbers and a fifth of the sentences new. In all of them
             some words are exchanged; commoner words are exchanged more often than rare ones, names and numbers never.
``event``    another report of the same event: an article with the names, rare words and numbers of another one
``formula``  texts of one vocabulary, as court judgments and weather reports are: six of each article, with two thirds
             of its words, by threes in any order
``issues``, ``boilerplate``, ``quoting``, ``digest``  as in ``benchmarks.neardup_hard``

Prints JSON, two rows a language, with sites known and not: precision, recall and F1 over all pairs, the wrong pairs by
what they come from, and the share of missed pairs by the edits of the later version.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from articlebot.config import Dedup
from articlebot.text import segment
from benchmarks import neardup_hard
from benchmarks.edits import EDITS, Stock, is_telling
from benchmarks.neardup import Text, clusters, score
from benchmarks.neardup_hard import Made, articles, boilerplate, digests, issues, quoted, wrong_pairs

_ANY_WORD = re.compile(r"\w+")
_SHARES = {
    "version": 0.5, "event": 0.16, "formula": 0.04, "issues": 0.05, "boilerplate": 0.1, "quoting": 0.1, "digest": 0.05,
}  # fmt: skip


def versions(part: Sequence[str], stock: Stock, half: str) -> list[tuple[Made, str]]:
    """Originals with two versions each, and the edits of each."""
    found = []
    edits = EDITS.get(half) or [*EDITS["tune"], *EDITS["report"]]
    for number, text in enumerate(part):
        found.append((Made(Text(text, f"version {number}"), "version"), ""))
        for _ in range(2):
            chosen = stock.rng.sample(edits, stock.rng.choice([1, 1, 1, 2, 2]))
            version = stock.exchanged(text, stock.rng.uniform(0, 0.08))
            for edit in chosen:
                version = edit(version, stock)
            if len(segment(version)) >= 45:
                names = " ".join(sorted(edit.__name__[1:] for edit in chosen))
                found.append((Made(Text(version, f"version {number}"), "version"), names))
    return found


def events(part: Sequence[str], stock: Stock) -> list[Made]:
    """Articles, and others with half of their names, rare words and numbers from these."""
    found = []
    for number in range(0, len(part) - 1, 2):
        text, other = part[number : number + 2]
        telling = [word for word in segment(text) if is_telling(word)] or ["-"]

        def run(match: re.Match[str], telling: Sequence[str] = telling) -> str:
            words = segment(match[0]) or [match[0]]
            return "".join(
                stock.rng.choice(telling) if is_telling(w) and stock.rng.random() < 0.5 else w for w in words
            )

        found.append(Made(Text(text, f"event {number}"), "event"))
        found.append(Made(Text(_ANY_WORD.sub(run, other), f"event of {number}"), "event"))
    return found


def formulas(part: Sequence[str], stock: Stock) -> list[Made]:
    """Texts that share words and phrases, and no sentence."""
    found = []
    for number, text in enumerate(part):
        words = segment(text)
        for issue in range(6):
            own = stock.rng.choices(stock.names, k=len(words))
            mixed = [word if stock.rng.random() < 0.66 else other for word, other in zip(words, own, strict=True)]
            phrases = [" ".join(mixed[at : at + 3]) for at in range(0, len(mixed), 3)]
            stock.rng.shuffle(phrases)
            found.append(Made(Text(" ".join(phrases), f"formula {number} {issue}"), "formula"))
    return found


def made(folder: Path, language: str, half: str) -> list[tuple[Made, str]]:
    """All texts of a language, each version with its edits."""
    rng = random.Random(31)
    texts = articles(folder, language, half)
    rng.shuffle(texts)
    stock = Stock(texts, rng)
    found, start = [], 0
    for kind, share in _SHARES.items():
        part = texts[start : start + round(share * len(texts))]
        start += len(part)
        if kind == "version":
            found += versions(part, stock, half)
        else:
            found += [(other, "") for other in _MAKERS[kind](part, stock)]
    return found


_MAKERS: dict[str, Callable[[Sequence[str], Stock], list[Made]]] = {
    "event": events,
    "formula": formulas,
    "issues": lambda part, stock: issues(part, stock.names, stock.rng),
    "boilerplate": lambda part, stock: boilerplate(part, stock.names, stock.rng),
    "quoting": lambda part, stock: quoted(part, stock.names, stock.rng),
    "digest": lambda part, stock: digests(part, stock.names, stock.rng),
}


def missed(texts: Sequence[tuple[Made, str]], found: Sequence[str]) -> dict[str, float]:
    """For each edit, the share of its versions that are in another cluster than their original."""
    cases: dict[str, list[bool]] = defaultdict(list)
    original = ""
    for (_, edits), cluster in zip(texts, found, strict=True):
        original = original if edits else cluster
        for edit in edits.split():
            cases[edit].append(cluster != original)
    return {edit: round(sum(cases[edit]) / len(cases[edit]), 3) for edit in sorted(cases)}


async def measure(url: str, folder: Path, language: str, half: str, sites: bool) -> dict[str, Any]:
    """The row of a language; ``sites``: whether it is known which pages are of one site."""
    texts = made(folder, language, half)
    plain = [one.text for one, _ in texts]
    # In a crawl each page is of some site: what is of none that was made up is of its own.
    sources = [one.source or f"own {number}" for number, (one, _) in enumerate(texts)]
    found, _ = await clusters(url, plain, Dedup(), sources if sites else ())
    return {
        "language": language, "half": half, "sites_known": sites, "kinds": dict(Counter(one.kind for one, _ in texts)),
        **score(plain, found), "wrong_pairs": wrong_pairs([one for one, _ in texts], found),
        "missed": missed(texts, found),
    }  # fmt: skip


if __name__ == "__main__":
    neardup_hard.main(__doc__, measure)
