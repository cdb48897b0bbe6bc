"""The main spider: rounds over the jobs' entry pages, links to articles, articles to items."""

from __future__ import annotations

import asyncio
import logging
import math
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from redis.exceptions import RedisError
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from articlebot.errors import ConfigError, RefusedError, StoreUnavailable
from articlebot.extraction.parts import Part
from articlebot.frontier.breaker import unanswered
from articlebot.frontier.requests import to_envelope
from articlebot.items import Article, Link, Withdrawal
from articlebot.jobs import Job
from articlebot.jobs.book import Changes, JobBook, jobs_changed, paths_of
from articlebot.jobs.files import JobFiles
from articlebot.jobs.follow import MOST_LIST_PAGES, candidates, has_overflowed, list_hash, priority_of, wanted
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.page.feeds import parse_feed
from articlebot.page.sitemaps import parse_sitemap
from articlebot.recrawl import Kind, PageRecord, PageState, Validators
from articlebot.recrawl.observation import Outcome
from articlebot.recrawl.record import FORMS
from articlebot.recrawl.store import Seed
from articlebot.runtime import Runtime
from articlebot.runtime.reader import Fetched, Refusal
from articlebot.runtime.tools import tool_in_use
from articlebot.spiders.answer import (
    Answer,
    canonical_urls,
    fetched_of,
    gathered_article,
    modified_at,
    stored_article,
    validators_of,
)
from articlebot.spiders.arguments import refuse_unknown
from articlebot.spiders.failures import PUT_OFF_REASON, fault_of
from articlebot.spiders.rounds import Rounds, is_read
from articlebot.spiders.seeding import add_entries
from articlebot.spiders.start_urls import StartUrls
from articlebot.spiders.tallying import note_entry, note_missed, note_page, note_settled, why_unread
from articlebot.spiders.walls import PASSING, REFUSALS, note_wall
from articlebot.urls import canonical_url, page_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

SITEMAP_ENTRIES = 2000
# Links that are named where a list page is looked at by hand.
_SHOWN = 20
# So many visits in a row fail for want of a further page of the article; then it is published without that page.
PART_PATIENCE = 2
# Visits of a page never read that may meet a 403 or a wall that passes, before it is given up.
REFUSED_PATIENCE = 3
_CALLBACKS = {"list": "parse_list", "feed": "parse_feed", "sitemap": "parse_sitemap", "part": "parse_part"}
_ENTRIES = ("list", "feed", "sitemap")
_GONE = (404, 410)
_SECONDS = re.compile(r"\d+(?:\.\d+)?")


