"""The overview's figures out of the archive: what was published by the hour, and how long after its publication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import Engine, case, func, select, text

from articlebot.alerts.freshness import percentile
from articlebot.archive import schema
from articlebot.archive.engine import reading

HOURS = 24
EVENTS = ("new", "updated", "corrected", "withdrawn")
_HOUR = 3600.0
# Enough for percentiles; the newest of a busy day.
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was archived in the last day.

    Attributes:
        begins: the hours' beginnings, epoch seconds; the running hour last.
        events: versions by event and hour.
        delay_p50, delay_p95: seconds from publication to archive by hour; None where nothing came with a time.
        day_p50, day_p95: the same over all hours.
        timed: how many articles the delays rest on.
    """

    begins: list[float]
    events: dict[str, list[int]]
    delay_p50: list[float | None]
    delay_p95: list[float | None]
    day_p50: float | None
    day_p95: float | None
    timed: int


def published(engine: Engine, now: float, begun: dict[str, float]) -> Published:
    """The figures at a time.

    ``begun`` holds by site when its first article was archived; it is filled here, to be given again at the next call.

    Raises:
        StoreUnavailable: the database is away.
    """
    first = now - now % _HOUR - (HOURS - 1) * _HOUR
    begins = [first + i * _HOUR for i in range(HOURS)]
    with reading(engine) as connection:
        events = _events(connection, begins)
        delays = _delays(connection, first, begun)
    by_hour: list[list[float]] = [[] for _ in begins]
    for at, delay in delays:
        by_hour[min(HOURS - 1, int((at - first) // _HOUR))].append(delay)
    everything = [delay for _, delay in delays]
    return Published(
        begins=begins, events=events,
        delay_p50=[percentile(hour, 0.5) for hour in by_hour], delay_p95=[percentile(hour, 0.95) for hour in by_hour],
        day_p50=percentile(everything, 0.5), day_p95=percentile(everything, 0.95), timed=len(everything),
    )  # fmt: skip


def _events(connection: Any, begins: Sequence[float]) -> dict[str, list[int]]:
    table = schema.versions.c
    # Neither database has the other's way to cut a number to hours.
    hour = case(*((table.archived_at < end, i) for i, (_, end) in enumerate(pairwise(begins))), else_=len(begins) - 1)
    query = (
        select(hour.label("hour"), table.event, func.count().label("n"))
        .where(table.archived_at >= begins[0])
        .group_by(text("hour"), table.event)  # PostgreSQL takes no second copy of its parameters for the same
    )
    found = {event: [0] * len(begins) for event in EVENTS}
    for row in connection.execute(query):
        found.setdefault(row.event, [0] * len(begins))[row.hour] += row.n
    return found


def _delays(connection: Any, since: float, begun: dict[str, float]) -> list[tuple[float, float]]:
    """(first archived at, delay) of articles published since, by their own time of day.

    Those published before their site's first visit are what it had then: their delay says nothing of the crawl. A bare
    date (ten characters) has no time of day.
    """
    table = schema.articles.c
    query = (
        select(table.site, table.first_archived_at, table.published_at, table.published)
        .where(table.dated_at >= since, table.published_at.is_not(None))
        .order_by(table.dated_at.desc())
        .limit(_SAMPLE)
    )
    rows = [row for row in connection.execute(query) if row.published is None or len(row.published) > 10]
    for site in {row.site for row in rows} - begun.keys():
        begun[site] = _begun(connection, site, since)
    return [
        (row.first_archived_at, max(0.0, row.first_archived_at - row.published_at))
        for row in rows
        if row.published_at >= begun[row.site]
    ]


def _begun(connection: Any, site: str, since: float) -> float:
    """When the first article of a site was archived; 0 where that was before ``since``."""
    table = schema.articles.c
    older = select(table.id).where(table.site == site, table.dated_at < since, table.first_archived_at < since).limit(1)
    if connection.execute(older).first() is not None:
        return 0.0
    first = select(func.min(table.first_archived_at)).where(table.site == site)
    return float(connection.execute(first).scalar_one())


def shares(engine: Engine, column: str) -> list[tuple[str, int]]:
    """Values of ``site``, ``category`` or ``job`` with their numbers of articles, the most first."""
    wanted = schema.articles.c[column]
    query = (
        select(wanted, func.count().label("n"))
        .where(wanted.is_not(None))
        .group_by(wanted)
        .order_by(func.count().desc(), wanted)
    )
    with reading(engine) as connection:
        return [(row[0], row[1]) for row in connection.execute(query)]
