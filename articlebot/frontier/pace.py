"""How fast a slot may be asked: learned from 429, 503 and Retry-After.

Two values are kept for a slot that refuses for haste. The *back-off* is a pause after a refusal; it ends with the first
good answers. The *gap* stays: no two pages of the slot start closer together. It doubles when it proves too short. Then
it shrinks in small steps (as congestion avoidance does; Chiu and Jain, Computer Networks 17, 1989), but not below the
gap that was refused. The refused gap itself is forgotten slowly.

Servers also answer 503 at random. These refusals come at gaps that were borne a moment before, and teach nothing. One
that comes at the shortest gap so far is a suspicion only: what was refused is tried again after some ten pages,
unless a second one confirms it. A 429 needs no confirmation. Refusals without a good answer between them are one: a
server in maintenance refuses whatever the gap is.

Many servers count pages: so many at once or in a minute, whatever lies between two of them. They refuse at gaps that
were borne, each time after about as many pages. What they bear then is the time from one refusal to the next, a page.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
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
# A suspicion fades by a twentieth a page and its gap by a tenth: what was refused is there again after 7 pages
# if it was doubled and after 14 if it was made four times as long; chosen by what `benchmarks.pace` prints.
_FADE_OF_SUSPICION, _APPROACH_OF_SUSPICION = 0.95, 0.9
# A gap that was borne and is refused now is trusted a quarter less: a limit that moves from 1.5 to 5 seconds is noticed
# at the sixth refusal (ln 3.3 / ln 1.25), while errors at random, among many good answers, move nothing.
_LESS_TRUST = 1.25
# One Retry-After, or refusals in a row, may lengthen the gap to four times of what it was, or to the two seconds that
# are usual anyway: a minute's pause is no pace.
_MOST_AT_ONCE, _USUAL_S = 4.0, 2.0
# Of one or two answers between refusals nothing is told: errors at random of a fifth of all pages come so.
_FEWEST_COUNTED = 3
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
        borne: the shortest gap that was not refused, 0 where there was none. What is refused at a gap that was borne
            before is refused for another cause than haste; each time this is trusted less far.
        sure: 1 where the gap was refused for haste beyond doubt, 0 where that is a suspicion.
        refusing_since: epoch time from which on all answers were refusals, 0 where the last one was none.
    """

    back_off: float = 0.0
    gap: float = 0.0
    refused: float = 0.0
    borne: float = 0.0
    sure: float = 0.0
    refusing_since: float = 0.0

    def dump(self) -> str:
        """The text that is stored; "0" for what need not be."""
        if not (self.back_off or self.gap):
            return "0"
        return " ".join(f"{number:.3f}" for number in self)

    @classmethod
    def load(cls, text: str | bytes | None) -> Pace:
        """The pace of a stored text; earlier versions wrote the back-off alone, or the first four."""
        try:
            back_off, *learned = (text.decode() if isinstance(text, bytes) else text or "0").split()
            if len(learned) not in (0, 3, 5):
                return cls()
            return cls(float(back_off), *map(float, learned))
        except ValueError:
            return cls()


def pace_after(
    pace: Pace, status: int | None, retry_after: float | None, gap: float | None, policy: DelayPolicy,
    *, sustained: float = 0.0,
) -> Pace:  # fmt: skip
    """The slot's pace after an answer.

    Args:
        status: of the answer; None where there was none, which says nothing of haste.
        retry_after: seconds that the answer asks for. The back-off begins with them (with the policy's first step where
            there are none), doubles with each further refusal up to the policy's cap, and halves with each good answer
            until it is below half of the first step.
        gap: seconds between the starts of this page and of the one before in its slot; None where the slot had rested,
            so that a refusal cannot be for haste.
        sustained: seconds a page that the slot has borne from one refusal to the next, pauses among them, where it
            refused after as many pages as the time before; 0 where it did not.
    """
    if status is None:
        return pace
    if status in REFUSALS:
        first = policy.back_off if retry_after is None else retry_after
        back_off = min(policy.back_off_cap, max(first, 2 * pace.back_off))
        if gap is not None and not pace.refusing_since and 0.0 < pace.borne <= gap < sustained / _QUARTER:
            longer = min(_LONGEST_GAP, max(pace.gap, min(sustained, _QUARTER * gap) if pace.sure else sustained))
            return Pace(back_off, longer, min(_LONGEST_GAP, max(gap, pace.refused)), pace.borne, 1.0)
        # Of a host that has borne nothing yet, refusals behind a back-off are those of an outage.
        if gap is None or 0.0 < pace.borne <= gap or (pace.back_off and not pace.borne):
            borne, sure = min(_LONGEST_GAP, _LESS_TRUST * pace.borne), pace.sure if status == 429 else 0.0
            return pace._replace(back_off=back_off, borne=borne, sure=sure)
        longer = gap * (_DOUBLE if gap < pace.borne / _DOUBLE or not pace.borne else _QUARTER)
        if retry_after is not None:
            longer = max(longer, min(retry_after, max(_MOST_AT_ONCE * gap, _USUAL_S), pace.borne or _LONGEST_GAP))
        longer = min(_LONGEST_GAP, max(longer, pace.gap))
        if pace.refusing_since:
            most = pace.gap if pace.sure else max(pace.gap, _MOST_AT_ONCE * pace.refused, _USUAL_S)
            return pace._replace(back_off=back_off, gap=min(longer, most))
        refused, sure = min(_LONGEST_GAP, max(gap, pace.refused)), float(status == 429 or pace.refused > 0.0)
        return Pace(back_off, longer, refused, pace.borne, sure, pace.refusing_since)
    halved = pace.back_off / 2
    back_off = halved if halved >= policy.back_off / 2 else 0.0
    refused = (_FADE if pace.sure else _FADE_OF_SUSPICION) * pace.refused
    closer = max((_APPROACH if pace.sure else _APPROACH_OF_SUSPICION) * pace.gap, _ABOVE_REFUSED * refused)
    if closer <= policy.least():
        closer = refused = 0.0  # no delay is that short
    borne = _LONGEST_GAP if gap is None else gap
    return Pace(back_off, closer, refused, min(borne, pace.borne or borne), pace.sure if closer else 0.0)


