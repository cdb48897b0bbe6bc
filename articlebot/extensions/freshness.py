"""Looks whether jobs keep their freshness objectives and has it told when they do not, once in the whole cluster."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from redis.exceptions import RedisError
from scrapy import signals
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from articlebot.errors import StateError, StoreUnavailable
from articlebot.freshness import Due, Notifier, is_breached, measure
from articlebot.jobs.book import Changes, JobBook, jobs_changed
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)


class FreshnessExtension:
    """Measures each ``ARTICLEBOT_ALERTS_CHECK_S`` and at the end; see ``docs/operations.md``.

    Stats: ``articlebot/freshness/breached``, ``recovered``, ``unsent``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._runtime = runtime = Runtime.of(crawler)
        self._stats = crawler.stats
        self._section = section = runtime.config.alerts
        general = runtime.config.general
        self._notifier: Notifier | None = None
        if section.url is not None:
            secret = None if section.secret is None else section.secret.get_secret_value()
            self._notifier = Notifier(section.url.get_secret_value(), secret, general.key_prefix.strip("{}"))
        self._crawler = crawler
        self._loop = LoopingCall(self._tend)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.jobs_changed, jobs_changed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The extension of a crawl.

        Raises:
            ConfigError: ``ARTICLEBOT_ALERTS_URL`` is no web address.
        """
        return cls(crawler)

    async def spider_opened(self, spider: Spider) -> None:
        """Begins, where the spider follows jobs."""
        book = getattr(spider, "book", None)
        if not isinstance(book, JobBook):
            return
        await self._forget(job.name for job in book if job.freshness is None)
        self._loop.start(self._section.check_s, now=False)

    async def jobs_changed(self, changes: Changes) -> None:
        """Ends the objectives of jobs that have none any more, or are not followed."""
        await self._forget([*changes.ended, *(job.name for job in changes.changed if job.freshness is None)])

    async def _forget(self, jobs: Iterable[str]) -> None:
        try:
            await self._runtime.freshness.forget(jobs)
        except (RedisError, OSError) as error:
            logger.warning("Objectives that are no more stay while Redis is away: %s", error)

    async def spider_closed(self) -> None:
        """Looks once more: a run for cron may be shorter than the pause between two looks."""
        if not self._loop.running:
            return
        self._loop.stop()
        await self._check()
        if self._notifier is not None:
            self._notifier.close()

    def _tend(self) -> Deferred[None]:
        return deferred_from_coro(self._check())

    async def _check(self) -> None:
        for job in getattr(self._crawler.spider, "book", ()):
            if job.freshness is None or job.name in self._runtime.elsewhere:
                continue
            try:
                await self._look(job.name, job.freshness)
            except (RedisError, StoreUnavailable, StateError, OSError) as error:
                logger.warning("The freshness of %s is not known now: %s", job.name, error)

    async def _look(self, job: str, objective_s: float) -> None:
        runtime, section = self._runtime, self._section
        now = runtime.now()
        measured = await asyncio.to_thread(measure, runtime.archive.engine, job, now, section.window_s)
        breached = is_breached(measured, objective_s, section.least)
        due = await self._runtime.freshness.note(job, measured, objective_s, breached, now)
        if due is not None and await self._tell(due, now):
            await self._runtime.freshness.sent(due)

    async def _tell(self, due: Due, now: float) -> bool:
        one = due.objective
        level = logging.WARNING if due.kind == "breached" else logging.INFO
        logger.log(level, "Freshness of %s %s: 95%% within %.0f s, wanted %.0f s", one.job, due.kind, one.p95_s or 0.0,
                   one.objective_s)  # fmt: skip
        if self._notifier is not None:
            try:
                await asyncio.to_thread(self._notifier.send, due, now)
            except OSError as error:
                self._count("unsent")
                logger.warning("The message about %s was not taken, and is sent again: %s", one.job, error)
                return False
        self._count(due.kind)
        return True

    def _count(self, event: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"articlebot/freshness/{event}")
