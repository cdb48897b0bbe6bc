"""Joins the recrawl's memory to the crawl: what visits found, budgets, profiles, and the round history."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from articlebot.errors import StoreUnavailable
from articlebot.jobs.book import Changes, jobs_changed
from articlebot.jobs.history import HistoryWriter, RoundRecord
from articlebot.jobs.learned import LearnedJobs
from articlebot.recrawl import Kind, Params
from articlebot.recrawl.book import RecrawlBook, Terms
from articlebot.recrawl.budget import Budget
from articlebot.recrawl.learned import RedisLearned
from articlebot.runtime import Runtime
from articlebot.runtime.visits import Visits
from articlebot.urls import site

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from articlebot.jobs import Job
    from articlebot.recrawl import Observation, PageRecord, Validators

logger = logging.getLogger(__name__)
_STEP_S = 5.0
_SAVE_S = 300.0
# Ages are told in days: an hour more or less is nothing, and a look costs two calls.
_SWEEP_S = 3600.0
# So many points of a job's priority double the importance of its pages: 100 are worth a quarter of the interval.
_DOUBLED_BY = 25


class RecrawlExtension:
    """Makes the crawl's ``RecrawlBook``, hands it to ``runtime.visits``, turns budgets and saves what was learned.

    Stats: ``articlebot/recrawl/<outcome>`` for changed, unchanged, not_modified, failed, gone, and retired, recovered,
    ended/quiet, ended/gone, and job_forgotten (pages of jobs that nobody knows any more).
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._runtime = runtime = Runtime.of(crawler)
        section, prefix = runtime.config.recrawl, runtime.config.general.key_prefix
        stats = crawler.stats
        assert stats is not None
        self.book = RecrawlBook(
            runtime.pages, RedisLearned(runtime.redis_of("recrawl"), prefix), runtime.rng,
            quiet_s=section.article_days * section.day_s, linger_s=section.linger_ms / 1000,
            total=None if section.budget is None else Budget(section.budget, 3600.0),
            count=lambda outcome: stats.inc_value(f"articlebot/recrawl/{outcome}"),
        )  # fmt: skip
        self._history = HistoryWriter(runtime.config.general.data_dir / "history", runtime.worker, section.history_mb)
        self._history.remove_old(runtime.now() - section.history_days * 86400)
        # Pipelines and spider come after the extensions and find this one.
        self._visits = runtime.visits = BookedVisits(runtime, self.book, self._history)
        self._loop = LoopingCall(self._tend)
        self._saved_at = self._swept_at = runtime.now()
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.jobs_changed, jobs_changed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The extension of a crawl."""
        return cls(crawler)

    async def spider_opened(self) -> None:
        """Goes on with the scale of the last crawl, and reins in due times that a wrong clock has set."""
        now = self._runtime.now()
        section = self._runtime.config.recrawl
        try:
            await self.book.open_total()
            await self._runtime.pages.rein_in(now + max(section.max_interval, 366 * 86400.0))
            await self._sweep(now)
        except StoreUnavailable as error:
            logger.warning("The recrawl starts without its last budget: %s", error)
        self._loop.start(_STEP_S, now=False)

    def jobs_changed(self, changes: Changes) -> None:
        """Goes by what the jobs say now."""
        names = [job.name for job in (*changes.begun, *changes.changed)]
        self._visits.forget_terms(names)
        self.book.forget_budgets(names)

    async def spider_closed(self) -> None:
        """Writes what still waits and what was learned."""
        if self._loop.running:
            self._loop.stop()
        self._history.close()
        try:
            await self.book.close()
        except StoreUnavailable as error:
            logger.warning("What the recrawl learned in this crawl since it was last saved is lost: %s", error)

    async def _sweep(self, now: float) -> None:
        """Says which jobs are known here, and forgets the pages of those that nobody has known for long."""
        self._swept_at = now
        pages, section = self._runtime.pages, self._runtime.config.recrawl
        await pages.note_jobs([job.name for job in getattr(self._crawler.spider, "book", ())], now)
        for job, count in (await pages.forget_unknown(now, section.job_days * 86400.0, _SWEEP_S)).items():
            logger.info("Forgot %d pages of job %r, which no crawl has known for %g days", count, job, section.job_days)
            self._runtime.count("recrawl/job_forgotten", count)

    def _tend(self) -> Deferred[None]:
        return deferred_from_coro(self._tended())

    async def _tended(self) -> None:
        now = self._runtime.now()
        try:
            await self.book.step(now)
            if not 0 <= now - self._swept_at < _SWEEP_S:
                await self._sweep(now)
            if now - self._saved_at >= _SAVE_S or now < self._saved_at:
                self._saved_at = now
                await self.book.save()
        except StoreUnavailable as error:
            logger.warning("Budgets and site profiles wait for Redis: %s", error)


class BookedVisits(Visits):
    """``runtime.visits`` with the configured policy, batches, and what is learned of sites."""

    def __init__(self, runtime: Runtime, book: RecrawlBook, history: HistoryWriter) -> None:
        super().__init__(runtime.pages, runtime.now, runtime.rng)
        self.book = book
        self._section = runtime.config.recrawl
        self._change = runtime.config.change
        self._history = history
        self.learned = LearnedJobs.load(runtime.config.general.data_dir)
        self._terms: dict[str, tuple[float, Job, Terms]] = {}

    async def observe(self, record: PageRecord, seen: Observation, validators: Validators, job: Job) -> PageRecord:
        """Stores the page's next state, which says when it is due again; returns when it is written."""
        name = site(record.url)
        if record.state.fetches and seen.outcome in ("changed", "unchanged"):
            await self.book.answered(record, validators, name, changed=seen.outcome == "changed")
        written = await self.book.observe(record, seen, validators, self.terms(job, seen.at), name)
        if seen.kind is Kind.LIST:
            gained = seen.new_items if seen.outcome == "changed" and record.state.fetches else 0
            failed = seen.outcome in ("failed", "gone")
            self._history.write(
                RoundRecord(job.name, seen.at, 0 if failed else 1, gained, int(gained > 0), int(failed))
            )
        return written

    async def conditions(self, record: PageRecord) -> Validators:
        """The validators to send: none where the site's lie, and none now and then to see whether they do."""
        return await self.book.conditions(record, site(record.url))

    def closed_for(self, job: Job, now: float) -> float:
        """Seconds until the job's own windows, and the learned ones, are open; 0 where they are, or for a probe."""
        return self.learned.get(job.name).closed_for(job, now, self._rng)

    def allowance(self, now: float) -> int | None:
        """What the budget of the whole crawl leaves."""
        return self.book.allowance(now)

    async def grant(self, record: PageRecord, job: Job, now: float) -> float:
        """0 where the job's own budget lets a due page be fetched now; else the seconds to wait."""
        return await self.book.grant(record, self.terms(job, now), now)

    def terms(self, job: Job, now: float) -> Terms:
        """The job's terms; its zone's offset is looked up four times a day."""
        known = self._terms.get(job.name)
        if known is None or known[1] is not job or not 0 <= now - known[0] < 86400 / 4:
            known = self._terms[job.name] = now, job, self._make_terms(job, now)
        return known[2]

    def forget_terms(self, jobs: Iterable[str]) -> None:
        """Makes the terms of jobs anew when they are next needed."""
        for job in jobs:
            self._terms.pop(job, None)

    def _make_terms(self, job: Job, now: float) -> Terms:
        section = self._section
        low, high = job.bounds
        interval = self.learned.get(job.name).interval_of(job)
        offset = datetime.fromtimestamp(now, job.zone).utcoffset()
        lists = Params(
            initial=job.begins_with(interval), min_interval=low, max_interval=high, scale=section.scale,
            weight=2.0 ** (job.priority / _DOUBLED_BY),
            rule=self._change.rule, threshold=self._change.threshold, day_s=section.day_s,
            utcoffset=0.0 if offset is None else offset.total_seconds(), retire_after=section.retire_after,
            stated_at=None if interval is None else 0.0,
        )  # fmt: skip
        pages = lists._replace(
            stated_at=None,
            min_interval=min(section.min_interval, section.max_interval),
            max_interval=max(section.min_interval, section.max_interval),
        )
        return Terms(lists, pages, section.policy, job.budget)
