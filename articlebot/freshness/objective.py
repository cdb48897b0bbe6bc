"""When an objective is missed: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
