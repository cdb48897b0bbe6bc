"""How polite a crawl was, from its log: gaps, overlaps and adjacent pages that came too close."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from articlebot.frontier.crawl_log import Download

# Rows are rounded to a tenth of a millisecond.
_ROUNDING_S = 0.0002


@dataclass(frozen=True, slots=True)
class Gaps:
    """The fetches that share one host or one parent page.

    Args:
        name: the host, or the parent's hash in hex.
        downloads: how many there were.
        overlaps: that began before the one before had ended.
        too_close: that began sooner after the one before than its slot allows, overlaps included.
        smallest, median, p90, largest: seconds between two starts; None with fewer than two downloads.
    """

    name: str
    downloads: int
    overlaps: int
    too_close: int
    smallest: float | None = None
    median: float | None = None
    p90: float | None = None
    largest: float | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole log: by host, and the parents of which pages came too close."""

    downloads: int
    workers: int
    hosts: tuple[Gaps, ...]
    parents: tuple[Gaps, ...]

    @property
    def overlaps(self) -> int:
        """Overlaps on hosts."""
        return sum(gaps.overlaps for gaps in self.hosts)

    @property
    def too_close(self) -> int:
        """Downloads that came too soon after one of the same host."""
        return sum(gaps.too_close for gaps in self.hosts)

    @property
    def parents_too_close(self) -> int:
        """Downloads that came too soon after one with the same parent."""
        return sum(gaps.too_close for gaps in self.parents)

    @property
    def smallest_gap(self) -> float | None:
        """Smallest gap of all hosts in seconds."""
        return min((gaps.smallest for gaps in self.hosts if gaps.smallest is not None), default=None)


def audit(downloads: Iterable[Download], least: float | None = None, parents: bool = True) -> Audit:
    """Looks at every two neighbours on a host, and on a parent page where ``parents``.

    Args:
        downloads: rows in any order, of any number of workers.
        least: shortest allowed gap in seconds; None: what each row says its slot allows.
        parents: whether pages with one parent are adjacent (the setting ``frontier.adjacency`` keys or slot).
    """
    hosts: dict[str, list[Download]] = defaultdict(list)
    families: dict[str, list[Download]] = defaultdict(list)
    workers = set()
    count = 0
    for row in downloads:
        count += 1
        workers.add(row.worker)
        hosts[row.host].append(row)
        if parents and row.parent:
            families[format(row.parent, "016x")].append(row)
    return Audit(
        count,
        len(workers),
        tuple(_gaps(name, rows, least) for name, rows in sorted(hosts.items())),
        tuple(gaps for name, rows in sorted(families.items()) if (gaps := _gaps(name, rows, least)).too_close),
    )


def _gaps(name: str, rows: list[Download], least: float | None) -> Gaps:
    rows.sort(key=lambda row: (row.start, row.end))
    overlaps = too_close = 0
    gaps = []
    end = rows[0].end
    for before, after in pairwise(rows):
        gap = after.start - before.start
        gaps.append(gap)
        overlapping = after.start < end - _ROUNDING_S
        overlaps += overlapping
        too_close += overlapping or gap < (before.least if least is None else least) - _ROUNDING_S
        end = max(end, after.end)
    if not gaps:
        return Gaps(name, len(rows), 0, 0)
    gaps.sort()
    return Gaps(name, len(rows), overlaps, too_close, gaps[0], _quantile(gaps, 0.5), _quantile(gaps, 0.9), gaps[-1])


def _quantile(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]
