"""What a job has learned of its URLs: how many pages of each shape were articles."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from articlebot.errors import StateError
from articlebot.extraction.urlshape import generalised, looks_like_article, shape

VERSION = 1
MAX_SHAPES = 2000
ARTICLE_KINDS = frozenset({"article", "video"})


def merge(into: dict[str, list[float]], counts: dict[str, list[float]]) -> None:
    """Adds counts by shape to others."""
    for name, (articles, others) in counts.items():
        known = into.setdefault(name, [0.0, 0.0])
        known[0] += articles
        known[1] += others


@dataclass(slots=True)
class Shapes:
    """What a job has learned of its URLs: for every shape, how many pages were articles and how many were not.

    Attributes:
        counts: all that is known.
        fresh: of these, what other workers were not told of.
    """

    counts: dict[str, list[float]] = field(default_factory=dict)
    fresh: dict[str, list[float]] = field(default_factory=dict, compare=False)

    def observe(self, url: str, kind: str, weight: float = 1.0) -> None:
        """Count one fetched page: its URL and the kind it turned out to be (a `PageKind` name or its value)."""
        column = 0 if kind in ARTICLE_KINDS else 1
        exact = shape(url)
        for name in {exact, "*" + generalised(exact)}:
            for counts in (self.counts, self.fresh):
                counts.setdefault(name, [0.0, 0.0])[column] += weight
        self._shed()

    def add(self, counts: dict[str, list[float]]) -> None:
        """Counts what was counted elsewhere."""
        merge(self.counts, counts)
        self._shed()

    def judge(self, url: str) -> float:
        """How likely the URL is an article, 0 to 1; `looks_like_article` where nothing was learned."""
        estimate = looks_like_article(url)
        if not estimate:
            return 0.0
        exact = shape(url)
        for name, strength in (("*" + generalised(exact), 4.0), (exact, 2.0)):
            articles, others = self.counts.get(name, (0.0, 0.0))
            estimate = (articles + strength * estimate) / (articles + others + strength)
        return estimate

    def _shed(self) -> None:
        """Halves a table that is full: shapes seen least go first. A site of endless parameters cannot fill memory."""
        if len(self.counts) > MAX_SHAPES:
            kept = sorted(self.counts.items(), key=lambda item: -sum(item[1]))[: MAX_SHAPES // 2]
            self.counts = dict(kept)
            self.fresh = {name: counts for name, counts in self.fresh.items() if name in self.counts}

    def to_json(self) -> str:
        """The counts as JSON with a version."""
        return json.dumps({"version": VERSION, "counts": self.counts}, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Shapes:
        """The counts read back.

        Raises:
            StateError: another version, or not what `to_json` writes.
        """
        try:
            state = json.loads(text)
            if state["version"] != VERSION:
                raise StateError(f"URL shapes of version {state['version']}, expected {VERSION}")
            counts = {str(k): [float(a), float(o)] for k, (a, o) in state["counts"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"URL shapes cannot be read: {error}") from None
        return cls(counts)
