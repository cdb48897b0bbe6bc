"""Learns a job's base interval from how many of its rounds found an update (design E)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from articlebot.jobs.history import RoundRecord

KEEP_AT = 0.5
SHORTEN_AT = 0.9
LEAST_ROUNDS = 20
_LONGER, _SHORTER = 1.5, 0.67


class LearnedInterval(NamedTuple):
    """What was learned of one job.

    Attributes:
        interval: the new base interval in seconds.
        share: of the rounds that found an update, 0 to 1.
        rounds: how many there were.
        why: for people.
    """

    interval: float
    share: float
    rounds: int
    why: str


def learn_interval(rounds: Iterable[RoundRecord], base: float, low: float, high: float) -> LearnedInterval:
    """The next base interval: kept when at least half of the rounds found an update, else longer; shorter when nearly
    all did, since then updates are missed in between.

    Args:
        rounds: the job's since its interval was last learned; failed ones are left out.
        base: the interval so far, seconds.
        low, high: bounds, seconds.
    """
    answered = [record for record in rounds if record.fetched]
    count = len(answered)
    if count < LEAST_ROUNDS:
        return LearnedInterval(base, 0.0, count, f"{count} rounds are too few to learn from")
    share = sum(1 for record in answered if record.changed) / count
    if share >= SHORTEN_AT:
        factor, why = _SHORTER, "nearly all rounds found an update"
    elif share >= KEEP_AT:
        factor, why = 1.0, "at least half of the rounds found an update"
    else:
        factor, why = _LONGER, "less than half of the rounds found an update"
    return LearnedInterval(min(max(base * factor, low), high), share, count, f"{why} ({share:.0%} of {count})")
