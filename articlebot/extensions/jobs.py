"""Follows the job files and the pauses, so that jobs change while a crawl runs (``docs/reference/jobs.md``)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from redis.exceptions import RedisError
from scrapy import Spider
from scrapy.crawler import Crawler

from articlebot.jobs import Job
from articlebot.jobs.book import Changes, JobBook, followed_by, jobs_changed
from articlebot.jobs.files import WRONG_FILES, JobFiles
from articlebot.runtime.component import Component
from articlebot.runtime.followed import note_files
from articlebot.runtime.job_needs import lacking

logger = logging.getLogger(__name__)
_MOST_TOLD = 5
# A written file is taken at the second look that finds it the same: after 4 s at most, of the 10 s that are promised.
_LOOK_S = 2.0


class JobsExtension(Component):
    """Gives the spider a new book when its jobs change, and sends ``jobs_changed``.

    It is for spiders with a ``book``, and ``job_files`` where they have some. Stats:
    ``articlebot/jobs/{begun,changed,ended}``, ``articlebot/jobs/faults`` for files that were not taken, ``errors``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        runtime = self._runtime
        self._pauses = runtime.pauses
        self._paused: Mapping[str, float] = {}
        self._spider: Any = None
        self._files: JobFiles | None = None
        self._jobs: list[Job] = []
        self._away = self._noted = False

    async def spider_opened(self, spider: Spider) -> None:
        """Begins, and leaves out what is paused before anything is fetched."""
        book = followed_by(spider)
        if book is None or not hasattr(spider, "job_files"):
            return
        self._spider, self._files, self._jobs = spider, spider.job_files, book.stated
        await self._look()
        self._repeat(self._tend, _LOOK_S)

    def spider_closed(self) -> None:
        """Ends."""
        self._stop()

    async def _tend(self) -> None:
        try:
            await self._look()
        except Exception:
            # Whatever a file holds, the next look may find it mended.
            self._count("errors")
            logger.exception("The job files could not be looked at")

    async def _look(self) -> None:
        news = None if self._files is None else await asyncio.to_thread(self._files.look, self._refused)
        for fault in news.faults if news is not None else ():
            self._count("faults")
            logger.error("%s; what this file said before stays in force", fault)
        if self._files is not None:
            self._runtime.note(WRONG_FILES, "; ".join(map(str, self._files.wrong[:_MOST_TOLD])))
        if news is not None and news.jobs is not None:
            self._jobs, self._noted = news.jobs, False
        before, paused = self._paused, await self._read_pauses()
        if (news is not None and news.jobs is not None) or paused.keys() != before.keys():
            self._paused = paused
            await self._change(await asyncio.to_thread(self._next_book))
        if self._files is not None and not self._noted:
            with suppress(RedisError):  # at the next look
                await note_files(self._runtime, self._files.place, [job.name for job in self._jobs if job.enabled])
                self._noted = True

    async def _read_pauses(self) -> Mapping[str, float]:
        try:
            paused = await self._pauses.all()
        except (RedisError, OSError) as error:
            if not self._away:
                logger.warning("Which jobs are paused is not known now, and stays as it was: %s", error)
            self._away = True
            return self._paused
        self._away = False
        return paused

    def _next_book(self) -> tuple[JobBook, Changes]:
        """On a thread: with thousands of jobs this takes a while."""
        book = self._spider.book.succeeded_by(self._jobs, self._paused)
        book.owners("http://www.example.com/")  # finds the places of all jobs
        assert book.entry_jobs is not None
        assert book.entry_urls is not None
        return book, Changes.between(self._spider.book, book)

    async def _change(self, found: tuple[JobBook, Changes]) -> None:
        book, changes = found
        self._spider.follow(book)
        if not changes:
            return
        logger.info("The jobs have changed: %s", changes)
        for name, jobs in (("begun", changes.begun), ("changed", changes.changed), ("ended", changes.ended)):
            self._count(name, len(jobs))
        await self._crawler.signals.send_catch_log_async(jobs_changed, changes=changes)

    def _refused(self, job: Job) -> tuple[str, str] | None:
        """What this crawl cannot do of a job: it was started with other sinks, or a file of its is wrong."""
        return lacking(job, self._runtime.config.publishing.sinks)

    def _count(self, event: str, number: int = 1) -> None:
        if number:
            self._runtime.count(f"jobs/{event}", number)
