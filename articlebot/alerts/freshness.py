"""Objectives of freshness: what a job keeps, as the archive knows it, and when that is too little."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from articlebot.alerts.store import Alert
from articlebot.archive import schema
from articlebot.archive.engine import reading
from articlebot.errors import StateError

# Older dates than this are not lateness but an old article found.
_OLDEST_S = 7 * 86400.0
# Articles in the window below which nothing is told: of fewer, one is more than what 95% leave out.
LEAST = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """How many articles of a job were measured, and within how many seconds from their publication 95% of them were
    archived (None without any)."""

    articles: int
    p95_s: float | None


@dataclass(frozen=True, slots=True)
class Objective:
    """A job's objective and how it stands: what 95% of the articles have to keep, what they kept (None without any),
    and since when it is missed or kept."""

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


def percentile(delays: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile; None of nothing."""
    if not delays:
        return None
    return sorted(delays)[max(0, math.ceil(share * len(delays)) - 1)]


def is_breached(measured: Measured, objective_s: float) -> bool | None:
    """Whether the objective is missed; None where too few articles do not tell."""
    if measured.p95_s is None or measured.articles < LEAST:
        return None
    return measured.p95_s > objective_s


def measure(engine: Engine, job: str, now: float, window_s: float) -> Measured:
    """The freshness of a job's articles that were archived in the last ``window_s`` seconds.

    Left out are articles published before the job's first one was archived (a first crawl finds old ones), and those of
    which only the day is known.

    Raises:
        StoreUnavailable: the database is away.
    """
    articles = schema.articles.c
    begun = select(func.min(articles.first_archived_at)).where(articles.job == job).scalar_subquery()
    wanted = select(articles.published, articles.published_at, articles.first_archived_at).where(
        articles.job == job,
        articles.first_archived_at > now - window_s,
        articles.published_at.is_not(None),
        articles.dated_at >= now - window_s - _OLDEST_S,
        articles.dated_at >= begun,
    )
    with reading(engine) as connection:
        rows = connection.execute(wanted).all()
    delays = [max(0.0, archived - published) for text, published, archived in rows if not _is_day(text)]
    return Measured(len(delays), percentile(delays, 0.95))


def _is_day(published: str | None) -> bool:
    return published is not None and (len(published) <= 10 or published[10:16] == "T00:00")
