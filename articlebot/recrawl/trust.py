"""Whether a site's validators tell the truth, learned by checking now and then.

Design D asks length and last modification before it fetches. Here they are asked when the headers have come: that costs
no request more, and what a site states is believed only where it has proved true.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

from articlebot.errors import StateError
from articlebot.recrawl.record import Validators

Name = Literal["etag", "last_modified", "length"]
NAMES: tuple[Name, ...] = get_args(Name)
VERSION = 1
# A validator is believed while at most one change in twenty got past it; length is asked only after the others, since
# 9% of true edits of documents keep it exactly.
_BELIEVED = 0.95
_FADE = 0.98
_LEAST_CHECKS = 0.02
# Changes that must have been seen before the rate of checks has fallen to its least.
_CHECKED_ENOUGH = 10.0
# Until as much as one change was seen of a site, nothing says that it tells the truth: a round of visits that is queued
# at once would hide the edits of every page that is not a check.
_FIRST = 1.0


# Full answers that must have borne a statement out before it alone stops a download: with none wrong, it is wrong in
# fewer than one visit in three with a probability of .9 (.67^6 = .09), and checks go on.
_BORNE_OUT = 6.0
# So many unchanged pages with unchanged statements weigh as one change that was shown: they say less.
_UNCHANGED_PER_CHANGE = 4.0
# Without changes seen, checks become no rarer than one in five.
_MOST_OF_UNCHANGED = 6.0


class Asked(NamedTuple):
    """How a page is asked for.

    Attributes:
        send: validators of the conditional request; empty for a check, or where they are not believed.
        unless: statements with which its download is stopped, where the answer repeats them all; empty for none.
    """

    send: Validators = Validators()
    unless: Validators = Validators()


@dataclass(frozen=True, slots=True)
class Score:
    """Changes that a validator showed (``honest``) and hid (``lied``); old ones fade.

    ``same``: unchanged pages with an unchanged validator since it last lied.
    """

    honest: float = 0.0
    lied: float = 0.0
    same: float = 0.0

    @property
    def value(self) -> float:
        """Share of changes shown, 0 to 1; 1 while nothing is known."""
        seen = self.honest + self.lied
        return self.honest / seen if seen else 1.0

    @property
    def evidence(self) -> float:
        """What was seen of it, counted in changes."""
        return self.honest + self.lied + min(self.same / _UNCHANGED_PER_CHANGE, _MOST_OF_UNCHANGED)


@dataclass(frozen=True, slots=True)
class Trust:
    """What a site's ETag, Last-Modified and Content-Length are worth; immutable.

    A check is a visit without a conditional header that is downloaded whole. Only a check shows a change that a
    validator would have hidden.
    """

    etag: Score = Score()
    last_modified: Score = Score()
    length: Score = Score()

    def believes(self, name: Name) -> bool:
        """Whether a validator may decide that a page is unchanged."""
        score: Score = getattr(self, name)
        return score.value >= _BELIEVED

    def has_proved(self, name: Name) -> bool:
        """Whether a statement has been borne out often enough to stop a download by it."""
        score: Score = getattr(self, name)
        return self.believes(name) and score.honest + score.same >= _BORNE_OUT

    def asks(self, kept: Validators, rng: random.Random) -> Asked:
        """How to ask for a page whose last answer stated ``kept``.

        At first every visit is a check, then every other one, later one in fifty.
        """
        if rng.random() < self.check_share:
            return Asked()
        send = Validators(
            kept.etag if self.believes("etag") else None, kept.last_modified if self.believes("last_modified") else None
        )
        proved = any(getattr(kept, name) is not None and self.has_proved(name) for name in NAMES[:2])
        return Asked(send, kept if proved else Validators())

    @property
    def check_share(self) -> float:
        """Share of visits that check."""
        seen = max(self.etag.evidence, self.last_modified.evidence)
        if seen < _FIRST:
            return 1.0
        return max(_LEAST_CHECKS, 0.5 * (1.0 - seen / _CHECKED_ENOUGH))

    def checked(self, kept: Validators, offered: Validators, *, changed: bool) -> Trust:
        """The trust after a full answer.

        Args:
            kept: validators of the last visit.
            offered: those of this answer.
            changed: whether the content had changed. A validator that moves without a change costs a fetch and says
                nothing; one that stays with a change hides an edit.
        """
        updates = {}
        for name in NAMES:
            before, after = getattr(kept, name), getattr(offered, name)
            if before is None or after is None:
                continue
            score: Score = getattr(self, name)
            stays = before == after
            if changed:
                same = 0.0 if stays else score.same
                updates[name] = Score(_FADE * score.honest + (not stays), _FADE * score.lied + stays, same)
            elif stays:
                updates[name] = replace(score, same=score.same + 1.0)
        return replace(self, **updates) if updates else self

    def to_json(self) -> dict[str, Any]:
        """As JSON, versioned."""
        scores: dict[str, Score] = {name: getattr(self, name) for name in NAMES}
        kept = {n: [round(s.honest, 3), round(s.lied, 3), round(s.same, 3)] for n, s in scores.items()}
        return {"version": VERSION, **kept}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Trust:
        """The trust written by ``to_json``, or before unchanged pages were counted.

        Raises:
            StateError: of another version, or damaged.
        """
        try:
            if kept.get("version") != VERSION:
                raise StateError(f"validator trust of version {kept.get('version')!r}; this articlebot reads {VERSION}")
            return cls(**{name: _score(*kept[name]) for name in NAMES})
        except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
            raise StateError(f"validator trust is damaged: {error}") from None


def _score(honest: Any, lied: Any, same: Any = 0.0) -> Score:
    return Score(float(honest), float(lied), float(same))


def states_the_same(kept: Validators, offered: Validators) -> bool:
    """Whether an answer repeats all that the one before stated of the page; its length alone says too little.

    9% of true edits of documents keep it.
    """
    if kept.etag is None and kept.last_modified is None:
        return False
    if (kept.etag, kept.last_modified) != (offered.etag, offered.last_modified):
        return False
    return kept.length is None or offered.length is None or kept.length == offered.length
