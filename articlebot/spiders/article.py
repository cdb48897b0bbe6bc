"""The main spider: rounds over the jobs' entry pages, links to articles, articles to items."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from typing import Any, Self

from redis.exceptions import RedisError
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from articlebot.errors import ConfigError, StateError, StoreUnavailable
from articlebot.frontier.breaker import unanswered
from articlebot.frontier.scripts import passes
from articlebot.jobs import Job
from articlebot.jobs.book import Changes, JobBook, jobs_changed, paths_of
from articlebot.jobs.files import JobFiles
from articlebot.jobs.visit import META_KEY
from articlebot.outage import Outage
from articlebot.runtime import Runtime
from articlebot.runtime.diagnosis import SETTLED as SETTLED_HOUR
from articlebot.runtime.job_needs import lacking
from articlebot.runtime.runs import UNSEEN
from articlebot.runtime.tools import tool_in_use
from articlebot.spiders.arguments import refuse_scheduler, refuse_unknown, tell_unused
from articlebot.visiting.answer import Answer
from articlebot.visiting.article_pages import ArticlePages
from articlebot.visiting.backfills import Backfills
from articlebot.visiting.desk import Desk
from articlebot.visiting.entry_pages import SETTLED, EntryPages
from articlebot.visiting.first_looks import FirstLooks
from articlebot.visiting.missed import Missed
from articlebot.visiting.parts import Parts
from articlebot.visiting.rounds import Rounds
from articlebot.visiting.seeding import JUST_NOW_S, add_entries, offer_anew, offer_entries
from articlebot.visiting.start_urls import StartUrls
from articlebot.visiting.videos import Videos

logger = logging.getLogger(__name__)
# Of workers that begin together one stores the entry pages, as due since it began: that is after others began.
_TOGETHER_S = 1.0

_SECONDS = re.compile(r"\d+(?:\.\d+)?")


class ArticleSpider(Spider):
    """Follows the sites of a job file.

    Args:
        jobs: job files or folders, separated by commas.
        url: the address of a site to follow instead, which is looked at for its entry pages, or one list page of it.
        backfill, consent: with ``url``, as a job's keys of these names.
        until: ``idle`` ends when nothing that was due at the start is left, ``forever`` keeps going.
        seconds: ends after this many seconds in any case.
    """

    name = "article"
    handle_httpstatus_list = list(SETTLED)

    def __init__(
        self, jobs: str | None = None, url: str | None = None, until: str = "forever", seconds: str | None = None,
        *, backfill: str | None = None, consent: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        refuse_unknown(type(self), kwargs)
        self._check_end(until, seconds)
        # None where there are no files to follow.
        self.job_files = JobFiles(paths_of(jobs)) if jobs and not (url or backfill or consent) else None
        if self.job_files is None:
            self.book = self._book_of(jobs, url, backfill, consent)
        else:
            self.book = JobBook(self.job_files.read())
        # Jobs whose entry pages are still to be stored.
        self._begun: dict[str, Job] = {}
        self.until = until
        self.seconds = float(seconds) if seconds else None

    @staticmethod
    def check_arguments(
        jobs: str | None = None, url: str | None = None, until: str = "forever", seconds: str | None = None,
        *, backfill: str | None = None, consent: str | None = None, **_: Any,
    ) -> JobBook:  # fmt: skip
        """The jobs that the arguments name.

        Raises:
            ConfigError: an argument or a job file is wrong.
        """
        ArticleSpider._check_end(until, seconds)
        return ArticleSpider._book_of(jobs, url, backfill, consent)

    @staticmethod
    def _book_of(jobs: str | None, url: str | None, *keys: str | None) -> JobBook:
        if not (jobs or url) and tool_in_use():
            return JobBook(())  # the page that is typed makes a job of its own
        return JobBook.from_argument(jobs, url, *keys)

    @staticmethod
    def _check_end(until: str, seconds: str | None) -> None:
        if until not in ("idle", "forever"):
            raise ConfigError(f"-a until={until}: expected idle or forever")
        if seconds and not (_SECONDS.fullmatch(seconds) and float(seconds) > 0):
            raise ConfigError(f"-a seconds={seconds}: expected a number of seconds above 0")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        refuse_scheduler(cls, crawler.settings)
        tell_unused(cls, crawler.settings)
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.take_place(Runtime.of(crawler))
        crawler.signals.connect(spider.jobs_changed, jobs_changed)
        crawler.signals.connect(spider.unanswered, unanswered)
        crawler.signals.connect(spider.backfills.closed, signals.spider_closed)
        crawler.signals.connect(spider.looks.closed, signals.spider_closed)
        crawler.signals.connect(spider.looks.settled, SETTLED_HOUR)
        return spider

    def take_place(self, runtime: Runtime) -> None:
        """Gives the spider what it works with, before anything is fetched.

        Raises:
            ConfigError: a job names a sink that is not configured, or a file that cannot be read.
        """
        for job in self.book:
            if (fault := lacking(job, runtime.config.publishing.sinks)) is not None:
                raise ConfigError(f"the job {job.name}: {fault[0]}: {fault[1]}")
        self.runtime, self.desk = runtime, (desk := Desk(self, runtime))
        self.entry_pages, self.parts = EntryPages(desk), Parts(desk)
        self.article_pages = ArticlePages(desk, self.parts, Videos(self.crawler, runtime))
        self.missed = Missed(desk, self.parts, self.entry_pages)
        self.looks, self.backfills = FirstLooks(desk, self.entry_pages, self.crawler), Backfills(desk)
        self.rounds = Rounds(desk, follows_on=self.until == "forever")
        self.pushed = StartUrls(desk, StartUrls.key_of(self.crawler.settings, self.name))

    async def start(self) -> AsyncIterator[Request]:
        """Rounds: what is due is queued, until the end that the arguments name."""
        begun = self.desk.begun_at
        horizon = begun + _TOGETHER_S
        logger.info("Following %d sites", len(self.book))
        for said in self.book.shared:
            logger.warning("%s", said)
        rounds, pushed, lost, outage = self.rounds, self.pushed, -1, Outage(logger)
        while True:
            now = self.runtime.now()
            if self.seconds is not None and now - begun >= self.seconds:
                self.runtime.end("seconds")
                return
            try:
                if lost < 0:
                    await self.looks.know()
                    await offer_entries(self.runtime, self.book, begun)
                    self.runtime.diagnosis.begin(lambda: self.book)
                elif self.runtime.pages.lost > lost:
                    await offer_anew(self.runtime, self.book, begun)
                lost = self.runtime.pages.lost
                await self._begin_jobs(now)
                looking = await self.looks.tend(now)
                self.runtime.note(UNSEEN, looking)
                await self.backfills.tend(now)
                # Asked before what is due: a page in flight may make others due just before it is done.
                idle = self.until == "idle" and not looking and await rounds.nothing_left(horizon, now)
                # A run for cron ends: what falls due while it works is for the next one.
                queued = await rounds.queue_due(horizon if self.until == "idle" else now, now) + await pushed.queue()
                outage.end("What is due is queued again")
                # Of a Redis that was emptied meanwhile nothing is left to ask for. Asked again, for between these two
                # another worker may have queued what was due.
                if idle and not queued and self.runtime.pages.lost == lost and await rounds.nothing_left(horizon, now):
                    return
            except (StoreUnavailable, StateError, RedisError) as error:
                if passes(error):
                    outage.begin("What is due waits for Redis: %s", error)
                else:
                    self.runtime.refusals.note(error)
                queued = 0
                await asyncio.sleep(1.0)
            if not queued or self.until == "forever":
                await rounds.rest()
        yield  # type: ignore[unreachable]  # Scrapy expects an asynchronous generator

    def follow(self, book: JobBook) -> None:
        """Goes by other jobs from now on."""
        self.book = book

    def jobs_changed(self, changes: Changes) -> None:
        """Visits the entry pages of jobs that are new, or not what they were, soon."""
        self._begun.update((job.name, job) for job in (*changes.begun, *changes.changed))
        self.looks.changed(changes.changed)

    async def _begin_jobs(self, now: float) -> None:
        while self._begun:
            begun = dict(self._begun)
            await self.looks.begun(begun.values())
            jobs = [job for name in begun if (job := self.book.get(name)) is not None]
            stated = [job for job in self.book.stated if job.name in begun]
            # Where another worker has noted the same change, it has the pages visited.
            new = {job.name for job in await self.runtime.stated.changed(stated)}
            for is_new, spare_s in ((True, 0.0), (False, JUST_NOW_S)):
                some = [job for job in jobs if (job.name in new) is is_new]
                await add_entries(self.runtime.pages, self.book, some, now, at_once=True, spare_s=spare_s)
            await self.runtime.stated.note(stated)
            self._begun = {name: job for name, job in self._begun.items() if begun.get(name) is not job}

    # Answers: read by the parts above, found by their names in the queue

    async def parse_list(self, response: Response) -> None:
        """A list page."""
        await self._entry(response, "list")

    async def parse_feed(self, response: Response) -> None:
        """A feed."""
        await self._entry(response, "feed")

    async def parse_sitemap(self, response: Response) -> None:
        """A sitemap."""
        await self._entry(response, "sitemap")

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """An article, or what a link turned out to be."""
        if page := await self._answer(response):
            async for result in self.article_pages.read(page):
                yield result

    async def parse_part(self, response: Response) -> AsyncIterator[Any]:
        """A further page of an article; the last one yields the whole."""
        if page := await self._answer(response):
            async for result in self.parts.read(page):
                yield result

    async def failed(self, failure: Failure) -> AsyncIterator[Any]:
        """A request without a usable answer."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self._adopt(request)
        async for result in self.missed.take(request, failure):
            yield result

    def unanswered(self, request: Request, fault: str) -> None:
        """A host does not answer."""
        self._adopt(request)
        self.missed.unanswered(request, fault)

    async def _entry(self, response: Response, form: str) -> None:
        if page := await self._answer(response):
            await self.entry_pages.read(page, form)

    async def _answer(self, response: Response) -> Answer | None:
        self._adopt(response)
        page = await self.desk.answer(response)
        if page is None or page.status != 200 or page.visit.kind == "part":
            return page
        form, fetched = page.visit.kind, page.fetched
        if await self.runtime.trial.reads(form, fetched.body, fetched.url, fetched.content_type):
            return page
        await self.desk.refuse(page, "too_heavy")
        return None

    def _adopt(self, typed: Request | Response) -> None:
        """A page that was typed without a job, as with ``scrapy parse``, makes one of its own."""
        if self.runtime.tool and not self.book and META_KEY not in typed.meta:
            self.book = JobBook.from_argument(None, typed.url)
