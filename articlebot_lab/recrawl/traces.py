"""Real change histories to replay.

A trace is JSON: ``{name, kind: index|article|doc|synth|mixed, t0, t1, utcoffset, pages: {id: {birth, end|null,
changes: [epoch s, sorted], n?: [new items per change], ham?: [SimHash distance per change]}}}``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.observation import Kind

_KINDS = {"index": Kind.LIST, "article": Kind.ARTICLE, "doc": Kind.DOCUMENT, "synth": Kind.DOCUMENT}
_MIXED = {"idx": Kind.LIST, "art": Kind.ARTICLE, "doc": Kind.DOCUMENT}


@dataclass(frozen=True, slots=True)
class TracePage:
    """One page's history.

    Attributes:
        site: the part of the id before its last slash: pages of one site share what is learned.
        birth, end: when the page exists within the trace, epoch seconds.
        changes: when it changed, sorted; on a list page only where items were gained.
        items: new items per change (1 elsewhere than on list pages).
        distances: SimHash distance per change, None where not known.
    """

    id: str
    site: str
    kind: Kind
    birth: float
    end: float
    changes: tuple[float, ...]
    items: tuple[int, ...]
    distances: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Trace:
    """A set of pages over one span of time, ``t0`` to ``t1`` in epoch seconds."""

    name: str
    t0: float
    t1: float
    utcoffset: float
    mixed: bool
    pages: tuple[TracePage, ...]

    @classmethod
    def load(cls, path: Path) -> Trace:
        """The trace in a file.

        Raises:
            StateError: the file is not a trace; names it and what is missing.
        """
        try:
            raw = json.loads(path.read_text("utf-8"))
            mixed = raw["kind"] == "mixed"
            pages = [
                _page(name, page, raw, _MIXED[name.partition("/")[0]] if mixed else _KINDS[raw["kind"]])
                for name, page in raw["pages"].items()
            ]
            kept = tuple(page for page in pages if page.end > page.birth)
            return cls(
                str(raw["name"]), float(raw["t0"]), float(raw["t1"]), float(raw.get("utcoffset", 0)), mixed, kept
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"{path}: not a trace: {type(error).__name__}: {error}") from error


def _page(name: str, page: dict[str, Any], trace: dict[str, Any], kind: Kind) -> TracePage:
    birth = max(float(page["birth"]), float(trace["t0"]))
    end = float(trace["t1"] if page["end"] is None else min(page["end"], trace["t1"]))
    changes = page["changes"]
    items = page.get("n") or [1] * len(changes)
    distances = page.get("ham") or [None] * len(changes)
    if sorted(changes) != changes or not len(changes) == len(items) == len(distances):
        raise ValueError(f"page {name!r}: changes not sorted, or n or ham of another length")
    seen = [
        (float(at), count, distance)
        for at, count, distance in zip(changes, items, distances, strict=True)
        if birth < at <= end and count > 0
    ]
    return TracePage(
        name, name.rpartition("/")[0], kind, birth, end, tuple(at for at, _, _ in seen),
        tuple(int(count) for _, count, _ in seen),
        None if any(distance is None for _, _, distance in seen) else tuple(distance for _, _, distance in seen),
    )  # fmt: skip
