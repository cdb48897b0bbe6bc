"""What one visit of a page found, as the policies see it."""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple

Outcome = Literal["changed", "unchanged", "not_modified", "failed", "gone"]


class Kind(enum.IntEnum):
    """What a page is for the recrawl: its kind decides what is gained by visiting it.

    A LIST page is visited for its new links. An ARTICLE is visited for corrections soon after its publication. A
    DOCUMENT (terms, timetables, reference pages) may change at any time of a long life.
    """

    LIST = 0
    ARTICLE = 1
    DOCUMENT = 2


class Observation(NamedTuple):
    """One visit. A named tuple because a million of them are made in a minute of simulation.

    Attributes:
        at: when the page was fetched, epoch seconds.
        outcome: ``changed`` by the configured rule (the first visit of a page counts as changed), ``unchanged``,
            ``not_modified`` (a 304, or a validator that decided before the fetch), ``failed`` (no answer, 5xx,
            refused), ``gone`` (404 or 410).
        kind: what the page turned out to be; overrides the kind in its state.
        new_items: for a list page, the links on it that were not there at the last visit; 1 for a change elsewhere.
        distance: SimHash distance to the last version, 0 to 64; None where there is none to compare with.
        modified_at: when the page says it was last modified (``article:modified_time``, JSON-LD, else Last-Modified),
            epoch seconds; None where it does not say or the site's statement is not trusted.
        content_hash: 64-bit hash of the normalised main text (of the set of article links on a list page), 0 unknown.
        fingerprint: 64-bit SimHash of the main text, 0 unknown.
        signals: bits of the signals of a change that came since the visit before, see ``signals``.
        published_at: when an article says that it appeared, epoch seconds; None where it does not say.
    """

    at: float
    outcome: Outcome
    kind: Kind = Kind.DOCUMENT
    new_items: int = 1
    distance: int | None = None
    modified_at: float | None = None
    content_hash: int = 0
    fingerprint: int = 0
    signals: int = 0
    published_at: float | None = None

    @property
    def last_change_at(self) -> float | None:
        """``modified_at``, no earlier than ``published_at``: there are servers that say 1970 of all their files."""
        if self.modified_at is None or self.published_at is None:
            return self.modified_at
        return max(self.modified_at, self.published_at)


def is_change(observation: Observation, rule: Literal["exact", "simhash"], threshold: int) -> bool:
    """Whether a visit counts as a change: by the exact hash, or by design A's SimHash distance above ``threshold``.

    Where the rule is ``simhash`` but no distance is known (list pages, a first visit), the outcome decides.
    """
    if observation.outcome != "changed":
        return False
    if rule == "simhash" and observation.distance is not None:
        return observation.distance > threshold
    return True
