"""Which sinks a version goes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What one sink wants; an empty tuple wants everything. Names may hold ``*`` and ``?``.

    Attributes:
        jobs, sites, categories, languages, kinds: names of which one must match; an article without a category or
            language matches only ``"-"`` or everything.
        roles: cluster roles; ``("single", "representative")`` sends one story once.
        events: ``new``, ``updated``, ``corrected``, ``withdrawn``.
    """

    jobs: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Whether a version's row matches."""
        return (
            _matches(self.jobs, row["job"])
            and _matches(self.sites, row["site"])
            and _matches(self.categories, row["category"])
            and _matches(self.languages, row["language"])
            and _matches(self.kinds, row["kind"])
            and _matches(self.roles, row["cluster_role"])
            and _matches(self.events, row["event"])
        )


def _matches(patterns: Sequence[str], value: str | None) -> bool:
    return not patterns or any(fnmatchcase("-" if value is None else value, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Routes:
    """The sinks of a version: those its job names, or all, as far as they want it.

    Attributes:
        rules: by sink.
    """

    rules: Mapping[str, Rule]

    def __call__(self, row: Mapping[str, Any]) -> Iterable[str]:
        """Names of the sinks, for ``archive.Archive(route=…)``."""
        named = row["sinks"] or self.rules
        return [name for name in named if name in self.rules and self.rules[name].wants(row)]
