"""How fast a slot may be asked: learned from 429, 503 and Retry-After.

Two values are kept for a slot that refuses for haste. The *back-off* is a pause after a refusal; it ends with the first
good answers. The *gap* stays: no two pages of the slot start closer together. It doubles when it proves too short. Then
it shrinks in small steps (as congestion avoidance does; Chiu and Jain, Computer Networks 17, 1989), but not below the
gap that was refused. The refused gap itself is forgotten slowly.
"""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from articlebot.frontier.delays import DelayPolicy, Delays

logger = logging.getLogger(__name__)

# What a server says that is asked too often, or by too many.
REFUSALS = (429, 503)
# In a request's history, which counts towards quarantine all but these; ``lua/slots.lua`` knows it too.
TOO_SOON = "too soon: "
# A gap that is refused doubles. Where it was approached in small steps, a quarter is enough.
_DOUBLE, _QUARTER = 2.0, 1.25
_APPROACH = 0.97
# The gap stays a quarter above what was refused, and that fades by a thousandth a page: about 220 pages
# (ln 1.25 / 0.001) lie between two refusals of a server whose limit does not move.
_ABOVE_REFUSED, _FADE = 1.25, 0.999
# One Retry-After may lengthen the gap to four times of what it was, or to the two seconds that are usual anyway: a
# minute's pause is no pace.
_MOST_AT_ONCE, _USUAL_S = 4.0, 2.0
# Slower than a page a minute is a matter of pauses. Seconds.
_LONGEST_GAP = 60.0
# A slot that was not asked for longer than two usual delays and this had rested; a worker that is busy is late by less.
_RESTED_S = 2.0
_MOST_HOSTS = 10_000


class Pace(NamedTuple):
    """What a slot has shown of the rate that it bears, in seconds.

    Attributes:
        back_off: pause after the last refusal, 0 for none.
        gap: least time between the starts of two pages, 0 where none was learned.
        refused: the longest gap that was too short, as far as it is remembered.
        borne: the shortest gap that was not refused since the last refusal, 0 where there was none. What is refused at
            a gap that was borne before is refused for another cause than haste; each time this is trusted half as far.
    """

    back_off: float = 0.0
    gap: float = 0.0
    refused: float = 0.0
    borne: float = 0.0

    def dump(self) -> str:
        """The text that is stored; "0" for what need not be."""
        if not (self.back_off or self.gap):
            return "0"
        return " ".join(f"{number:.3f}" for number in self)

    @classmethod
    def load(cls, text: str | bytes | None) -> Pace:
        """The pace of a stored text; one number is a back-off alone, as earlier versions wrote it."""
        try:
            back_off, *learned = (text.decode() if isinstance(text, bytes) else text or "0").split()
            gap, refused, borne = learned or ("0", "0", "0")
            return cls(float(back_off), float(gap), float(refused), float(borne))
        except ValueError:
            return cls()


def pace_after(
    pace: Pace, status: int | None, retry_after: float | None, gap: float | None, policy: DelayPolicy
) -> Pace:
    """The slot's pace after an answer.

    Args:
        status: of the answer; None where there was none, which says nothing of haste.
        retry_after: seconds that the answer asks for. The back-off begins with them (with the policy's first step where
            there are none), doubles with each further refusal up to the policy's cap, and halves with each good answer
            until it is below half of the first step.
        gap: seconds between the starts of this page and of the one before in its slot; None where the slot had rested,
            so that a refusal cannot be for haste. Nor is it where the slot has just waited for its back-off.
    """
    if status is None:
        return pace
    if status in REFUSALS:
        first = policy.back_off if retry_after is None else retry_after
        back_off = min(policy.back_off_cap, max(first, 2 * pace.back_off))
        if gap is None or pace.back_off or 0.0 < pace.borne <= gap:
            return pace._replace(back_off=back_off, borne=min(_LONGEST_GAP, 2 * pace.borne))
        longer = gap * (_DOUBLE if gap < pace.borne / _DOUBLE or not pace.borne else _QUARTER)
        if retry_after is not None:
            longer = max(longer, min(retry_after, max(_MOST_AT_ONCE * gap, _USUAL_S), pace.borne or _LONGEST_GAP))
        return Pace(back_off, min(_LONGEST_GAP, max(longer, pace.gap)), min(_LONGEST_GAP, max(gap, pace.refused)))
    halved = pace.back_off / 2
    back_off = halved if halved >= policy.back_off / 2 else 0.0
    refused = _FADE * pace.refused
    closer = max(_APPROACH * pace.gap, _ABOVE_REFUSED * refused)
    if closer <= policy.least():
        closer = refused = 0.0  # no delay is that short
    borne = _LONGEST_GAP if gap is None else gap
    return Pace(back_off, closer, refused, min(borne, pace.borne or borne))


def is_too_soon(pace: Pace, status: int, reasons: list[str], patience: int) -> bool:
    """Whether a refused request is asked again when its slot has rested, rather than given up.

    A 429 speaks of the asker, never of the page. A 503 may be the page's own: it is when the host answered others
    between, and the page was refused so often.

    Args:
        pace: the slot's before this answer.
        reasons: why the request came back before.
        patience: how often it may come back for a 503.
    """
    return status == 429 or not pace.borne or sum(one == f"{TOO_SOON}{status}" for one in reasons) < patience


class Paces:
    """The paces of the hosts that a worker downloads from; Redis keeps what leased pages show.

    Args:
        delays: are told which gaps the hosts bear.
    """

    def __init__(self, delays: Delays) -> None:
        self._delays = delays
        self._starts: dict[str, float] = {}
        # What guests met, until a leased page of the host takes it along.
        self._of_guests: dict[str, Pace] = {}

    def told(self, host: str, pace: Pace) -> None:
        """What Redis keeps of a host."""
        self._delays.bear(host, max(pace, self._of_guests.get(host, pace)).gap)

    def of_leased(
        self, host: str, kept: Pace, started_at: float, *, status: int | None, retry_after: float | None,
        mean: float | None,
    ) -> Pace:  # fmt: skip
        """The pace after the download of a leased page.

        Args:
            kept: what Redis keeps.
            mean: delay that the page's job asks for, in seconds.
        """
        before = max(kept, self._of_guests.pop(host, kept))
        return self._after(host, before, started_at, status=status, retry_after=retry_after, mean=mean)

    def of_guest(self, host: str, started_at: float, status: int | None, retry_after: float | None) -> Pace:
        """The pace after another download, such as that of robots.txt or of a look at the site."""
        before = self._of_guests.pop(host, Pace())
        pace = self._after(host, before, started_at, status=status, retry_after=retry_after, mean=None)
        if pace.back_off or pace.gap:
            _keep(self._of_guests, host, pace)
        return pace

    def _after(
        self, host: str, before: Pace, started_at: float, *, status: int | None, retry_after: float | None,
        mean: float | None,
    ) -> Pace:  # fmt: skip
        last, usual = self._starts.pop(host, None), self._delays.usual(host, mean)
        _keep(self._starts, host, started_at)
        gap = usual if last is None else started_at - last
        policy = self._delays.policy
        pace = pace_after(before, status, retry_after, gap if gap <= 2 * usual + _RESTED_S else None, policy)
        self._delays.bear(host, pace.gap)
        if pace.gap > before.gap:
            logger.info("%s is asked too often: its pages start %.1f s apart from now on", host, pace.gap)
        return pace


def _keep(memory: dict[str, Any], host: str, value: Any) -> None:
    memory[host] = value
    if len(memory) > _MOST_HOSTS:
        del memory[next(iter(memory))]
