"""What the round history says of each job: when it publishes, and how often it is visited."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from heapq import heappush, heappushpop
from zoneinfo import ZoneInfo

from articlebot.jobs.history import RoundRecord

DAYS_BACK = 28
_LAST = 240


@dataclass(slots=True)
class Rhythm:
    """Visits of a job's entry pages.

    Attributes:
        visits, items: by weekday (Monday first) and hour in the job's time zone.
        last: time and new items of the last visits, oldest first.
        failed: how many gave no answer.
    """

    visits: list[list[int]] = field(default_factory=lambda: [[0] * 24 for _ in range(7)])
    items: list[list[int]] = field(default_factory=lambda: [[0] * 24 for _ in range(7)])
    last: list[tuple[float, int]] = field(default_factory=list)
    failed: int = 0

    @property
    def total(self) -> tuple[int, int]:
        """Visits and new items."""
        return sum(map(sum, self.visits)), sum(map(sum, self.items))

    def rates(self) -> list[list[float | None]]:
        """New items a visit by weekday and hour; None where there was no visit."""
        return [
            [found / count if count else None for found, count in zip(*pair, strict=True)]
            for pair in zip(self.items, self.visits, strict=True)
        ]

    def gaps(self, entries: int) -> list[tuple[float, float]]:
        """(time, seconds) between two visits of an entry page, in the mean over that many entry pages.

        Visits of several entry pages stand side by side in the history without their addresses: a gap reaches over as
        many visits as there are pages.
        """
        times = [at for at, _ in self.last]
        return [(after, after - before) for before, after in zip(times, times[entries:], strict=False)]


def rhythms(rounds: Iterable[RoundRecord], zone_of: Callable[[str], str]) -> dict[str, Rhythm]:
    """The rhythm of each job, from rounds in any order and the name of each job's time zone."""
    found: dict[str, Rhythm] = {}
    zones: dict[str, ZoneInfo] = {}
    for one in rounds:
        if one.job not in found:
            found[one.job], zones[one.job] = Rhythm(), ZoneInfo(zone_of(one.job))
        rhythm, at = found[one.job], datetime.fromtimestamp(one.at, zones[one.job])
        rhythm.visits[at.weekday()][at.hour] += one.fetched
        rhythm.items[at.weekday()][at.hour] += one.new_items
        rhythm.failed += one.failed
        # Of thousands of jobs, all visits of four weeks would fill a machine's memory.
        if len(rhythm.last) < _LAST:
            heappush(rhythm.last, (one.at, one.new_items))
        else:
            heappushpop(rhythm.last, (one.at, one.new_items))
    for rhythm in found.values():
        rhythm.last.sort()
    return found
