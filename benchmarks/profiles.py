"""Whose work a profile of cProfile shows: a library's time is that of who called it."""

from __future__ import annotations

import pstats
from collections import Counter
from pathlib import Path
from typing import Any

# The first that stands in a function's file; what is in none belongs to its callers.
_STAGES = (
    ("parse", ("articlebot/page/",)),
    ("read", ("articlebot/extraction/", "articlebot/runtime/reader")),
    ("redis", ("articlebot/frontier/", "articlebot/recrawl/store", "articlebot/dedup/store", "articlebot/connect")),
    ("database", ("articlebot/archive/", "articlebot/publishing/")),
    ("pipelines", ("articlebot/pipelines/", "articlebot/dedup/", "articlebot/classify/", "articlebot/recrawl/")),
    (
        "spider",
        (
            "articlebot/spiders/",
            "articlebot/visiting/",
            "articlebot/looks/",
            "articlebot/jobs/",
            "articlebot/sources/",
            "articlebot/twins/",
        ),
    ),
    ("fetch", ("articlebot/middlewares/", "/scrapy/core/", "/twisted/web/", "/twisted/internet/")),
)
_LEVELS = 12  # of callers that are gone up


def shares(profile: Path) -> dict[str, float]:
    """The share of each stage in the time of a profile's thread, waiting apart."""
    stats: dict[Any, Any] = pstats.Stats(str(profile)).stats  # type: ignore[attr-defined]
    own = {name: row[2] for name, row in stats.items() if not _waits(name)}
    found: Counter[str] = Counter()
    for _ in range(_LEVELS):
        above: Counter[Any] = Counter()
        for name, seconds in own.items():
            stage, callers = _stage(name), stats[name][4] if name in stats else {}
            if stage is not None or not callers:
                found[stage or "other"] += seconds
                continue
            whole = sum(row[3] for row in callers.values()) or 1.0
            for caller, row in callers.items():
                above[caller] += seconds * row[3] / whole
        own = dict(above)
    found["other"] += sum(own.values())
    return {name: round(seconds / found.total(), 3) for name, seconds in found.most_common()}


def _stage(name: tuple[str, int, str]) -> str | None:
    return next((stage for stage, parts in _STAGES if any(part in name[0] for part in parts)), None)


def _waits(name: tuple[str, int, str]) -> bool:
    return "poll" in name[2] or name[2] in (
        "<method 'acquire' of '_thread.lock' objects>",
        "<built-in method time.sleep>",
    )
