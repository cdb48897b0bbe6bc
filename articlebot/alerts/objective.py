"""When an objective is missed: pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from articlebot.alerts.store import Alert
from articlebot.errors import StateError

SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Measured:
    """How fresh a job was.

    Args:
        articles: how many were measured.
        p95_s: seconds from publication to archive within which 95% of them came; None without any.
    """

    articles: int
    p95_s: float | None


@dataclass(frozen=True, slots=True)
class Objective:
    """A job's objective and how it stands.

    Args:
        job: its name.
        at: when it was last looked at, epoch seconds.
        objective_s: what 95% of the articles have to keep.
        p95_s: what they kept; None without articles.
        articles: how many were measured.
        breached: whether it is missed.
        since: since when that is so.
    """

    job: str
    at: float
    objective_s: float
    p95_s: float | None
    articles: int
    breached: bool
    since: float


def objectives(alerts: Iterable[Alert]) -> list[Objective]:
    """The objectives among what is watched.

    Raises:
        StateError: one cannot be read.
    """
    try:
        return [
            Objective(
                one.about, one.at, float(one.data["objective_s"]), one.data["p95_s"], int(one.data["articles"]),
                one.open, one.since,
            )
            for one in alerts
            if one.kind == "freshness"
        ]  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(f"the alerts in Redis cannot be read: {type(error).__name__}") from None


def percentile(delays: Sequence[float], share: float = SHARE) -> float | None:
    """The nearest-rank percentile; None of nothing."""
    if not delays:
        return None
    return sorted(delays)[max(0, math.ceil(share * len(delays)) - 1)]


def is_breached(measured: Measured, objective_s: float, least: int) -> bool | None:
    """Whether the objective is missed; None where fewer than ``least`` articles do not tell."""
    if measured.p95_s is None or measured.articles < least:
        return None
    return measured.p95_s > objective_s
