"""Whether a site's validators tell the truth, learned by checking now and then."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from articlebot.errors import StateError
from articlebot.recrawl.record import Validators

Name = Literal["etag", "last_modified", "length"]
NAMES: tuple[Name, ...] = ("etag", "last_modified", "length")
VERSION = 1
# A validator is believed while at most one change in twenty got past it; length is asked only after the others, since
# 9% of true edits of documents keep it exactly.
_BELIEVED = 0.95
_FADE = 0.98
_LEAST_CHECKS = 0.02
# Changes that must have been seen before the rate of checks has fallen to its least.
_CHECKED_ENOUGH = 10.0


@dataclass(frozen=True, slots=True)
class Score:
    """Changes that a validator showed (``honest``) and hid (``lied``); old ones fade."""

    honest: float = 0.0
    lied: float = 0.0

    @property
    def value(self) -> float:
        """Share of changes shown, 0 to 1; 1 while nothing is known."""
        seen = self.honest + self.lied
        return self.honest / seen if seen else 1.0


@dataclass(frozen=True, slots=True)
class Trust:
    """What a site's ETag, Last-Modified and Content-Length are worth; immutable.

    A check is a visit without a conditional header. Only a check shows a change that a validator would have hidden.
    """

    etag: Score = Score()
    last_modified: Score = Score()
    length: Score = Score()

    def believes(self, name: Name) -> bool:
        """Whether a validator may decide that a page is unchanged."""
        score: Score = getattr(self, name)
        return score.value >= _BELIEVED

    def conditional(self, kept: Validators, rng: random.Random) -> Validators:
        """The validators to send with a request; empty ones for a check.

        At first every other visit is a check, later one in fifty.
        """
        if rng.random() < self.check_share:
            return Validators()
        return Validators(
            kept.etag if self.believes("etag") else None, kept.last_modified if self.believes("last_modified") else None
        )

    @property
    def check_share(self) -> float:
        """Share of visits that check."""
        seen = max(self.etag.honest + self.etag.lied, self.last_modified.honest + self.last_modified.lied)
        return max(_LEAST_CHECKS, 0.5 * (1.0 - seen / _CHECKED_ENOUGH))

    def checked(self, kept: Validators, offered: Validators, *, changed: bool) -> Trust:
        """The trust after a full answer to a request without conditions.

        Args:
            kept: validators of the last visit.
            offered: those of this answer.
            changed: whether the content had changed. Only changes teach: a validator that moves without one costs a
                fetch, a validator that stays with one hides an edit.
        """
        if not changed:
            return self
        updates = {}
        for name in NAMES:
            before, after = getattr(kept, name), getattr(offered, name)
            if before is None or after is None:
                continue
            score: Score = getattr(self, name)
            hid = before == after
            updates[name] = Score(_FADE * score.honest + (not hid), _FADE * score.lied + hid)
        return replace(self, **updates)

    def to_json(self) -> dict[str, Any]:
        """As JSON, versioned."""
        scores = {name: getattr(self, name) for name in NAMES}
        return {"version": VERSION, **{n: [round(s.honest, 3), round(s.lied, 3)] for n, s in scores.items()}}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Trust:
        """The trust written by ``to_json``.

        Raises:
            StateError: of another version, or damaged.
        """
        try:
            if kept.get("version") != VERSION:
                raise StateError(f"validator trust of version {kept.get('version')!r}; this articlebot reads {VERSION}")
            return cls(**{name: Score(float(kept[name][0]), float(kept[name][1])) for name in NAMES})
        except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
            raise StateError(f"validator trust is damaged: {error}") from None