def is_too_soon(pace: Pace, status: int, tries: Iterable[tuple[float, str, str]], patience: int) -> bool:
    """Whether a refused request is asked again when its slot has rested, rather than given up.

    A 429 speaks of the asker, never of the page. A 503 may be the page's own: it is when the page was refused so often,
    and the host answered others meanwhile.

    Args:
        pace: the slot's before this answer.
        tries: when the request came back before, from which worker, and why.
        patience: how often it may come back for a 503.
    """
    refused_at = [at for at, _, reason in tries if reason == f"{TOO_SOON}{status}"]
    nobody_answered = 0.0 < pace.refusing_since <= min(refused_at, default=math.inf)
    return status == 429 or nobody_answered or len(refused_at) < patience


class _Last(NamedTuple):
    """What a worker remembers of a host; Redis keeps ``borne`` too, beside a refusal.

    Attributes:
        started_at: when its last page started.
        borne: the shortest gap that it bore.
        spent, answered: seconds and answers since it refused a page.
        former: answers between the two refusals before, 0 where there were none.
    """

    started_at: float = -math.inf
    borne: float = 0.0
    spent: float = 0.0
    answered: int = 0
    former: int = 0

    def sustained(self) -> float:
        """Seconds a page since the last refusal, where it came after about as many pages as this one; else 0.

        So refuse servers that count: so many pages at once, or in a minute. Errors at random are seldom so regular.
        """
        regular = self.answered >= _FEWEST_COUNTED and abs(self.answered - self.former) <= 1 + self.former // 8
        return self.spent / self.answered if regular else 0.0

    def after(self, status: int | None) -> _Last:
        if status in REFUSALS:  # those in a row are one
            return self._replace(spent=0.0, answered=0, former=self.answered) if self.answered else self
        return self if status is None else self._replace(answered=self.answered + 1)


class Paces:
    """The paces of the hosts that a worker downloads from; Redis keeps what leased pages show.

    Args:
        delays: are told which gaps the hosts bear.
    """

    def __init__(self, delays: Delays) -> None:
        self._delays = delays
        self._last: dict[str, _Last] = {}
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

    def of_guest(
        self, host: str, started_at: float, status: int | None, retry_after: float | None, *, rationed: bool = True
    ) -> Pace:
        """The pace after another download, such as that of robots.txt or of a look at the site.

        Args:
            rationed: false where servers answer from disk, and refuse nobody, however strict they are with pages: what
                robots.txt bears says nothing of these.
        """
        if not rationed and status not in REFUSALS:
            _keep(self._last, host, self._last.get(host, _Last())._replace(started_at=started_at))
            return self._of_guests.get(host, Pace())
        before = self._of_guests.pop(host, Pace())
        pace = self._after(host, before, started_at, status=status, retry_after=retry_after, mean=None)
        if pace.back_off or pace.gap:
            _keep(self._of_guests, host, pace)
        return pace

    def _after(
        self, host: str, before: Pace, started_at: float, *, status: int | None, retry_after: float | None,
        mean: float | None,
    ) -> Pace:  # fmt: skip
        usual, policy = self._delays.usual(host, mean), self._delays.policy
        last = self._last.pop(host, _Last())
        gap = started_at - last.started_at
        known = before._replace(borne=before.borne or last.borne)
        rested = gap > 2 * usual + _RESTED_S
        last = last._replace(spent=last.spent + gap) if gap <= before.back_off + 2 * usual + _RESTED_S else _Last()
        pace = pace_after(known, status, retry_after, None if rested else gap, policy, sustained=last.sustained())
        if status in REFUSALS and not before.refusing_since:
            pace = pace._replace(refusing_since=started_at)
        _keep(self._last, host, last.after(status)._replace(started_at=started_at, borne=pace.borne))
        self._delays.bear(host, pace.gap)
        if pace.gap > before.gap:
            logger.info("%s is asked too often: its pages start %.1f s apart from now on", host, pace.gap)
        return pace


def _keep(memory: dict[str, Any], host: str, value: Any) -> None:
    memory[host] = value
    if len(memory) > _MOST_HOSTS:
        del memory[next(iter(memory))]
