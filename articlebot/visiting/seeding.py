"""Entry pages of jobs become pages to visit: at the start, and whenever jobs change."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from articlebot.jobs import Job
from articlebot.jobs.book import JobBook, some_names
from articlebot.recrawl import Kind, PageRecord, PageState, Validators
from articlebot.recrawl.record import Form, Seed
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime import Runtime
from articlebot.urls import page_key

logger = logging.getLogger(__name__)
_CHUNK = 250
# A page that still waits after this is offered again, which changes nothing; one that the queue has lost comes back.
LEASE_SECONDS = 900.0
# Several workers see the same change within seconds; one visit is enough.
JUST_NOW_S = 15.0
# Later than any due time. And starts at which a page that was never read is tried at once; then it backs off.
_ANY_TIME, _MOST_TRIES = 1e15, 10


async def offer_entries(runtime: Runtime, book: JobBook, now: float) -> None:
    """Stores the entry pages of all jobs at the start of a crawl; those of jobs that changed since the last are due.

    What two workers do here at the same time, or one that died between and begins again, is done once: a page is
    queued once. One that was visited just now was visited for what the job said before.

    Raises:
        redis.RedisError, StoreUnavailable: Redis is away; the call may be repeated.
    """
    changed = {job.name for job in await runtime.stated.changed(book.stated) if book.follows(job.name)}
    await add_entries(runtime.pages, book, [job for job in book if job.name not in changed], now)
    await add_entries(runtime.pages, book, [job for job in book if job.name in changed], now, at_once=True, spare_s=0.0)
    await runtime.stated.note(book.stated)
    if changed:
        logger.info("Changed since they were followed last: %s", some_names(sorted(changed)))


async def offer_anew(runtime: Runtime, book: JobBook, now: float) -> None:
    """Stores the entry pages once more, where Redis was emptied; what was published is known to the archive.

    Raises:
        redis.RedisError, StoreUnavailable: Redis is away; the call may be repeated.
    """
    runtime.frontier.links.forget()
    await runtime.frontier.open()
    await offer_entries(runtime, book, now)
    # Only now: a Redis that is empty and takes nothing, such as a replica, is met here again each second.
    logger.warning("Redis has lost the queue and all page states: the entry pages of all jobs are visited anew")


async def add_entries(
    pages: RedisPageStates, book: JobBook, jobs: Iterable[Job], now: float, *, at_once: bool = False,
    spare_s: float = JUST_NOW_S,
) -> None:  # fmt: skip
    """Stores the entry pages of jobs that are not stored yet, due at once.

    A page that is known as something else (an article, or an entry page that its job no longer names) becomes what the
    job says. A page that was put off, for example by windows that the job may have dropped, is due when its interval
    says so. A page that was never read, because its address was wrong or refused, is tried again.

    Args:
        pages: where they are stored.
        book: the jobs of the crawl.
        jobs: those whose entry pages are meant.
        now: epoch seconds.
        at_once: pages that are stored already are due now too,
        spare_s: but for those that were visited in the last so many seconds.

    Raises:
        StoreUnavailable: Redis is away; the call may be repeated.
    """
    seeds = seeds_of(jobs)
    for start in range(0, len(seeds), _CHUNK):
        some = seeds[start : start + _CHUNK]
        known = await pages.get([seed.key for seed in some])
        await pages.add_seeds((seed for seed, record in zip(some, known, strict=True) if record is None), now)
        changed, at_once_due, put_off = [], {}, {}
        for seed, record in zip(some, known, strict=True):
            if record is None:
                continue
            after = _as_entry(record, seed, book, now)
            if after is not record:
                changed.append(after)
            if _is_unread(after.state) or (at_once and now - after.state.last_at > spare_s):
                at_once_due[seed.key] = now
            else:
                put_off[seed.key] = after.state.next_at
        await pages.put_many(changed)
        await pages.put_off(at_once_due, _ANY_TIME)
        await pages.put_off(put_off, _ANY_TIME, now + LEASE_SECONDS)  # what is due before may be in the queue


def seeds_of(jobs: Iterable[Job]) -> list[Seed]:
    """The entry pages of jobs, as they are stored first."""
    return [Seed(page_key(url), url, job.name, Kind.LIST, form) for job in jobs for url, form in job.entry_urls]


def is_left(record: PageRecord, job: Job, book: JobBook, top: str | None = None) -> bool:
    """Whether a page is an entry page that no job names any more.

    Args:
        top: of a sitemap that others name, the first of these; None where that is not known: it belongs to its job as
            long as that names a sitemap at all.
    """
    if record.state.kind is not Kind.LIST or record.url in book.entry_jobs:
        return False
    if record.form == "sitemap":
        return not job.sitemaps or (top is not None and top not in job.sitemaps)
    return record.form in ("list", "feed")


def heir(record: PageRecord, book: JobBook) -> str | None:
    """The job that names this entry page now, where it is stored under one that no longer does; else None."""
    jobs = book.entry_jobs.get(record.url, ()) if record.state.kind is Kind.LIST else ()
    return jobs[0] if jobs and record.job not in jobs else None


def _is_unread(state: PageState) -> bool:
    return state.fetches == state.failures < _MOST_TRIES


def _as_entry(record: PageRecord, seed: Seed, book: JobBook, now: float) -> PageRecord:
    form: Form = seed.form
    if record.state.kind is not Kind.LIST:
        return PageRecord(record.key, record.url, seed.job, PageState(Kind.LIST, 0, 0, now, now, now), form=form)
    if (record.url, record.form) != (seed.url, form):
        # The same page by another address, such as http in place of https: what one served says nothing of the other.
        validators = record.validators if record.url == seed.url else Validators()
        record = record._replace(url=seed.url, form=form, validators=validators)
    if (job := heir(record, book)) is not None:
        return record._replace(job=job, state=record.state._replace(next_at=now))
    return record
