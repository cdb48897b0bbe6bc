"""What the parts of the article spider work with: its jobs and stores, and the requests and records of visits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError
from scrapy import Request

from articlebot.dedup import article_text, judge_change
from articlebot.errors import RefusedError
from articlebot.frontier.requests import to_envelope
from articlebot.items import Article, Withdrawal
from articlebot.jobs.follow import priority_of
from articlebot.jobs.visit import ENTRIES, META_KEY, Visit
from articlebot.recrawl import Kind, PageRecord, PageState, Validators
from articlebot.recrawl.record import FORMS
from articlebot.runtime.fetched import Fetched
from articlebot.runtime.repeats import MOST_CHARS
from articlebot.text import content_hash
from articlebot.urls import canonical_url, page_key, site, subdomain
from articlebot.visiting.answer import Answer, asked_for, fetched_of, modified_at
from articlebot.visiting.outcomes import Outcomes, is_read

if TYPE_CHECKING:
    from scrapy.http import Response

    from articlebot.jobs import Job
    from articlebot.jobs.book import JobBook
    from articlebot.recrawl.observation import Outcome
    from articlebot.runtime import Runtime
    from articlebot.spiders.article import ArticleSpider

logger = logging.getLogger(__name__)
# An article that its site shows anew under another address after so long is published again.
_ON_ITS_WAY_S = 86_400.0
# Visits of a page that waits until the first address of its text was asked: that may not answer. Between them seconds
# pass, the more the more there were, 7.5 in all: where a host may be asked without pause, six visits were over on a
# busy machine before the redirect of the first address had been followed.
_MOST_WAITS, _WAIT_S = 6, 0.5
# Statuses of redirects that are for good.
_LASTING = {301, 308}
# SimHash bits by which an article that was edited differs at most; two that have nothing in common differ by
# 32 of 64, and by so few once in 27,000 pairs.
_MOST_BITS = 16
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
        self.now = runtime.now

    @cached_property
    def begun_at(self) -> float:
        """When the crawl began, epoch seconds; first asked for when it does."""
        return self.now()

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
        job = self.jobs.get(visit.job)
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

    async def identified(self, page: Answer, article: Article, further: Collection[str] = ()) -> PageRecord | None:
        """The record under which an article is kept; None when it is known under another address already.

        Args:
            further: the article's further pages.
        """
        key, pages = int(article.page_key, 16), self.runtime.pages
        if not is_read(page.record) and await self._is_twin(page, article, key, further):
            return None
        if key == page.record.key:
            return page.record
        (known,) = await pages.get([key])
        if page.record.state.fetches:
            await pages.forget(page.record.key)
        if known is not None:
            self.outcomes.count("alias", f"{page.fetched.url} is {article.canonical_url}")
            return None
        await self.runtime.frontier.of_host(subdomain(article.canonical_url)).seen.mark([key])
        return page.record._replace(key=key, url=article.canonical_url)

    async def stays(self, page: Answer, article: Article) -> bool:
        """Whether what is at the address of an article that was read before is that one; then it keeps its identity.

        A site that orders its addresses anew, or makes them of headlines, leads from the old one to the new one.
        """
        key = int(article.page_key, 16)
        if key == page.record.key:
            return True
        (known,) = await self.runtime.pages.get([key])
        if not self.is_like(page, article) or (known is not None and is_read(known)):
            return False
        await self.runtime.frontier.of_host(subdomain(article.canonical_url)).seen.mark([key])
        article.page_key, article.canonical_url = f"{page.record.key:016x}", page.record.url
        return True

    def is_like(self, page: Answer, article: Article) -> bool:
        """Whether an article is the one that was read at the visit before, as it was or edited."""
        state, text = page.record.state, article_text(article.title, article.body)
        if article.kind == "document" and state.content_hash == int(article.content_hash, 16):
            return True
        verdict = judge_change(state.content_hash, state.fingerprint, text, self.runtime.config.change)
        return verdict.change == "unchanged" or (verdict.distance is not None and verdict.distance <= _MOST_BITS)

    async def _is_twin(self, page: Answer, article: Article, key: int, further: Collection[str]) -> bool:
        """Whether the site shows the text under another address that is followed already, or may have moved it."""
        if article.kind == "document" or not article.body:
            return False
        text, home = content_hash(article_text(article.title, article.body)), _home(page.job, article)
        try:
            first, at = await self.runtime.twins.first_of(home, text, key, page.fetched.at)
            is_new = first == key
            if is_new and len(article.body) >= MOST_CHARS:
                body = content_hash(article.body)
                first, at = await self.runtime.twins.first_of(home, body, key, page.fetched.at)
        except RedisError as error:
            logger.info("Not asked whether %s has a twin: %s", page.fetched.url, error)
            return False
        if first == key:
            return False
        (known,) = await self.runtime.pages.get([first])
        if is_new and (known is None or known.state.content_hash != text):
            return known is not None and await self._may_have_moved(page, known)
        # Unknown: on its way through the pipelines, or not kept because its job visits no article again; later, gone.
        # Of one of several pages the whole is kept, which is not known yet.
        same = known is not None and (bool(further) or known.state.content_hash in (0, text))
        is_twin = page.fetched.at - at < _ON_ITS_WAY_S if known is None else same
        if is_twin:
            self.outcomes.count("alias", f"{page.fetched.url} is a page read before")
            if page.record.state.fetches:
                await self.runtime.pages.forget(page.record.key)
        return is_twin

    async def _may_have_moved(self, page: Answer, known: PageRecord) -> bool:
        """Whether a text under another headline is put off until its first address has been asked again.

        A headline that is worded anew often moves its article, which a list may show before the old address does.
        """
        state = page.record.state
        is_asked = state.failures > 0 and known.state.last_at >= state.first_at
        if is_asked or state.failures >= _MOST_WAITS or known.job != page.job.name or not is_read(known):
            return False
        if not state.failures:
            visit = Visit(job=known.job, kind=known.form, key=known.key, delay=page.job.delay)
            await self.queue(self.request(known.url, page.job, visit))
            self.outcomes.count("asked_first_address", f"{page.fetched.url} has the text of {known.url}")
        await asyncio.sleep(_WAIT_S * state.failures)  # the slot is free meanwhile
        await self.fail(page, _MOST_WAITS)
        # Due at once, in any run: its slot asks for what was queued first.
        await self.runtime.pages.put_off({page.record.key: 0.0}, inf)
        return True

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


def _home(job: Job, article: Article) -> str:
    """The site whose an article is: of one that has moved, the site that the job names, as before."""
    if job.site is None or (home := site(job.site)) == article.site:
        return article.site
    return home if any(site(url) == article.site for url, _ in job.entry_urls) else article.site
