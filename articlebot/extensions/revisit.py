"""Adaptive recrawl for spiders of other projects: they mark a request, and its page is visited again when it pays."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro

from articlebot.errors import RefusedError, StoreUnavailable
from articlebot.extraction.cascade import extract
from articlebot.outage import Outage
from articlebot.page import page_of
from articlebot.page.anchors import anchors_of
from articlebot.recrawl import Kind, Observation, PageRecord, PageState, Params, Validators, policy
from articlebot.recrawl.visit import end_of, last_visit
from articlebot.runtime.component import Component
from articlebot.text import content_hash
from articlebot.urls import canonical_url, page_key

logger = logging.getLogger(__name__)
META_KEY = "articlebot_recrawl"
_LOOK_S = 5.0
_AT_ONCE = 200
# How often it is said that this spider is still here, so that its pages are not swept.
_NOTE_S = 3600.0
# A page of which the answer never comes is due again after this.
_LEASE_S = 600.0
# Less text than this is no article: then the links on the page say whether it has changed.
_LEAST_TEXT = 200


class RevisitExtension(Component):
    """Follows pages of requests with ``meta["articlebot_recrawl"]``: true, or seconds until the second visit.

    An answered page is due again when the policy of ``ARTICLEBOT_RECRAWL_POLICY`` says so. Due pages are
    requested with the callback that they had, which has to be a method of the spider, and with the validators of the
    last answer, so that an unchanged page costs a 304. A crawl ends when nothing is due, as ever; run it from cron.

    Stats: ``articlebot/revisit/<outcome>`` (as of the recrawl), ``articlebot/revisit/queued`` and ``ended``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        runtime = self._runtime
        section = runtime.config.recrawl
        self._policy = policy(section.policy)
        self._params = Params(
            min_interval=section.min_interval, max_interval=section.max_interval, scale=section.scale,
            rule=runtime.config.change.rule, threshold=runtime.config.change.threshold, day_s=section.day_s,
        )  # fmt: skip
        self._quiet_s = section.article_days * section.day_s
        self._noted_at = 0.0
        self._writing: set[asyncio.Task[None]] = set()
        self._asked: dict[int, PageRecord] = {}
        self._nothing_due = False
        self._outage = Outage(logger)

    def spider_opened(self) -> None:
        """Begins to look for due pages."""
        self._repeat(self._queue_due, _LOOK_S, now=True)

    def response_received(self, response: Response, request: Request, spider: Spider) -> None:
        """Notes what a marked page answered."""
        mark = request.meta.get(META_KEY)
        if not mark:
            return
        task = asyncio.ensure_future(self._note(response, request, spider))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    def spider_idle(self) -> None:
        """Looks once more before the crawl ends.

        Raises:
            DontCloseSpider: something may be due.
        """
        if self._writing or not self._nothing_due:
            if not self._writing:
                self._nothing_due = True  # unless the look that begins here finds something
                deferred_from_coro(self._queue_due())
            raise DontCloseSpider

    async def spider_closed(self) -> None:
        """Ends looking; what was answered is written, and what was not is due for the next crawl."""
        self._stop()
        if self._writing:
            await asyncio.wait(self._writing)
        try:
            await self._runtime.pages.put_many(list(self._asked.values()))
        except StoreUnavailable as error:
            logger.warning("%d pages are due again %.0f s later: %s", len(self._asked), _LEASE_S, error)

    # -- out

    async def _queue_due(self) -> None:
        spider, engine, now = self._crawler.spider, self._crawler.engine, self._runtime.now()
        if spider is None or engine is None:
            return
        try:
            names = (await self._runtime.pages.counts(now)).by_job
            if not 0 <= now - self._noted_at < _NOTE_S:
                self._noted_at = now
                await self._runtime.pages.note_jobs([name for name in names if name.startswith(f"{spider.name}/")], now)
            others = [name for name in names if not name.startswith(f"{spider.name}/")]
            due = await self._runtime.pages.lease_due(now, _AT_ONCE, _LEASE_S, skip=others)
        except StoreUnavailable as error:
            self._outage.begin("Due pages wait for Redis: %s", error)
            return
        self._outage.end("Due pages are queued again")
        for place, record in enumerate(due):
            callback = getattr(spider, record.job.partition("/")[2], None)
            if callback is None:
                await self._runtime.pages.forget(record.key)
                continue
            try:
                engine.crawl(self._request(record, callback))
            except RuntimeError:  # the crawl is ending: the next one visits them
                await self._runtime.pages.put_many(due[place:])
                return
            self._nothing_due = False
            self._asked[record.key] = record
            self._runtime.count("revisit/queued")

    @staticmethod
    def _request(record: PageRecord, callback: Any) -> Request:
        headers = record.validators.conditions
        return Request(record.url, callback, headers=headers, dont_filter=True, meta={META_KEY: True})

    # -- in

    async def _note(self, response: Response, request: Request, spider: Spider) -> None:
        callback = request.callback
        name = "parse" if callback is None else getattr(callback, "__name__", "")
        try:
            url = canonical_url(request.meta.get("redirect_urls", [request.url])[0])
            if not callable(getattr(spider, name, None)):
                raise RefusedError("callback", f"{name!r} is no method of the spider")
        except RefusedError as error:
            logger.warning("%s is not visited again: %s", request, error)
            return
        now = self._runtime.now()
        self._asked.pop(page_key(url), None)
        try:
            (known,) = await self._runtime.pages.get([page_key(url)])
            before = known.state if known is not None and known.state.fetches else None
            seen = _observed(response, before, now)
            mark = request.meta[META_KEY]
            params = self._params if mark is True else self._params._replace(initial=float(mark), stated_at=0.0)
            state = self._policy.next_state(before, seen, params, now, self._runtime.rng)
            if end_of(before, state, seen, self._quiet_s):
                await self._runtime.pages.forget(page_key(url))
                self._runtime.count("revisit/ended")
                return
            state = last_visit(state, params, self._quiet_s)
            validators = (
                Validators.of(response.headers.get) if response.status != 304 or known is None else known.validators
            )
            await self._runtime.pages.put_many(
                [PageRecord(page_key(url), url, f"{spider.name}/{name}", state, validators)]
            )
        except StoreUnavailable as error:
            logger.warning("When %s is due again is not kept: %s", url, error)
            return
        self._runtime.count(f"revisit/{seen.outcome}")


def _observed(response: Response, before: PageState | None, now: float) -> Observation:
    kind = Kind.DOCUMENT if before is None else before.kind
    if response.status == 304:
        return Observation(now, "not_modified", kind)
    if response.status in (404, 410):
        return Observation(now, "gone", kind)
    if not 200 <= response.status < 300:
        return Observation(now, "failed", kind)
    page = page_of(response, now)
    text = extract(page).body
    kind = Kind.ARTICLE
    if len(text) < _LEAST_TEXT:
        kind, text = Kind.LIST, "\n".join(sorted(anchor.url for anchor in anchors_of(page)))
    digest = content_hash(text)
    same = before is not None and digest == before.content_hash
    return Observation(now, "unchanged" if same else "changed", kind, content_hash=digest)
