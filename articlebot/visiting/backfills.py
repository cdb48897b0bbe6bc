"""Backfills: what a site published before its first visit, behind all that is fresh."""

from __future__ import annotations

import logging

from redis.exceptions import RedisError

from articlebot.jobs import Job
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.urls import page_key
from articlebot.visiting.desk import Desk
from articlebot.visiting.turning import PATIENCE

logger = logging.getLogger(__name__)
# Counts go to Redis no more often than this, seconds.
_FLUSH_S = 2.0
# What is due of jobs that this worker does not follow is left to others, seconds.
_OTHERS_S = 600.0


class Backfills:
    """Begins the backfills of jobs, and writes how far they have come.

    Args:
        desk: its jobs and stores.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._begun: set[tuple[str, str]] = set()
        self._flushed_at = 0.0

    async def tend(self, now: float) -> None:
        """Begins what is wanted and was not begun before, by any worker.

        Raises:
            redis.RedisError, StoreUnavailable: Redis is away; the call may be repeated.
        """
        if now - self._flushed_at < _FLUSH_S:
            return
        self._flushed_at = now
        await self._desk.runtime.backfills.flush()
        for job in self._desk.jobs:
            if job.backfill is not None and job.entry_urls and (job.name, job.backfill) not in self._begun:
                if await self._desk.runtime.backfills.begin(job.name, job.backfill, now):
                    await self._begin(job)
                    await self._desk.runtime.backfills.has_begun(job.name)
                self._begun.add((job.name, job.backfill))
        await self._later(now)

    async def _later(self, now: float) -> None:
        """Queues further pages of lists that failed and are due."""
        turned = self._desk.runtime.backfills
        for name, url, kept in await turned.due(now):
            visit = Visit.of({META_KEY: kept})
            if (job := self._desk.jobs.get(visit.job)) is None or not self._desk.jobs.follows(visit.job):
                await turned.put_off(url, kept, now + _OTHERS_S)
                continue
            await self._desk.queue(self._desk.request(url, job, visit))
            await turned.taken(name)

    async def closed(self) -> None:
        """The crawl has ended."""
        try:
            await self._desk.runtime.backfills.flush()
        except (RedisError, OSError) as error:
            logger.warning("How far backfills have come is not written, Redis is away: %s", error)

    async def _begin(self, job: Job) -> None:
        """Goes through all lists that were visited before; those that are new are gone through on their first visit."""
        records = await self._desk.runtime.pages.get([page_key(url) for url, _ in job.entry_urls])
        for (url, kind), record in zip(job.entry_urls, records, strict=True):
            if kind != "feed" and record is not None and record.state.fetches:
                await go_through(self._desk, job, url, kind)
        for url in job.archives:
            await go_through(self._desk, job, url, "list")


async def go_through(desk: Desk, job: Job, url: str, kind: str) -> None:
    """Queues a list that a backfill goes through from its beginning.

    Raises:
        redis.RedisError, StoreUnavailable: Redis is away; the call may be repeated.
    """
    key = page_key(url)
    visit = Visit(job=job.name, kind=kind, key=key, part=2, delay=job.delay, further=PATIENCE, backfill=True)
    await desk.queue(desk.request(url, job, visit))
