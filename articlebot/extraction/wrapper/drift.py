"""Whether a wrapper still fits its site: trusted, doubted, learned again.

A pure state: what the last pages said is kept as a short history. One page, or two made to mislead, change nothing; a
wrapper is doubted when three of the last four pages do not fit, or lack the same names that all pages had which it was
learned from; while it is, generic extraction answers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Literal

from articlebot.errors import StateError

VERSION = 1
WINDOW = 12
RECENT = 4
DOUBT_FROM = 3  # of the recent pages that do not fit
CHECK_EVERY = 8
_FITS = 0.5
# Of the names that all pages of a layout have, those that pages of a change so small that the body's place stays the
# same lack again and again: 3 to 11% on 6 redesigns; on 19 sites without one, 2% in three of four pages on none.
_NAMES_SHARE = 0.025
_LEAST_NAMES = 6
_MOST_NAMES = 60
_MOST_TOLD = 600
RELEARN_AFTER = 3  # pages after a doubt: with those that made it, six of a new layout

Event = Literal["doubted", "recovered"]


@dataclass(frozen=True, slots=True)
class Drift:
    """The recent history of one site's wrapper.

    Attributes:
        history: 1.0 for a page that fitted, 0.0 for one that did not or whose body generic extraction contradicts; the
            newest last, at most 12.
        doubted_at: epoch seconds since when it is doubted, None while it is trusted.
        pages_since: article pages seen since it was learned or doubted.
        missing: of the last four pages that fitted, names of the layout that they lack, at most 60 each.
        told: names whose absence has made a doubt: it makes no second one.
    """

    history: tuple[float, ...] = ()
    doubted_at: float | None = None
    pages_since: int = 0
    missing: tuple[tuple[str, ...], ...] = ()
    told: tuple[str, ...] = ()

    @property
    def fit(self) -> float:
        """Mean of the history, 1.0 where there is none."""
        return sum(self.history) / len(self.history) if self.history else 1.0

    @property
    def check_due(self) -> bool:
        """Whether the next page is to be compared with generic extraction: now and then, and after a bad one."""
        return self.pages_since % CHECK_EVERY == 0 or (bool(self.history) and self.history[-1] < 1.0)

    @property
    def is_odd(self) -> bool:
        """Whether the last page did not fit, or lacked names of the layout."""
        return bool(self.history and self.history[-1] < _FITS) or bool(self.missing and self.missing[-1])

    def observe(
        self, fit: float, now: float, missing: Collection[str] = (), names: int = 0
    ) -> tuple[Drift, Event | None]:
        """The state after one article page, and what has changed by it.

        Args:
            fit: 0 (no template of the site's wrapper fits, or another body is right) to 1.
            now: epoch seconds.
            missing: the names of the layout that a page which fits lacks.
            names: how many the layout has.
        """
        history = (*self.history, min(1.0, max(0.0, fit)))[-WINDOW:]
        needed = max(_LEAST_NAMES, _NAMES_SHARE * names)
        new = set(missing).difference(self.told)
        kept = tuple(sorted(new)[:_MOST_NAMES]) if len(new) >= needed else ()
        lacked = (*self.missing, kept)[-RECENT:]
        state = replace(self, history=history, pages_since=self.pages_since + 1, missing=lacked)
        recent = history[-RECENT:]
        bad = sum(one < _FITS for one in recent)
        pages = Counter(name for page in lacked for name in page)
        gone = sorted(name for name, count in pages.items() if count >= DOUBT_FROM)
        changed = len(gone) >= min(needed, _MOST_NAMES)
        if state.doubted_at is None and (bad >= DOUBT_FROM or changed):
            told = (*self.told, *gone)[-_MOST_TOLD:]
            return replace(state, doubted_at=now, pages_since=0, missing=(), told=told), "doubted"
        if state.doubted_at is not None and state.pages_since >= RECENT and not bad:
            return replace(state, doubted_at=None, pages_since=0), "recovered"
        return state, None

    def to_json(self) -> str:
        """The state as JSON with its version."""
        return json.dumps({"version": VERSION, **asdict(self)})

    @classmethod
    def from_json(cls, text: str) -> Drift:
        """The state of a JSON text.

        Raises:
            StateError: another version or not what `to_json` writes.
        """
        try:
            data = json.loads(text)
            if data.pop("version") != VERSION:
                raise StateError("drift state of another version")
            data["history"] = tuple(float(x) for x in data["history"])
            data["told"] = tuple(map(str, data.get("told", ())))
            data["missing"] = tuple(tuple(map(str, names)) for names in data.get("missing", ()))
            return cls(**data)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"drift state cannot be read: {error}") from None


def learning_due(stored: int, rests_on: int, drift: Drift, *, min_pages: int) -> bool:
    """Whether a site's wrapper is to be learned (again).

    First with ``min_pages`` stored pages, then whenever they have doubled, unless the last page did not fit: what a new
    layout's first pages are is told before it is learned. Three pages after a doubt.

    Args:
        stored: article pages kept of the site.
        rests_on: pages the current wrapper was learned from, 0 without one.
    """
    if stored < min_pages:
        return False
    if rests_on == 0:
        return True
    if drift.doubted_at is not None:
        return drift.pages_since >= RELEARN_AFTER
    return stored >= 2 * rests_on and not drift.is_odd
