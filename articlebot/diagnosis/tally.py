"""What visits of entry pages and of new links led to, counted by job while a crawl goes on."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

# An entry page is well: it gave links, is as it was, or is an index of sitemaps.
WELL = ("links", "not_modified", "index")
# Entry pages of a job whose number of links is remembered; more are rare, and their links count no less for the rest.
MOST_ENTRIES = 50


@dataclass(slots=True)
class JobCounts:
    """The counts of one job.

    Attributes:
        entries: visits of entry pages by outcome: those of ``WELL``, or what kept them from giving links.
        pages: pages never read before by outcome: ``article``, or why they are none.
        links: links that may be followed, by entry page (page key), of its last visit.
        published: new articles and new versions that went through all pipelines.
        examples: by outcome, an address and what else there is to say of it.
    """

    entries: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    links: dict[int, int] = field(default_factory=dict)
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
