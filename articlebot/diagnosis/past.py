"""What is remembered of a job's earlier runs, so that the next one can be compared with them: pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import median

from articlebot.diagnosis.tally import MOST_ENTRIES, JobCounts

# Runs that a usual number is the median of; one odd run among them moves it little.
RUNS = 10
# With so many expected by chance alone a quarter of them or fewer come in 1.4% of the runs (Poisson, mean 8, two or
# fewer); with fewer expected, small numbers raise false alarms.
EXPECTED = 8.0
FAR_LESS = 0.25


@dataclass(frozen=True, slots=True)
class Past:
    """A job's earlier runs.

    Attributes:
        published: whether it has ever published an article.
        links: by entry page (page key), the links that it showed in its last runs, the newest last.
        shares: of the last runs, the share of the new pages that were articles.
        tried, read: new pages and the articles among them since shares were last compared; few of a run are
            kept until they are enough to be compared.
        troubled: runs in a row in which no entry page gave links.
    """

    published: bool = False
    links: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    shares: tuple[float, ...] = ()
    tried: int = 0
    read: int = 0
    troubled: int = 0

    def usual_links(self, counts: JobCounts) -> tuple[int, float]:
        """How many links the entry pages visited now show that were visited before, and how many they usually do."""
        known = [key for key in counts.links if self.links.get(key)]
        return sum(counts.links[key] for key in known), sum(median(self.links[key]) for key in known)

    @property
    def usual_share(self) -> float | None:
        """The usual share of articles among new pages; None before the first run with enough of them."""
        return median(self.shares) if self.shares else None


def is_far_less(found: float, usual: float) -> bool:
    """Whether so little of what is usual cannot well be chance."""
    return usual >= EXPECTED and found < usual * FAR_LESS


def after(past: Past, counts: JobCounts) -> Past:
    """What is remembered once these counts have been added."""
    links = dict(past.links)
    for key, count in counts.links.items():
        if key in links or len(links) < MOST_ENTRIES:
            links[key] = (*links.get(key, ()), count)[-RUNS:]
    troubled = 0 if counts.is_entered else past.troubled + bool(counts.entries)
    tried, read = past.tried + counts.pages.total(), past.read + counts.pages["article"]
    now = replace(
        past, published=past.published or counts.published > 0, links=links, tried=tried, read=read, troubled=troubled
    )
    if tried * (1.0 if past.usual_share is None else past.usual_share) < EXPECTED:
        return now
    return replace(now, shares=(*past.shares, read / tried)[-RUNS:], tried=0, read=0)
