"""What a simulated run is judged by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from articlebot.recrawl.observation import Kind
from articlebot_lab.recrawl.traces import TracePage

WARM_UP = 0.3


class Tally:
    """Sums over the counted part of a run for the pages of one kind.

    Args:
        pages: how many pages the trace has.
    """

    def __init__(self, pages: int) -> None:
        self.live = [0.0] * pages
        self.stale = [0.0] * pages
        self.age = [0.0] * pages
        self.fetches = self.wasted = self.changes = self.captured = 0
        self.delays: list[tuple[float, int]] = []

    def visit(  # noqa: PLR0917 - called a million times a minute: keywords cost
        self, index: int, page: TracePage, since: float | None, at: float, before: int, after: int, warm: float
    ) -> None:
        """Counts a visit at ``at`` after one at ``since`` (None: the first); changes before:after were found by it."""
        self.fetches += 1
        if since is None:
            return
        if after == before:
            self.wasted += 1
        if self._span(index, page, since, at, before, after, warm):
            self.captured += 1

    def close(self, index: int, page: TracePage, since: float, before: int, warm: float) -> None:
        """Counts what was missed from the last visit to the page's end."""
        self._span(index, page, since, page.end, before, len(page.changes), warm)

    def _span(  # noqa: PLR0917
        self, index: int, page: TracePage, since: float, at: float, before: int, after: int, warm: float
    ) -> bool:
        self.live[index] += at - max(since, warm)
        if after == before:
            return False
        first = page.changes[before]
        begun = max(first, warm)
        self.stale[index] += at - begun
        self.age[index] += ((at - first) ** 2 - (begun - first) ** 2) / 2.0
        counted = [i for i in range(before, after) if page.changes[i] >= warm]
        self.changes += len(counted)
        self.delays += [(at - page.changes[i], page.items[i]) for i in counted]
        return bool(counted)


@dataclass(frozen=True, slots=True)
class Result:
    """What a policy achieved. Times in seconds, shares 0 to 1; None where there was nothing to count.

    Attributes:
        staleness: mean over pages of the share of time in which the copy was not the page: 1 - mean freshness.
        delay_mean_s, delay_p50_s, delay_p95_s: from a change (or new item) until a visit found it, over all items.
        mean_age_s: mean over pages and time of how long the copy has been out of date.
        captured_share: visits that found a change, per change: versions seen before the next one replaced them.
        wasted_share: visits that found none.
    """

    policy: str
    staleness: float | None
    delay_mean_s: float | None
    delay_p50_s: float | None
    delay_p95_s: float | None
    mean_age_s: float | None
    captured_share: float | None
    wasted_share: float | None
    fetches: int

    def row(self) -> dict[str, Any]:
        """As a dict, for tables and JSON."""
        return asdict(self)


def summarise(policy: str, tallies: Iterable[Tally]) -> Result:
    """One result over tallies of one or several kinds."""
    found = list(tallies)
    fetches = sum(t.fetches for t in found)
    changes = sum(t.changes for t in found)
    shares = [
        (stale / live, age / live)
        for t in found
        for live, stale, age in zip(t.live, t.stale, t.age, strict=True)
        if live > 0.0
    ]
    mean, median, late = _delays([delay for t in found for delay in t.delays])
    return Result(
        policy, _mean([share for share, _ in shares]), mean, median, late, _mean([age for _, age in shares]),
        sum(t.captured for t in found) / changes if changes else None,
        sum(t.wasted for t in found) / fetches if fetches else None, fetches,
    )  # fmt: skip


def by_kind(policy: str, tallies: dict[Kind, Tally]) -> dict[str, Result]:
    """A result for each kind that has pages; keys are list, article and document."""
    return {
        kind.name.lower(): summarise(policy, [tally])
        for kind, tally in tallies.items()
        if tally.fetches or any(tally.live)
    }


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _delays(found: list[tuple[float, int]]) -> tuple[float | None, float | None, float | None]:
    """Mean, median and 95th percentile over items."""
    if not found:
        return None, None, None
    found.sort()
    total = sum(count for _, count in found)
    quantiles: list[float] = []
    running = 0
    for delay, count in found:
        running += count
        while len(quantiles) < 2 and running >= (0.5, 0.95)[len(quantiles)] * total:
            quantiles.append(delay)
    return sum(delay * count for delay, count in found) / total, quantiles[0], quantiles[1]
