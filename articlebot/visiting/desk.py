"""What the parts of the article spider work with: its jobs and stores, and the requests and records of visits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy import Request

from articlebot.bounded import Bounded
from articlebot.errors import RefusedError
from articlebot.frontier import Candidate
from articlebot.frontier.requests import to_envelope
from articlebot.items import Article, Withdrawal
from articlebot.jobs.follow import priority_of
from articlebot.jobs.visit import ENTRIES, META_KEY, Visit
from articlebot.recrawl import Kind, PageRecord, PageState, Validators
from articlebot.recrawl.record import FORMS
from articlebot.runtime.fetched import Fetched
from articlebot.urls import canonical_url, page_key
from articlebot.visiting.answer import Answer, asked_for, fetched_of, modified_at
from articlebot.visiting.outcomes import Outcomes, is_read

if TYPE_CHECKING:
    from scrapy.http import Response

    from articlebot.jobs import Job
    from articlebot.jobs.book import JobBook
    from articlebot.recrawl.observation import Outcome
    from articlebot.runtime import Runtime
    from articlebot.spiders.article import ArticleSpider

# Visits of a page never read that may meet a 403, a wall that passes or something else, before it is given up.
REFUSED_PATIENCE = 3
# Statuses of redirects that are for good.
_LASTING = {301, 308}
_MOST_SAID = 2000
_CALLBACKS = {"list": "parse_list", "feed": "parse_feed", "sitemap": "parse_sitemap", "part": "parse_part"}


class Desk:
    """Makes requests of visits, and keeps the records of what they found.

    Args:
        spider: whose methods the requests name, and whose jobs are followed.
        runtime: its stores; each is asked for only when needed, because that connects to it.
    """

    def __init__(self, spider: ArticleSpider, runtime: Runtime) -> None:
        self._spider, self.runtime = spider, runtime
        self.outcomes = Outcomes(runtime)
        # Jobs whose sites are to be looked at again, as where an entry page leads to another site for good.
        self.to_look_at: set[str] = set()
        # What lists have said a short while ago of their links: these may be on their way already, named by a sitemap.
        self._said: Bounded[int, Mapping[str, Any]] = Bounded(_MOST_SAID)
        self.now = runtime.now

    @cached_property
    def begun_at(self) -> float:
        """When the crawl began, epoch seconds; first asked for when it does."""
        return self.now()

    def note_said(self, found: Iterable[Candidate]) -> None:
        """Keeps what stands around links, for those that were queued without it."""
        for one in found:
            if one.key is not None and "context" in one.meta:
                self._said[one.key] = {name: one.meta[name] for name in ("anchor", "context") if name in one.meta}

    def told(self, visit: Visit) -> Visit:
        """A visit with what a list has said of its page since it was queued, where it was queued without any."""
        said = self._said.get(visit.key) if not visit.context and visit.published_at is None else None
        return replace(visit, **said) if said else visit

    @property
    def jobs(self) -> JobBook:
        """The jobs that are followed now; they may be others later."""
        return self._spider.book

    def know(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        """Goes by what looks at the sites of jobs have found, as keys of jobs, by job."""
        if found:
            self._spider.follow(self.jobs.knowing(found))

    def know_no_more(self, jobs: Collection[str]) -> None:
        """Goes by nothing that looks at the sites of these jobs have found."""
        if jobs:
            self._spider.follow(self.jobs.without(jobs))

    # -- out

    def request(self, url: str, job: Job, visit: Visit, *, known: bool = False, **kwargs: Any) -> Request:
        """The request of a visit; ``known`` for an article that was read before."""
        callback = getattr(self._spider, _CALLBACKS.get(visit.kind, "parse"))
        return Request(
            url, callback, errback=self._spider.failed, meta={META_KEY: visit.meta()}, dont_filter=True,
            priority=priority_of(job, visit.kind, known=known, backfill=visit.backfill), **kwargs,
        )  # fmt: skip

    async def queue(self, *requests: Request) -> None:
        """Queues requests; may be repeated where it failed.

        Raises:
            redis.RedisError, StoreUnavailable: Redis is away.
        """
        await self.runtime.frontier.push([to_envelope(request, self._spider) for request in requests])

    # -- in

    async def answer(self, response: Response) -> Answer | None:
        """The answer with its job and record; None where the job is gone or the address is none."""
        visit = self.visit_of(response)
        job = await self._job_of(visit)
        if job is None:
            self.outcomes.count("refused/job_unknown", response.url)
            return None
        try:
            fetched = fetched_of(response, self.now(), job.stated_zone)
            asked = asked_for(response)
        except RefusedError as error:
            self.outcomes.count(f"refused/{error.reason}", error.detail)
            return None
        record = await self._record(visit.key, asked, job, visit.kind)
        validators = Validators.of(response.headers.get)
        modified, led = modified_at(response, validators), set(response.meta.get("redirect_reasons", ()))
        return Answer(visit, job, record, fetched, response.status, validators, modified, bool(led) and led <= _LASTING)

    async def _job_of(self, visit: Visit) -> Job | None:
        """The job of a visit. What another worker's look has found just now counts for the pages that it led to."""
        job = self.jobs.get(visit.job)
        if job is None or job.site is None or self.jobs.found(job.name) is not None:
            return job
        told = await self.runtime.looks.told(job.name)
        if told is not None and told.site == job.site:
            self.know({job.name: told.keys})
            self.runtime.reader.know_front(job.name, told.front)
            if not await self.runtime.looks.free([job.name]):
                # Until that look is heard to have ended: should its worker die, the rest of what it read is not queued.
                self.to_look_at.add(job.name)
        return self.jobs.get(job.name)

    async def without_page(self, visit: Visit, job: Job, url: str, *, key: int | None = None) -> Answer:
        """A visit that brought no page.

        Args:
            url: canonical address of the page.
            key: its page key, where that is not the visit's.
        """
        record = await self._record(visit.key if key is None else key, url, job, visit.kind)
        return Answer(visit, job, record, Fetched(record.url, b"", None, self.now()))

    def visit_of(self, asked: Request | Response) -> Visit:
        """What a request is for. One without a visit was typed (``scrapy parse``) and is for its site's job."""
        meta: Mapping[str, Any] = asked.meta
        if META_KEY in meta:
            return Visit.of(meta)
        canonical = canonical_url(asked.url)
        owners = self.jobs.owners(canonical)
        return Visit(job=owners[0].name if owners else "", kind="auto", key=page_key(canonical))

    async def _record(self, key: int, url: str, job: Job, form: str) -> PageRecord:
        """What is stored of a page, or a record for one not stored yet."""
        (stored,) = await self.runtime.pages.get([key])
        if stored is not None:
            return stored
        kind = Kind.LIST if form in ENTRIES else Kind.ARTICLE
        return PageRecord(key, url, job.name, PageState(kind), form=form if form in FORMS else "auto")

    # -- done

    async def refuse(self, page: Answer, reason: str) -> None:
        """An answer is not read at all."""
        self.outcomes.count(f"refused/{reason}", page.fetched.url)
        self.outcomes.missed(page.visit, reason, page.fetched.url)
        await self.runtime.reasons.note(page.visit.key, reason)
        await self.fail(page, 0)

    async def observe(self, page: Answer, outcome: Outcome, **seen: Any) -> None:
        """The visit is over, and this is what it found."""
        validators = page.record.validators if outcome in ("not_modified", "failed") else page.validators
        await self.runtime.visits.observe(page.record, page.observation(outcome, **seen), validators, page.job)

    async def fail(self, page: Answer, patience: float) -> None:
        """The visit failed; a page that was never read is given up after so many such visits."""
        state = page.record.state
        if is_read(page.record) or state.kind is Kind.LIST or state.failures < patience:
            await self.observe(page, "failed")
        elif state.fetches:
            await self.runtime.pages.forget(page.record.key)

    def finished(self, page: Answer, article: Article, **kept: Any) -> Article:
        """The item, with what its pipelines have to know of the visit before and of this one.

        Args:
            kept: further fields of ``Beside``.
        """
        state, document = page.record.state, article.kind == "document"
        if document and state.content_hash:
            article.change = "unchanged" if state.content_hash == int(article.content_hash, 16) else "updated"
        record = page.record._replace(
            state=state._replace(kind=Kind.DOCUMENT if document else Kind.ARTICLE),
            form="document" if document else "article", job=page.job.name,
        )  # fmt: skip
        self.outcomes.published(page, article.published_at_epoch)
        seen = page.observation(
            "unchanged", modified_at=article.modified_at or page.modified_at, published_at=article.published_at_epoch
        )
        self.runtime.beside.note(article, record=record, seen=seen, validators=page.validators, **kept)
        return article

    def withdrawn(self, page: Answer, reason: str) -> Withdrawal:
        """The item of an article that its site has taken back."""
        gone = Withdrawal(
            url=page.record.url, page_key=f"{page.record.key:016x}", job=page.job.name, at=page.fetched.at,
            reason=reason,
        )  # fmt: skip
        self.runtime.beside.note(gone, record=page.record, seen=page.observation("gone"))
        return gone
