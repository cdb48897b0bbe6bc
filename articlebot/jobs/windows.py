"""Learns the hours in which a job publishes from its rounds (design E)."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp
from typing import NamedTuple

from articlebot.jobs.history import RoundRecord
from articlebot.jobs.hours import DAYS, Day, Window

# An hour is closed where, at a fifth of the job's mean rate, more items would have been seen with this confidence.
CONFIDENCE = 0.95
_QUIET = 0.2
_LEAST_ROUNDS = 24
_HOUR, _DAY = 3600.0, 86400.0


class LearnedWindows(NamedTuple):
    """What was learned of one job.

    Attributes:
        windows: when it is visited at its own pace; none means always.
        confidence: the least confidence among the hours that were closed, 1 where none was.
        rounds: visits this rests on.
        why: for people.
    """

    windows: tuple[Window, ...]
    confidence: float
    rounds: int
    why: str


def learn_windows(rounds: Iterable[RoundRecord], utcoffset: float) -> LearnedWindows:
    """The windows of a job.

    Hours of the day and days of the week are judged each for itself, so that a few weeks suffice. Closing is never
    for good: the closed hours keep a share of probes (see ``Learned.opens``), whose rounds come back here.

    Args:
        rounds: the job's.
        utcoffset: what to add to epoch seconds for the job's local time, seconds.
    """
    hours, days = [[0, 0] for _ in range(24)], [[0, 0] for _ in range(7)]
    count = items = 0
    for record in rounds:
        local = record.at + utcoffset
        for cell in (hours[int(local % _DAY / _HOUR)], days[int((local // _DAY + 3) % 7)]):
            cell[0] += record.fetched
            cell[1] += record.new_items
        count += record.fetched
        items += record.new_items
    if count < _LEAST_ROUNDS or not items:
        return LearnedWindows((), 1.0, count, f"{count} rounds with {items} items are too few to learn from")
    mean = items / count
    closed_hours = {h: c for h, (n, found) in enumerate(hours) if (c := _sure(n, found, mean)) >= CONFIDENCE}
    closed_days = {d: c for d, (n, found) in enumerate(days) if (c := _sure(n, found, mean)) >= CONFIDENCE}
    open_days: tuple[Day, ...] = tuple(day for index, day in enumerate(DAYS) if index not in closed_days)
    spans = _spans([hour for hour in range(24) if hour not in closed_hours])
    if not (closed_hours or closed_days) or not open_days or not spans:
        return LearnedWindows((), 1.0, count, f"no hour stands out in {count} rounds with {items} items")
    windows = tuple(Window(days=open_days, hours=f"{first}-{last}") for first, last in spans)
    sure = min([*closed_hours.values(), *closed_days.values()])
    return LearnedWindows(
        windows, sure, count,
        f"{items} items in {count} rounds; {len(closed_hours)} hours and {len(closed_days)} days are nearly silent",
    )  # fmt: skip


def _sure(rounds: int, items: int, mean: float) -> float:
    """Confidence that a cell's rate is below a fifth of the mean: the chance of more items than seen, were it that."""
    expected = _QUIET * mean * rounds
    term = total = exp(-min(expected, 700.0))
    for k in range(1, items + 1):
        term *= expected / k
        total += term
        if k > 10_000:
            break
    return max(0.0, 1.0 - total)


def _spans(hours: list[int]) -> list[tuple[int, int]]:
    """Runs of hours as (first, end), one over midnight joined; hours end before ``end``."""
    spans: list[tuple[int, int]] = []
    for hour in hours:
        if spans and spans[-1][1] == hour:
            spans[-1] = spans[-1][0], hour + 1
        else:
            spans.append((hour, hour + 1))
    if len(spans) > 1 and spans[0][0] == 0 and spans[-1][1] == 24:
        (_, end), (first, _) = spans[0], spans[-1]
        spans = [*spans[1:-1], (first, end)]
    return spans
