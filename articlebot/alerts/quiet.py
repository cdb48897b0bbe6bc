"""Jobs from which nothing new has come for much longer than usual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import Engine, func, select

from articlebot.archive import schema
from articlebot.archive.engine import reading

# In days: what the usual is told from, the least of it that has to be there (a weekend is among it), and the shortest
# silence that is told.
_LOOKED_AT, _KNOWN_FOR, _LEAST = 28.0, 7.0, 1.0
# With gaps that follow no pattern (exponential) the next is longer than twice the longest of n with the probability
# 2 / ((n + 1)(n + 2)): 0.4% at 20 gaps, 0.02% at 100. Fewer than 20 do not tell.
_TIMES, _GAPS = 2.0, 20
_MOST_READ = 5000


@dataclass(frozen=True, slots=True)
class Silence:
    """A job's silence and the longest one before it, seconds."""

    silent_s: float
    longest_s: float


def is_quiet(times: Iterable[float], now: float, day_s: float = 86400.0) -> Silence | None:
    """The silence, where it is longer than a day and than twice the longest of the last 28 days; else None.

    Nothing is told of a job with fewer than 20 gaps, or that has published for less than a week.

    Args:
        times: when each of its articles was archived, epoch seconds.
        now: epoch seconds.
        day_s: seconds of a day; less where time is simulated.
    """
    known = sorted(times)
    if len(known) <= _GAPS or known[-1] - known[0] < _KNOWN_FOR * day_s:
        return None
    longest, silent = max(after - before for before, after in pairwise(known)), now - known[-1]
    if silent < _LEAST * day_s or silent <= _TIMES * longest:
        return None
    return Silence(silent, longest)


def silent_jobs(engine: Engine, now: float, day_s: float = 86400.0) -> dict[str, Silence]:
    """The jobs that are quiet; one look over the articles of 28 days, and one for each job that is silent for a day.

    Raises:
        StoreUnavailable: the database is away.
    """
    articles = schema.articles.c
    newest = func.max(articles.first_archived_at)
    # Twice the longest gap fits into what is looked at once more.
    since = now - 2 * _LOOKED_AT * day_s
    silent = (
        select(articles.job, newest)
        .where(articles.archived_at > since, articles.first_archived_at > since)
        .group_by(articles.job)
        .having(newest < now - _LEAST * day_s, func.count() > _GAPS)
    )
    found = {}
    with reading(engine) as connection:
        for job, last in connection.execute(silent).all():
            of_job = (
                select(articles.first_archived_at)
                .where(articles.job == job, articles.first_archived_at > last - _LOOKED_AT * day_s)
                .order_by(articles.first_archived_at.desc())
                .limit(_MOST_READ)
            )
            silence = is_quiet(connection.execute(of_job).scalars(), now, day_s)
            if silence is not None:
                found[job] = silence
    return found


def published_since(engine: Engine, since: Mapping[str, float]) -> list[str]:
    """The jobs of which an article was archived after their time (epoch seconds).

    Raises:
        StoreUnavailable: the database is away.
    """
    articles = schema.articles.c
    with reading(engine) as connection:
        return [
            job
            for job, at in since.items()
            if connection.execute(
                select(articles.page_key)
                .where(articles.job == job, articles.archived_at > at, articles.first_archived_at > at)
                .limit(1)
            ).first()
        ]
