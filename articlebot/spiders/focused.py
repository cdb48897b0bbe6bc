"""The focused spider: from a topic and a few addresses to the pages that matter, best first, within a budget."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from articlebot.connect import tagged
from articlebot.errors import ConfigError, RefusedError
from articlebot.items import Article, Link
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.page.anchors import anchors_of
from articlebot.page.entries import context_of
from articlebot.relevance import Focus, Judge, Pool, Waiting, load_topic
from articlebot.relevance.threshold import stored_threshold
from articlebot.runtime import Runtime
from articlebot.runtime.failures import fault_of
from articlebot.runtime.fetched import Fetched
from articlebot.runtime.reader import Refusal
from articlebot.spiders.arguments import refuse_scheduler, refuse_unknown, tell_unused
from articlebot.urls import canonical_or_none, canonical_url, page_key
from articlebot.visiting.answer import asked_for, fetched_of

logger = logging.getLogger(__name__)

_LINKS_OF_A_PAGE = 500
_ANCHORS_READ = 150
_PRIORITY_STEPS = 1000
_WORDS = 200
# Pages queued at once by all workers: fewer keep closer to the best order, more go faster (docs/benchmarks.md).
_WINDOW = 16
_STEPS = "off_topic"  # pages off the topic in a row that lead to this one, in the request's meta


class FocusedSpider(Spider):
    """Crawls from a topic's addresses to pages of the topic.

    What is known and not yet fetched waits in a pool, best first; a few pages at a time go from it into the frontier,
    which keeps them polite, leased and never twice. So a priority can rise until the page is next. Any number of
    workers share the pool, the budget and what they saw; whoever fetches a page, each ranks by it.

    Args:
        topic: a topic file (TOML).
        budget: pages to fetch, by all workers together.
        seeds: further addresses to begin at, separated by commas.
    """

    name = "focused"

    def __init__(self, topic: str | None = None, budget: str = "1000", seeds: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refuse_unknown(type(self), kwargs)
        if not topic:
            raise ConfigError("-a topic: expected a topic file, such as -a topic=topic.toml")
        if not budget.isdecimal() or int(budget) < 1:
            raise ConfigError(f"-a budget={budget}: expected a number of pages")
        self.topic = load_topic(Path(topic))
        self.budget = int(budget)
        try:
            further = [canonical_url(url) for url in seeds.split(",") if url.strip()]
        except RefusedError as error:
            raise ConfigError(f"-a seeds: {error.detail!r} is no http or https URL") from None
        self.seeds = list(dict.fromkeys((*self.topic.examples, *self.topic.seeds, *further)))
        if not self.seeds:
            raise ConfigError(f"{topic}: seeds: expected an address to begin at, here or with -a seeds=URL,URL")
        # The pipelines ask for an item's job; nothing of a focused crawl is visited again by itself.
        self.job = Job(name=self.topic.job_name, list_pages=tuple(self.seeds), recrawl_articles=False)
        self.book = JobBook([self.job])
        self.tasks: set[asyncio.Task[None]] = set()

    runtime: Runtime
    focus: Focus
    pool: Pool
    joined: asyncio.Future[bool]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        refuse_scheduler(cls, crawler.settings)
        tell_unused(cls, crawler.settings)
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.runtime = Runtime.of(crawler)
        config = spider.runtime.config
        stored = stored_threshold(config.general.data_dir, spider.topic.name)
        judge = Judge(
            spider.topic, feedback=config.relevance.feedback,
            threshold=stored.value if stored is not None else None, counted=config.relevance.rule == "design",
        )  # fmt: skip
        spider.focus = Focus(
            judge,
            rule=config.relevance.rule,
            m1=config.relevance.m1,
            hub=config.relevance.hub,
            assumptions=config.relevance.assumptions,
        )
        spider.pool = Pool(
            spider.runtime.clients.of("focus"),
            tagged(config.general.key_prefix, "focus"),
            spider.topic,
            spider.runtime.now,
        )
        crawler.signals.connect(spider.opened, signals.spider_opened)
        crawler.signals.connect(spider.dropped, signals.request_dropped)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    async def opened(self) -> None:
        """Joins the crawl before the first page is taken from the frontier.

        Otherwise this worker could hold a page of another worker's while that one, with nothing to do, ends the crawl.
        This worker would then begin the crawl once more.
        """
        self.joined = asyncio.ensure_future(self.pool.open())
        await asyncio.wait([self.joined])

    async def start(self) -> AsyncIterator[Request]:
        """The topic's addresses; they are fetched even where an earlier crawl fetched them."""
        fresh = await self.joined
        await self._hear()
        for url in self.seeds:
            if await self.pool.seed(url, fresh=fresh, budget=self.budget):
                yield self._request(url, Waiting(Link(url=url)), seed=True)
        await self._fill()

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """A page: judged, its links scored; an article that is relevant is an item."""
        asked = asked_for(response)
        try:
            fetched = fetched_of(response, self.runtime.now())
        except RefusedError as error:
            self._count(f"refused/{error.reason}", error.detail)
            await self._next(asked)
            return
        await self.runtime.reader.prepare(fetched)
        article = self._article(fetched, response)
        links = self._links(fetched)
        title, body = (article.title, article.body) if article else ("", _anchors(links))
        if asked in self.topic.examples:
            self.focus.judge.add_example(title, body)
        relevance, seen = self.focus.look(asked, title, body, links)
        changed = self.focus.take_in(seen)
        await self.pool.tell(seen)
        relevant = relevance >= self.focus.judge.threshold
        enough = self.runtime.config.relevance.qualifies_from
        if enough and not relevant and self.focus.topical(seen) >= enough:
            relevant = True
            self._count("qualified_by_links")
        self._count("relevant" if relevant else "off_topic")
        steps = 0 if relevant else response.meta[META_KEY].get(_STEPS, 0) + 1
        await self._offer(asked, links, changed, steps)
        await self._hear()
        await self._next(asked)
        if article is not None and relevant:
            article.relevance = round(relevance, 4)
            yield article

    async def failed(self, failure: Failure) -> None:
        """A page without a usable answer makes room for the next."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self._count(f"failed/{fault_of(failure).reason}", request.url)
        await self._next(asked_for(request))

    def dropped(self, request: Request, spider: Spider | None = None) -> None:
        """A page that the frontier knows already costs no budget."""
        task = asyncio.ensure_future(self._next(canonical_url(request.url), refund=True))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def idle(self, spider: Spider) -> None:
        """Keeps the crawl going while a dropped page is being replaced."""
        if self.tasks:
            raise DontCloseSpider

    async def closed(self, reason: str) -> None:
        """Leaves the pool to the other workers, or to the next crawl."""
        await self.pool.close()

    def _article(self, fetched: Fetched, response: Response) -> Article | None:
        try:
            article, _ = self.runtime.reader.read(fetched, self.job, Visit.of(response.meta))
        except Refusal as refusal:
            self._count(f"refused/{refusal.reason}", refusal.detail)
            return None
        return article if article.kind != "document" else None

    def _links(self, fetched: Fetched) -> list[Link]:
        found: dict[str, Link] = {}
        read: dict[Any, tuple[int, str]] = {}
        for anchor in anchors_of(fetched.page)[:_LINKS_OF_A_PAGE]:
            url = canonical_or_none(anchor.url)
            if url is not None and "nofollow" not in anchor.rel and url not in found:
                context = context_of(anchor.element, read)[:_WORDS]
                found[url] = Link(url=url, text=anchor.text[:_WORDS], context=context)
        return list(found.values())

    async def _hear(self) -> None:
        """Takes in what other workers saw."""
        changed = [url for seen in await self.pool.news() for url in self.focus.take_in(seen)]
        await self.pool.offer((url, self.focus.priority(url), None) for url in dict.fromkeys(changed))

    async def _offer(self, source: str, links: list[Link], changed: list[str], steps: int) -> None:
        followed = links if steps <= self.runtime.config.relevance.off_topic_depth else []
        found = {link.url: Waiting(link, source, steps) for link in followed}
        await self.pool.offer(
            (url, self.focus.priority(url), found.get(url)) for url in dict.fromkeys((*found, *changed))
        )

    async def _next(self, done: str, *, refund: bool = False) -> None:
        """Fills the window again: a place is free."""
        if await self.pool.done(done, refund=refund) and refund:
            self._count("known")
        await self._fill()

    async def _fill(self) -> None:
        engine = self.crawler.engine
        assert engine is not None
        while (found := await self.pool.take(_WINDOW, self.budget)) is not None:
            engine.crawl(self._request(*found))

    def _request(self, url: str, waiting: Waiting, *, seed: bool = False) -> Request:
        link, source = waiting.link, waiting.source
        visit = Visit(
            job=self.job.name, kind="auto", key=page_key(url), parent_url=source,
            parent=page_key(source) if source else 0, anchor=link.text, context=link.context,
        )  # fmt: skip
        meta = visit.meta() | ({_STEPS: waiting.steps} if waiting.steps else {})
        priority = _PRIORITY_STEPS if seed else round(_PRIORITY_STEPS * waiting.priority)
        return Request(url, self.parse, errback=self.failed, meta={META_KEY: meta}, priority=priority, dont_filter=seed)

    def _count(self, name: str, detail: str = "") -> None:
        self.runtime.count(f"focused/{name}")
        if detail:
            logger.debug("%s: %s", name, detail)


def _anchors(links: list[Link]) -> str:
    """What a page of links is about: their words."""
    return "\n".join(link.text for link in links[:_ANCHORS_READ])
