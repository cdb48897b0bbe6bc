"""Freshness as the archive knows it."""

from __future__ import annotations

from sqlalchemy import Engine, func, select

from articlebot.alerts.objective import Measured, percentile
from articlebot.archive import schema
from articlebot.archive.engine import reading

# Older dates than this are not lateness but an old article found.
_OLDEST_S = 7 * 86400.0


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
    return Measured(len(delays), percentile(delays))


def _is_day(published: str | None) -> bool:
    return published is not None and (len(published) <= 10 or published[10:16] == "T00:00")
