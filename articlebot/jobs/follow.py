"""From the links of a page to what the frontier is asked to admit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType

from articlebot.extraction.page_numbers import later_pages
from articlebot.frontier.envelope import Candidate
from articlebot.items import Link
from articlebot.jobs.book import JobBook
from articlebot.jobs.model import Job
from articlebot.jobs.visit import Visit
from articlebot.urls import canonical_or_none, page_key

# Entry pages first: they find what is new; then what has come since they were read last, whatever else of a site waits;
# then articles never read; then known ones again, of which young ones take turns with those never read. What a list
# names and what waits already is raised to a multiple of five at most (``lua/admit.lua``): what is new stays before it.
PRIORITY = {"list": 30, "feed": 30, "sitemap": 25, "fresh": 12, "auto": 10, "article": 10, "document": 10, "part": 40}
# What was published before comes behind all that was never read, its lists last: so many of its articles wait as a list
# has.
BACKFILL_PRIORITY = {"auto": 4, "list": 2}
RECRAWL_PRIORITY = 0
_CONTEXT_CHARS = 200
# So many pages of a list are looked at that has overflowed.
MOST_LIST_PAGES = 5
_LEAST_NEW, _MOSTLY = 5, 0.6


def candidates(
    book: JobBook, job: Job, links: Iterable[Link], visit: Visit, published: Mapping[str, float | None],
    *, usual_delay: float = 0.0, stated: Mapping[str, float | None] = MappingProxyType({}), fresh: bool = False,
) -> list[Candidate]:  # fmt: skip
    """The links that a job may follow from a page, one per page key, in the page's order; of an article its first page.

    Args:
        visit: of the page the links stand on.
        published: what a feed or sitemap says of the links' dates, by their URL.
        stated: and of their last changes.
        usual_delay: mean seconds between the pages of a host where the job names none.
        fresh: those that are new have appeared since the page was read before.
    """
    priority = priority_of(job, "fresh" if fresh else "auto", backfill=visit.backfill)
    found: dict[int, Candidate] = {}
    for link in links:
        if (url := canonical_or_none(link.url)) is None:
            continue
        key = page_key(url)
        if key == visit.key or key in found or not book.takes(job, url):
            continue
        target = Visit(
            job=job.name,
            kind="auto",
            key=key,
            anchor=link.text[:_CONTEXT_CHARS],
            context=link.context[:_CONTEXT_CHARS],
            published_at=(appeared := published.get(link.url)),
            changed_at=stated.get(link.url) if appeared is None else None,
            backfill=visit.backfill,
        )
        found[key] = Candidate(url, priority, _delay(job, usual_delay), target.meta(), key, stated.get(link.url))
    later = later_pages([one.url for one in found.values()])
    return [one for one in found.values() if one.url not in later]


def priority_of(job: Job, kind: str, *, known: bool = False, backfill: bool = False) -> int:
    """Priority of a request inside its slot: the job's own first, then what the page is."""
    again = known and kind in ("auto", "article", "document")
    own = BACKFILL_PRIORITY.get(kind, PRIORITY[kind]) if backfill else PRIORITY[kind]
    return job.priority * 100 + (RECRAWL_PRIORITY if again else own)


def _delay(job: Job, usual: float) -> float | None:
    """The job's delay; new pages come no faster than its budget either, however many links a list page has."""
    if job.budget is None:
        return job.delay
    return max(usual if job.delay is None else job.delay, 3600.0 / job.budget)


def has_overflowed(found: int, new: int) -> bool:
    """Whether a list page has probably shown more since the last visit than it holds: most of its links are new.

    Not all, because menus and most-read boxes hold known ones; of a list that shows only a few, all.
    """
    return new == found > 1 or new >= max(_LEAST_NEW, _MOSTLY * found)


def list_hash(links: Iterable[Candidate]) -> int:
    """64-bit hash of the set of articles that a list page links to: their order is no change."""
    keys = sorted(candidate.key for candidate in links if candidate.key is not None)
    digest = blake2b(b"".join(key.to_bytes(8, "big") for key in keys), digest_size=8).digest()
    return int.from_bytes(digest, "big")