class ArticleSpider(Spider):
    """Follows the sites of a job file.

    Args:
        jobs: job files or folders, separated by commas.
        url: one list page to follow instead.
        until: ``idle`` ends when nothing that was due at the start is left, ``forever`` keeps going.
        seconds: ends after this many seconds in any case.
    """

    name = "article"
    handle_httpstatus_list = [304, *_GONE]

    def __init__(
        self, jobs: str | None = None, url: str | None = None, until: str = "forever", seconds: str | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        refuse_unknown(type(self), kwargs)
        self._check_end(until, seconds)
        # None where there are no files to follow.
        self.job_files = JobFiles(paths_of(jobs)) if jobs and not url else None
        self.book = self._book_of(jobs, url) if self.job_files is None else JobBook(self.job_files.read())
        # Jobs whose entry pages are still to be stored.
        self._begun: dict[str, Job] = {}
        self.until = until
        self.seconds = float(seconds) if seconds else None

    @staticmethod
    def check_arguments(
        jobs: str | None = None, url: str | None = None, until: str = "forever", seconds: str | None = None, **_: Any
    ) -> JobBook:
        """The jobs that the arguments name.

        Raises:
            ConfigError: an argument or a job file is wrong.
        """
        ArticleSpider._check_end(until, seconds)
        return ArticleSpider._book_of(jobs, url)

    @staticmethod
    def _book_of(jobs: str | None, url: str | None) -> JobBook:
        if not (jobs or url) and tool_in_use():
            return JobBook(())  # the page that is typed makes a job of its own
        return JobBook.from_argument(jobs, url)

    @staticmethod
    def _check_end(until: str, seconds: str | None) -> None:
        if until not in ("idle", "forever"):
            raise ConfigError(f"-a until={until}: expected idle or forever")
        if seconds and not _SECONDS.fullmatch(seconds):
            raise ConfigError(f"-a seconds={seconds}: expected a number of seconds")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.runtime = Runtime.of(crawler)
        crawler.signals.connect(spider.jobs_changed, jobs_changed)
        crawler.signals.connect(spider.unanswered, unanswered)
        return spider

    runtime: Runtime

    async def start(self) -> AsyncIterator[Request]:
        """Rounds: what is due is queued, until the end that the arguments name."""
        begun = self.runtime.now()
        await add_entries(self.runtime.pages, self.book, self.book, begun)
        logger.info("Following %d sites", len(self.book))
        self.runtime.diagnosis.begin(lambda: self.book)
        rounds, fed = Rounds(self), StartUrls(self)
        while True:
            now = self.runtime.now()
            if self.seconds is not None and now - begun >= self.seconds:
                self._close("seconds")
                return
            try:
                await self._begin_jobs(now)
                # A run for cron ends: what falls due while it works is for the next one.
                queued = await rounds.queue_due(begun if self.until == "idle" else now, now) + await fed.queue()
                if not queued and self.until == "idle" and await rounds.nothing_left(begun, now):
                    return
            except (StoreUnavailable, RedisError) as error:
                logger.warning("Waiting for Redis: %s", error)
                queued = 0
                await asyncio.sleep(1.0)
            if not queued or self.until == "forever":
                await rounds.rest()
        yield  # type: ignore[unreachable]  # Scrapy expects an asynchronous generator

    def jobs_changed(self, changes: Changes) -> None:
        """Visits the entry pages of jobs that are new, or not what they were, soon."""
        self._begun.update((job.name, job) for job in (*changes.begun, *changes.changed))

    async def _begin_jobs(self, now: float) -> None:
        while self._begun:
            begun = dict(self._begun)
            await add_entries(self.runtime.pages, self.book, begun.values(), now, at_once=True)
            self._begun = {name: job for name, job in self._begun.items() if begun.get(name) is not job}

    def _close(self, reason: str) -> None:
        """Ends the crawl in order; ``CloseSpider`` from ``start`` is a fault to Scrapy 2.14."""
        engine = self.crawler.engine
        assert engine is not None
        self._closing = asyncio.ensure_future(engine.close_spider_async(reason=reason))

    def request(self, url: str, job: Job, visit: Visit, *, known: bool = False, **kwargs: Any) -> Request:
        """The request of a visit; ``known`` for an article that was read before."""
        callback = getattr(self, _CALLBACKS.get(visit.kind, "parse"))
        return Request(
            url, callback, errback=self.failed, meta={META_KEY: visit.meta()}, dont_filter=True,
            priority=priority_of(job, visit.kind, known=known), **kwargs,
        )  # fmt: skip

    # Entry pages

    async def parse_list(self, response: Response) -> None:
        """A list page: its news links are admitted together; where nearly all are new, its next page is asked for."""
        if page := await self._entry(response):
            links = self.runtime.reader.list_links(page.fetched, page.job)
            if not links:
                await note_wall(self.crawler, page.job.name, response)
            found, new = await self._admit(page, links)
            known = page.record.state.content_hash or page.visit.part > 1
            if known and page.visit.part < MOST_LIST_PAGES and has_overflowed(found, new):
                await self._turn(page)

    async def _turn(self, page: Answer) -> None:
        """Queues the page on which a list goes on."""
        if (url := self.runtime.reader.next_list(page.fetched)) is None:
            return
        job, part = page.job, page.visit.part + 1
        visit = Visit(job=job.name, kind="list", key=page_key(url), part=part, delay=job.delay)
        await self.runtime.frontier.push([to_envelope(self.request(url, job, visit), self)])
        self.count("lists/turned", url)

    async def parse_feed(self, response: Response) -> None:
        """A feed: its entries' links are admitted together, with the title and date it states."""
        if page := await self._entry(response):
            entries = parse_feed(response.body, response.url, page.job.zone)
            if not entries:
                self.count("refused/feed_without_entries", page.fetched.url)
            links = [Link(url=entry.url, text=entry.title) for entry in entries]
            await self._admit(page, links, {entry.url: entry.published_at for entry in entries})

    async def parse_sitemap(self, response: Response) -> None:
        """A sitemap: the newest of its pages are admitted, its children become entry pages."""
        if page := await self._entry(response):
            found = parse_sitemap(response.body, response.url)
            if not (found.entries or found.children):
                self.count("refused/sitemap_without_entries", page.fetched.url)
            newest = sorted(found.entries, key=lambda e: -(e.published_at or e.modified_at or 0))[:SITEMAP_ENTRIES]
            judge = self.runtime.reader.shapes(page.job.name).judge
            links = [Link(url=e.url, text=e.title) for e in newest if e.title or wanted(page.job, e.url, judge)]
            name = page.job.name
            children = [Seed(page_key(c), c, name, Kind.LIST, "sitemap") for c in canonical_urls(found.children)]
            await self.runtime.pages.add_seeds(children, self.runtime.now())
            await self._admit(page, links, {entry.url: entry.published_at for entry in newest})

    async def _entry(self, response: Response) -> Answer | None:
        """The answer of an entry page, None when its status already settles the visit."""
        page = await self._answer(response)
        if page is None or response.status not in self.handle_httpstatus_list:
            return page
        if page.visit.part == 1:
            note_settled(self.runtime.diagnosis.tally, page, response.status)
            await self._observe(page, "not_modified" if response.status == 304 else "gone")
        return None

    async def _admit(
        self, page: Answer, links: Sequence[Link], published: dict[str, float | None] | None = None
    ) -> tuple[int, int]:
        """How many links may be followed, and how many of them are new."""
        entry = page.visit.depth == 0
        usual = self.runtime.config.delays.mean_s
        found = candidates(self.book, page.job, links, page.visit, published or {}, usual_delay=usual)
        if self.runtime.tool:
            logger.info("Would follow %d links: %s", len(found), ", ".join(one.url for one in found[:_SHOWN]))
            return len(found), 0
        new = await self.runtime.frontier.admit(
            found, job=page.job.name, parent_url=page.fetched.url, depth=page.visit.depth + 1, from_list=entry,
            errback="failed",
        )  # fmt: skip
        self.count("links/admitted", count=new)
        if entry and page.visit.kind != "auto" and page.visit.part == 1:
            note_entry(self.runtime.diagnosis.tally, page, links, len(found))
            seen = list_hash(found)
            outcome: Outcome = "unchanged" if page.record.state.content_hash == seen else "changed"
            await self._observe(page, outcome, content_hash=seen, new_items=new)
        return len(found), new

    # Articles

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """An article (or what a link turned out to be): an item for the pipelines, or a counted refusal."""
        page = await self._answer(response)
        if page is None:
            return
        known = page.record.state.fetches > 0
        if response.status == 304:
            note_page(self.runtime.diagnosis.tally, page, "not_modified")
            await self._observe(page, "not_modified")
        elif response.status in _GONE:
            self.count(f"failed/http_{response.status}", page.fetched.url)
            note_page(self.runtime.diagnosis.tally, page, f"http_{response.status}")
            if known:
                gone = Withdrawal(
                    url=page.record.url, page_key=f"{page.record.key:016x}", job=page.job.name, at=page.fetched.at,
                    reason=f"http_{response.status}",
                )  # fmt: skip
                self.runtime.beside.note(gone, record=page.record, seen=page.observation("gone"))
                yield gone
        else:
            try:
                article, further = self.runtime.reader.read(page.fetched, page.job, page.visit)
            except Refusal as refusal:
                wall = await note_wall(self.crawler, page.job.name, response) if refusal.reason == "wall" else None
                note_page(self.runtime.diagnosis.tally, page, why_unread(refusal.reason, page.fetched))
                await self._refuse(page, refusal, patience=REFUSED_PATIENCE if wall in PASSING else 0)
                return
            note_page(self.runtime.diagnosis.tally, page, "article")
            async for result in self._article(page, article, further):
                yield result

    async def _refuse(self, page: Answer, refusal: Refusal, patience: int) -> None:
        self.count(f"refused/{refusal.reason}", refusal.detail)
        if refusal.links and page.visit.depth < page.job.depth:
            await self._admit(page, refusal.links)
        await self._fail(page, patience)

    async def _fail(self, page: Answer, patience: float) -> None:
        """The visit failed; a page that was never read is given up after so many such visits."""
        state = page.record.state
        if is_read(page.record) or state.kind is Kind.LIST or state.failures < patience:
            await self._observe(page, "failed")
        elif state.fetches:
            await self.runtime.pages.forget(page.record.key)

    async def _article(self, page: Answer, article: Article, further: list[str]) -> AsyncIterator[Any]:
        """The item of an article; of one with several pages, first the request for the next page."""
        known = await self._identified(page, article)
        if known is None:
            return
        page = replace(page, record=known)
        if further and article.kind != "document":
            part = Part(article.body, self.runtime.beside.of(article).html, article.images)
            gathered = await self.runtime.parts.begin(page.visit.key, stored_article(article), part, further)
            if gathered.ahead:
                yield self._part_request(page.job, page.visit.key, page.fetched.url, *gathered.ahead)
                return
        yield self._finished(page, article)

    async def _identified(self, page: Answer, article: Article) -> PageRecord | None:
        """The record under which an article is kept; None when it is known under another address already."""
        key = int(article.page_key, 16)
        if key == page.record.key:
            return page.record
        (known,) = await self.runtime.pages.get([key])
        if page.record.state.fetches:
            await self.runtime.pages.forget(page.record.key)
        if known is not None:
            self.count("alias", f"{page.fetched.url} is {article.canonical_url}")
            return None
        await self.runtime.frontier.mark_seen([key])
        return page.record._replace(key=key, url=article.canonical_url)

    async def parse_part(self, response: Response) -> AsyncIterator[Any]:
        """A further page of an article; the last one yields the whole."""
        page = await self._answer(response)
        if page is None:
            return
        part: Part | None = None
        further: list[str] = []
        if response.status == 200:
            try:
                article, further = self.runtime.reader.read(page.fetched, page.job, page.visit)
                part = Part(article.body, self.runtime.beside.of(article).html, article.images)
            except Refusal as refusal:
                self.count(f"refused/{refusal.reason}", refusal.detail)
        async for result in self._gathered(page.visit, page.job, page.fetched.url, part, further):
            yield result

    async def _gathered(
        self, visit: Visit, job: Job, url: str, part: Part | None, further: list[str]
    ) -> AsyncIterator[Any]:
        self.count("parts/missing" if part is None else "parts/joined", url)
        gathered = await self.runtime.parts.add(visit.first_key, visit.key, part, further)
        if gathered is None:
            # Its other pages are gone, or it was whole and its worker died before that was safe.
            self.count("parts/lapsed", url)
            if visit.parent_url:
                again = Visit(job=job.name, kind="auto", key=visit.first_key, delay=job.delay)
                yield self.request(visit.parent_url, job, again)
        elif gathered.ahead and gathered.ahead[1] <= job.max_pages:
            yield self._part_request(job, visit.first_key, visit.parent_url, *gathered.ahead)
        else:
            article = gathered_article(gathered)
            self.runtime.beside.note(article, html=gathered.whole.html, sinks=job.sinks)
            await self.runtime.parts.drop(visit.first_key)
            record = await self._record(int(article.page_key, 16), article.canonical_url, job, "article")
            fetched = Fetched(article.url, b"", None, article.fetched_at)
            first = replace(visit, key=visit.first_key, part=1)
            yield self._finished(Answer(first, job, record, fetched, Validators()), article)

    async def _put_off(self, visit: Visit, job: Job) -> bool:
        """Ends the visit of an article of which a page cannot be had just now; without it, it would look shortened."""
        if (first := await self.runtime.parts.first(visit.first_key)) is None:
            return False
        record = await self._record(int(first["page_key"], 16), first["canonical_url"], job, "article")
        if record.state.failures >= PART_PATIENCE:
            return False
        await self.runtime.parts.drop(visit.first_key)
        await self._observe(self._unanswered(visit, job, record), "failed")
        return True

    def _part_request(self, job: Job, first_key: int, first_url: str | None, url: str, number: int) -> Request:
        visit = Visit(
            job=job.name, kind="part", key=page_key(canonical_url(url)), parent_url=first_url, delay=job.delay,
            part=number, first_key=first_key,
        )  # fmt: skip
        return self.request(url, job, visit)

    def _finished(self, page: Answer, article: Article) -> Article:
        """The item, with what its pipelines have to know of the visit before and of this one."""
        state = page.record.state
        document = article.kind == "document"
        if document and state.content_hash:
            article.change = "unchanged" if state.content_hash == int(article.content_hash, 16) else "updated"
        kind = Kind.DOCUMENT if document else Kind.ARTICLE
        record = page.record._replace(
            state=state._replace(kind=kind), form="document" if document else "article", job=page.job.name
        )
        stated = article.modified_at or page.modified_at
        seen = page.observation("unchanged", modified_at=stated)
        self.runtime.beside.note(article, record=record, seen=seen, validators=page.validators)
        return article

    # Both

    def unanswered(self, request: Request, fault: str) -> None:
        """A host does not answer: its page waits in the queue, and the job has nothing of it."""
        note_missed(self.runtime.diagnosis.tally, self._visit(request.url, request.meta), fault, request.url)

    async def failed(self, failure: Failure) -> AsyncIterator[Any]:
        """A request without a usable answer: counted by reason; tried again later where that can help."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit, fault = self._visit(request.url, request.meta), fault_of(failure)
        if fault.reason == PUT_OFF_REASON:
            return  # queued again, unlike a failure
        self.count(f"failed/{fault.reason}", request.url)
        job = self.book.get(visit.job)
        if job is None:
            return
        wall = None
        if fault.status in REFUSALS and isinstance(failure.value, HttpError):
            wall = await note_wall(self.crawler, job.name, failure.value.response)
        note_missed(self.runtime.diagnosis.tally, visit, f"wall_{wall}" if wall else fault.reason, request.url)
        if visit.kind == "part":
            if not fault.permanent and await self._put_off(visit, job):
                return
            async for result in self._gathered(visit, job, request.url, None, []):
                yield result
            return
        if visit.kind in _ENTRIES and visit.part > 1:
            return
        record = await self._record(visit.key, canonical_url(request.url), job, visit.kind)
        # What a crawler is told is often not what a reader is told, and not for long.
        page = self._unanswered(visit, job, record)
        await self._fail(page, REFUSED_PATIENCE if fault.status == 403 else 0 if fault.permanent else math.inf)

    async def _answer(self, response: Response) -> Answer | None:
        """The answer with its job and record; None where the job is gone or the address is none."""
        visit = self._visit(response.url, response.meta)
        job = self.book.get(visit.job)
        if job is None:
            self.count("refused/job_unknown", response.url)
            return None
        try:
            fetched = fetched_of(response, self.runtime.now())
            asked = canonical_url(response.meta.get("redirect_urls", [response.url])[0])
        except RefusedError as error:
            self.count(f"refused/{error.reason}", error.detail)
            return None
        record = await self._record(visit.key, asked, job, visit.kind)
        validators = validators_of(response)
        return Answer(visit, job, record, fetched, validators, modified_at(response, validators))

    def _visit(self, url: str, meta: dict[str, Any]) -> Visit:
        """What a request is for; one without a visit was typed, as with ``scrapy parse``, and is for its site's job."""
        if META_KEY in meta:
            return Visit.of(meta)
        if not self.book:
            self.book = JobBook.from_argument(None, url)
        owners = self.book.owners(canonical_url(url))
        return Visit(job=owners[0].name if owners else "", kind="auto", key=page_key(canonical_url(url)))

    def _unanswered(self, visit: Visit, job: Job, record: PageRecord) -> Answer:
        """A visit that brought no page."""
        return Answer(visit, job, record, Fetched(record.url, b"", None, self.runtime.now()), Validators())

    async def _record(self, key: int, url: str, job: Job, form: str) -> PageRecord:
        """What is stored of a page, or a record for one not stored yet."""
        (stored,) = await self.runtime.pages.get([key])
        if stored is not None:
            return stored
        kind = Kind.LIST if form in _ENTRIES else Kind.ARTICLE
        return PageRecord(key, url, job.name, PageState(kind), form=form if form in FORMS else "auto")

    async def _observe(self, page: Answer, outcome: Outcome, **seen: Any) -> None:
        validators = page.record.validators if outcome in ("not_modified", "failed") else page.validators
        await self.runtime.visits.observe(page.record, page.observation(outcome, **seen), validators, page.job)

    def count(self, name: str, detail: str = "", *, count: int = 1) -> None:
        """Counts an outcome under ``articlebot/page/``."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"articlebot/page/{name}", count)
        if detail:
            logger.debug("%s: %s", name, detail)
