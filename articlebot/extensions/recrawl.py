"""Joins the recrawl's memory to the crawl: what visits found, budgets, profiles, and the round history."""

from __future__ import annotations

import asyncio
import logging

from redis.exceptions import RedisError
from scrapy.crawler import Crawler

from articlebot.ahead import set_back, set_ends_back, went_back
from articlebot.connect import literal, tagged
from articlebot.errors import StateError, StoreUnavailable
from articlebot.frontier.upkeep import set_rests_back
from articlebot.jobs.book import Changes, followed_by
from articlebot.outage import Outage
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
_STEP_S = 5.0
_SAVE_S = 300.0
# Ages are told in days: an hour more or less is nothing, and a look costs two calls.
_SWEEP_S = 3600.0
# A quarter: a job that is out of the files for longer begins anew.
_JOB_DAYS = 90.0
# Three times the 28 days that scrapy jobs intervals reads.
_HISTORY_S = 90 * 86_400.0


class RecrawlExtension(Component):
    """Opens ``runtime.visits``, turns its budgets and saves what it learned.

    Stats: ``articlebot/recrawl/<outcome>`` for changed, unchanged, not_modified, failed, gone, and retired, recovered,
    ended/quiet, ended/gone, signals/heard (of changes of known pages), signals/moved (visits made sooner by them),
    signals/right and signals/wrong (what visits found), and job_forgotten (pages of jobs that nobody knows any more).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        runtime = self._runtime
        self._visits, self._outage = runtime.visits, Outage(logger)
        self._visits.history.remove_old(runtime.now() - _HISTORY_S)

    async def spider_opened(self) -> None:
        """Goes on with the scale of the last crawl, and brings back what was planned while the clock ran ahead."""
        now = self._saved_at = self._swept_at = self._runtime.now()
        try:
            await self._set_back()
            await self._visits.book.budgets.open_total()
            await self._sweep(now)
        except (StoreUnavailable, RedisError) as error:
            logger.warning("The recrawl starts without its last budget: %s", error)
        self._repeat(self._tend, _STEP_S)

    def jobs_changed(self, changes: Changes) -> None:
        """Goes by what the jobs say now."""
        self._visits.forget(job.name for job in (*changes.begun, *changes.changed))

    async def spider_closed(self) -> None:
        """Writes what still waits and what was learned."""
        self._stop()
        await asyncio.to_thread(self._visits.history.close)  # it may wait for a database
        try:
            await self._visits.book.close()
        except (StoreUnavailable, RedisError) as error:
            logger.warning("What the recrawl learned in this crawl since it was last saved is lost: %s", error)

    async def _sweep(self, now: float) -> None:
        """Says which jobs are known here, and forgets the pages of those that nobody has known for long."""
        self._swept_at = now
        pages = self._runtime.pages
        book = followed_by(self._crawler.spider)
        await pages.note_jobs(() if book is None else book.every, now)  # paused ones too
        for job, count in (await pages.forget_unknown(now, _JOB_DAYS * 86400.0, _SWEEP_S)).items():
            logger.info("Forgot %d pages of job %r, which no crawl has known for %g days", count, job, _JOB_DAYS)
            self._runtime.count("recrawl/job_forgotten", count)

    async def _set_back(self) -> None:
        runtime, prefix = self._runtime, self._runtime.config.general.key_prefix
        if seconds := await went_back(runtime.clients.of(), f"{prefix}:clock"):
            logger.warning("Redis' clock was %.0f s ahead and is set back: visits and rests are brought back", seconds)
            await runtime.pages.set_back(seconds)
            await set_rests_back(runtime.frontier, seconds)
            # When servers were heard of, lists are tried again, proxies let in again; other ranks are below any time.
            home = runtime.clients.of()
            ranked = [key async for key in home.scan_iter(match=f"{literal(prefix)}:*", count=1000, _type="zset")]
            await set_back(home, ranked, seconds)
            for part in ("", "recrawl", "frontier"):
                await set_ends_back(runtime.clients.of(part), tagged(prefix, part) if part else prefix, seconds)

    async def _hear(self) -> None:
        try:
            await self._visits.hear()
        except StateError as error:
            logger.warning("%s; windows and intervals stay as they were", error)

    async def _tend(self) -> None:
        now = self._runtime.now()
        try:
            await self._set_back()
            await self._visits.book.step(now)
            await self._hear()
            if not 0 <= now - self._swept_at < _SWEEP_S:
                await self._sweep(now)
            if now - self._saved_at >= _SAVE_S or now < self._saved_at:
                self._saved_at = now
                await self._visits.book.save()
        except (StoreUnavailable, RedisError) as error:
            self._outage.begin("Budgets and site profiles wait for Redis: %s", error)
        else:
            self._outage.end("Budgets and site profiles are kept again")
