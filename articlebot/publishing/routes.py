"""Which sinks a version goes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

_COLUMNS = {
    "jobs": "job", "sites": "site", "categories": "category", "languages": "language", "kinds": "kind",
    "roles": "cluster_role", "events": "event",
}  # fmt: skip


class Rule(BaseModel):
    """What one sink wants; an empty tuple wants everything. Names may hold ``*`` and ``?``.

    An article without a category or language matches only ``"-"`` or everything. ``roles`` of ``("single",
    "representative")`` send one story once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    jobs: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Literal["article", "document", "video"], ...] = ()
    roles: tuple[Literal["single", "representative", "member"], ...] = ()
    events: tuple[Literal["new", "updated", "corrected", "withdrawn"], ...] = ()

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Whether a version's row matches."""
        return all(_matches(getattr(self, name), row[column]) for name, column in _COLUMNS.items())


def _matches(patterns: Sequence[str], value: str | None) -> bool:
    return not patterns or any(fnmatchcase("-" if value is None else value, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Routes:
    """The sinks of a version: those its job names, or all, as far as their rules want it."""

    rules: Mapping[str, Rule]

    def __call__(self, row: Mapping[str, Any]) -> Iterable[str]:
        """Names of the sinks, for ``archive.Archive(route=…)``."""
        named = row["sinks"] or self.rules
        return [name for name in named if name in self.rules and self.rules[name].wants(row)]
