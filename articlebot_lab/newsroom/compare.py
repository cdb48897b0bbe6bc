"""How near an archived text is to the texts that an article really had."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_GRAM = 4
_SPACE = re.compile(r"\s+")


def units(text: str, language: str) -> list[str]:
    """The units that are compared: characters of Chinese, lower-case words of other languages."""
    return list(_SPACE.sub("", text)) if language == "zh" else text.lower().split()


def grams(text: str, language: str) -> Counter[tuple[str, ...]]:
    """The runs of four units and how often each occurs; a shorter text is one run."""
    parts = units(text, language)
    if len(parts) < _GRAM:
        return Counter([tuple(parts)] if parts else [])
    return Counter(zip(*(parts[at:] for at in range(_GRAM)), strict=False))


def f1(left: Counter[tuple[str, ...]], right: Counter[tuple[str, ...]]) -> float:
    """F1 of two multisets of runs, 0..1; two empty ones are equal."""
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


def same_title(left: str, right: str) -> bool:
    """Whether two titles are equal but for white space."""
    return _SPACE.sub(" ", left).strip() == _SPACE.sub(" ", right).strip()


def nearest_version(article: Mapping[str, Any], row: Mapping[str, Any], archived_at: float | None) -> tuple[int, float]:
    """Index and body F1 of the version that an archived row is a copy of.

    Only versions that existed when the row was archived are possible. Between versions of equal fit the title decides,
    then the later one.
    """
    language = article["language"]
    body = str(row.get("body") or "")
    found = grams(body, language)
    best = (-1.0, False, -1)
    for index, version in enumerate(article["versions"]):
        if index and archived_at is not None and version["at"] > archived_at + 0.5:
            break
        fit = 1.0 if body == version["body"] else f1(found, grams(version["body"], language))
        best = max(best, (round(fit, 6), same_title(str(row.get("title") or ""), version["title"]), index))
    return best[2], best[0]


def shows_edit(article: Mapping[str, Any], index: int, row: Mapping[str, Any]) -> bool:
    """Whether a row's text holds at least half of what version ``index`` brought."""
    language, versions = article["language"], article["versions"]
    brought = grams(versions[index]["body"], language) - grams(versions[index - 1]["body"], language)
    if not brought:
        return True
    found = grams(str(row.get("body") or ""), language)
    return (brought & found).total() * 2 >= brought.total()


def quantile(values: Sequence[float], share: float) -> float | None:
    """The value below which ``share`` (0..1) of the values lie, rounded to milliseconds; None of no values."""
    if not values:
        return None
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3)


def share(part: int, whole: int) -> float | None:
    """``part / whole`` to four digits; None of nothing."""
    return round(part / whole, 4) if whole else None
