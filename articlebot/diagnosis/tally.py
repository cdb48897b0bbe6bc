"""What visits led to, counted by job while a crawl goes on, and what is remembered of earlier runs to compare with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import median

# An entry page is well: it gave links, is as it was, or is an index of sitemaps.
WELL = ("links", "not_modified", "index")
# Entry pages of a job whose number of links is remembered; more are rare, and their links count no less for the rest.
MOST_ENTRIES = 50
# Runs that a usual number is the median of; one odd run among them moves it little.
RUNS = 10
# With so many expected by chance alone a quarter of them or fewer come in 1.4% of the runs (Poisson, mean 8, two or
# fewer); with fewer expected, small numbers raise false alarms.
EXPECTED = 8.0
FAR_LESS = 0.25


@dataclass(slots=True)
class JobCounts:
    """The counts of one job.

    Attributes:
        entries: visits of entry pages by outcome: those of ``WELL``, or what kept them from giving links.
        pages: pages never read before by outcome: ``article``, or why they are none.
        links: links that may be followed, by entry page (page key), of its last visit.
        named: new addresses that entry pages named, by their kind: each counts where it was seen first.
        published: new articles and new versions that went through all pipelines.
        examples: by outcome, an address and what else there is to say of it.
    """

    entries: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    links: dict[int, int] = field(default_factory=dict)
    named: Counter[str] = field(default_factory=Counter)
    published: int = 0
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def is_entered(self) -> bool:
        """Whether an entry page was well."""
        return any(self.entries[outcome] for outcome in WELL)


class Tally:
    """The counts of all jobs that were visited; their size is bounded by the number of jobs and of reasons."""

    def __init__(self) -> None:
        self._jobs: defaultdict[str, JobCounts] = defaultdict(JobCounts)
        # Visits of articles that were read before; they say that something was due.
        self.again = 0

    def entry(self, job: str, outcome: str, url: str = "", detail: str = "") -> None:
        """A visit of an entry page ended without links."""
        counts = self._jobs[job]
        counts.entries[outcome] += 1
        counts.examples.setdefault(outcome, (url, detail))

    def links(self, job: str, key: int, count: int, url: str = "") -> None:
        """An entry page showed so many links that may be followed, one or more."""
        counts = self._jobs[job]
        counts.entries["links"] += 1
        counts.examples.setdefault("links", (url, ""))
        if key in counts.links or len(counts.links) < MOST_ENTRIES:
            counts.links[key] = count

    def named(self, job: str, kind: str, number: int) -> None:
        """An entry page, or a further page of one, named so many addresses that nobody had seen."""
        if number:
            self._jobs[job].named[kind] += number

    def page(self, job: str, outcome: str, url: str = "") -> None:
        """A page that was never read before turned out to be ``article``, or none for this reason."""
        counts = self._jobs[job]
        counts.pages[outcome] += 1
        counts.examples.setdefault(outcome, (url, ""))

    def published(self, job: str) -> None:
        """An article went through all pipelines."""
        self._jobs[job].published += 1

    def take(self) -> dict[str, JobCounts]:
        """The counts so far; counting begins anew."""
        taken, self._jobs = dict(self._jobs), defaultdict(JobCounts)
        return taken


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
