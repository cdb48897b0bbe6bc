"""One worker: articlebot's scheduler, session, requests in hand and slots middleware, and Scrapy's engine in small."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from twisted.python.failure import Failure

from articlebot.config import Config
from articlebot.frontier import Candidate
from articlebot.frontier.build import frontier_on
from articlebot.frontier.scheduler import Scheduler
from articlebot.jobs.book import JobBook, jobs_changed
from articlebot.jobs.model import Job
from articlebot.middlewares.slots import SlotsMiddleware
from articlebot.runtime import runtime as runtimes
from articlebot_lab.simulation.clock import EPOCH, Clock, Loop
from articlebot_lab.simulation.plan import Plan
from articlebot_lab.simulation.site import Page
from articlebot_lab.simulation.wire import Wire

# Seconds: what a test crawl uses, so that many pages and leases fit into a schedule.
CLICK_S, MEAN_S, BACK_OFF_S, CAP_S = 0.4, 0.6, 1.0, 3.0
TRIES = 3
_TIMEOUT_S = 5.0
# A status for which Scrapy's retry middleware makes another request, and how often.
_FAULTY, _RETRIES = 500, 2
JOBS = [Job.model_validate({"name": name, "list_pages": [f"http://{name}.test/"]}) for name in ("job0", "job1")]


@cache
def _settings(
    lease_s: float, adjacency: str, list_parents: bool, capacity: int, shards: int
) -> tuple[Settings, Config]:
    settings = Settings(
        {
            "SCHEDULER": "articlebot.frontier.scheduler.Scheduler", "REDIS_URL": "redis://simulated/0",
            "CONCURRENT_REQUESTS": capacity, "DOWNLOAD_TIMEOUT": _TIMEOUT_S, "SCHEDULER_PERSIST": True,
            "ROBOTSTXT_OBEY": False, "ARTICLEBOT_FRONTIER_LEASE_S": lease_s, "ARTICLEBOT_FRONTIER_TRIES": TRIES,
            "ARTICLEBOT_FRONTIER_ADJACENCY": adjacency, "ARTICLEBOT_FRONTIER_LIST_PARENTS": list_parents,
            "ARTICLEBOT_FRONTIER_SHARDS": shards, "ARTICLEBOT_FRONTIER_SEEN_EXPECTED": 1000,
            "ARTICLEBOT_FRONTIER_IDLE_WAIT_S": 1.0,
            "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": CLICK_S, "ARTICLEBOT_DELAYS_MEAN_S": MEAN_S,
            "ARTICLEBOT_DELAYS_BACK_OFF_S": BACK_OFF_S, "ARTICLEBOT_DELAYS_BACK_OFF_CAP_S": CAP_S,
        }
    )  # fmt: skip
    return settings, Config.from_settings(settings)


class _Spider(Spider):
    name = "article"
    book: JobBook

    def parse(self, response: Response) -> None:
        """Found by its name in stored requests; the engine below reads pages itself."""


class _Crawler:
    """What articlebot's parts ask of Scrapy's crawler and engine."""

    def __init__(self, settings: Settings, engine: Worker) -> None:
        self.settings, self.signals = settings, SignalManager(self)
        self.stats = SimpleNamespace(inc_value=engine.count)
        self.spidercls = _Spider
        self.spider: _Spider | None = None
        self.request_fingerprinter = None
        self.engine: Any = SimpleNamespace(
            _slot=SimpleNamespace(inprogress=engine.in_progress, nextcall=engine, closing=None),
            scraper=SimpleNamespace(slot=True), downloader=SimpleNamespace(per_slot_settings={}),
        )  # fmt: skip


class Refused(Exception):
    """A connection that was refused; named as Scrapy names it."""


Refused.__name__ = "DownloadConnectionRefusedError"


class Worker:
    """A worker process.

    Args:
        name: unique.
        plan: of the schedule.
        clock: its time.
        world: the driver: is told what happens, and answers downloads.
    """

    def __init__(self, name: str, plan: Plan, clock: Clock, world: Any) -> None:
        self.name, self._plan, self._world = name, plan, world
        self.rng = random.Random(f"worker {plan.seed} {name}")
        self.loop = Loop(clock, self.rng.uniform(10, 1e5))  # type: ignore[abstract] # no sockets, no processes
        self.frozen_until = 0.0
        self.partitioned_until = 0.0
        self.left = False
        self.inbox: list[Callable[[], None]] = []
        self.in_progress: set[Request] = set()
        self.counts: dict[str, int] = {}
        self._planned = False
        self._finds: asyncio.Task[None] | None = None
        self._build(clock)

    def _build(self, clock: Clock) -> None:
        plan = self._plan
        settings, config = _settings(plan.lease_s, plan.adjacency, plan.list_parents, plan.capacity, plan.shards)
        wire = Wire(lambda commands, answer: self._world.send(self, commands, answer), min(5.0, plan.lease_s / 4))
        self.spider = _Spider()
        self.spider.book = JobBook(JOBS)
        self._crawler = crawler = _Crawler(settings, self)
        crawler.spider = self.spider
        runtime = runtimes.Runtime(config, now=lambda: EPOCH + clock.now, rng=self.rng)
        runtime.worker = self.name
        wires: Any = [wire] * plan.shards if plan.shards > 1 else []
        runtime.__dict__["frontier"] = self.frontier = frontier_on(config, wire, wires)  # type: ignore[arg-type]
        runtime._crawler = lambda: crawler  # type: ignore[assignment,return-value]
        runtimes._runtimes[crawler] = runtime  # type: ignore[index]
        self.scheduler = Scheduler.from_crawler(crawler)  # type: ignore[arg-type]
        self._middleware = SlotsMiddleware.from_crawler(crawler)  # type: ignore[arg-type]
        self.loop.within(lambda: self.loop.create_task(self._live()))

    def count(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    # -- the engine ---------------------------------------------------------------------------------------------------

    async def _live(self) -> None:
        await self.scheduler._open(self.spider)
        await self.admit(self._world.site.seeds, None)
        while True:
            self.schedule()
            await asyncio.sleep(5.0)  # the engine's heartbeat

    def schedule(self) -> None:
        """Asks the scheduler soon, once."""
        if not self._planned:
            self._planned = True
            self.loop.call_soon(self._next)

    def _next(self) -> None:
        self._planned = False
        while not self.left and (request := self.scheduler.next_request()) is not None:
            self.in_progress.add(request)
            self.loop.create_task(self._fetch(request))

    async def _fetch(self, request: Request) -> None:
        try:
            result = await self._through(request)
            if isinstance(result, Request):
                self.scheduler.enqueue_request(result)
            elif result is not None and result.status == 200:
                await self._parse(request, result)
            else:
                self._world.gives_up(request.url)
        except IgnoreRequest:
            pass
        finally:
            self.in_progress.discard(request)
            self.schedule()

    async def _through(self, request: Request) -> Request | Response | None:
        if (early := await self._middleware.process_request(request)) is not None:
            return early
        try:
            response = await self._download(request)
        except (Refused, TimeoutError) as error:
            return self._middleware.process_exception(request, error)
        result = self._middleware.process_response(request, response)
        tried = int(request.meta.get("retry_times", 0))
        if result is response and response.status == _FAULTY and tried < _RETRIES:
            meta = {**request.meta, "retry_times": tried + 1}
            return request.replace(dont_filter=True, meta=meta, priority=request.priority - 1)
        return result

    async def _download(self, request: Request) -> Response:
        send = self._crawler.signals.send_catch_log
        send(signals.request_reached_downloader, request=request, spider=self.spider)
        download = self._world.begins(self, request)
        try:
            async with asyncio.timeout(request.meta.get("download_timeout", _TIMEOUT_S)):
                await download.answered
            if not download.status:
                raise Refused
            response = TextResponse(request.url, status=download.status, body=b"", request=request)
            send(signals.response_downloaded, response=response, request=request, spider=self.spider)
            return response
        finally:
            self._world.ends(download)
            send(signals.request_left_downloader, request=request, spider=self.spider)

    async def _parse(self, request: Request, response: Response) -> None:
        page = self._world.site.by_url[request.url]
        await asyncio.sleep(self.rng.choice([0.0, 0.01, 0.5]) * self.rng.random())
        if self._world.raises():
            failure = Failure(ValueError("the callback"))  # type: ignore[no-untyped-call]
            self._crawler.signals.send_catch_log(
                signals.spider_error, failure=failure, response=response, spider=self.spider
            )
            return
        await self.admit(page.links, page)
        self._world.read(request.url)

    async def admit(self, numbers: Any, page: Page | None) -> None:
        """Sends the links of a page on their way, or the seeds."""
        pages = [self._world.site.pages[number] for number in numbers]
        if page is not None and len(page.links) % 3 == 2:  # some spiders yield requests instead
            for one in pages:
                meta = {"articlebot": {"job": one.job, "parent": 0}}
                self.scheduler.enqueue_request(Request(one.url, callback=self.spider.parse, meta=meta))
            return
        parent, from_list = (None, True) if page is None else (page.url, page.is_list)
        for job in sorted({one.job for one in pages}):
            await self.frontier.links.admit(
                [Candidate(one.url, self.rng.choice([0, 0, 5])) for one in pages if one.job == job],
                job=job, parent_url=parent, from_list=from_list, callback="parse",
            )  # fmt: skip

    def find_anew(self) -> None:
        """The list pages are visited again."""
        self._finds = self.loop.within(lambda: self.loop.create_task(self.admit(self._world.site.seeds, None)))

    def follow(self, jobs: list[Job]) -> None:
        """The worker's jobs change."""
        self.spider.book = JobBook(jobs)
        self.loop.within(lambda: self._crawler.signals.send_catch_log(jobs_changed))

    def leave(self) -> None:
        """Ends in order."""
        self._crawler.engine._slot.closing = True
        self.left = True
        self.loop.within(lambda: self.loop.create_task(self._leave()))

    async def _leave(self) -> None:
        while self.in_progress:  # noqa: ASYNC110 - as Scrapy's engine waits
            await asyncio.sleep(0.1)
        await self.scheduler._close("shutdown")
        self._world.gone(self)

    def is_idle(self) -> bool:
        """Whether the worker would end the crawl now."""
        if self._finds is not None and not self._finds.done():
            return False
        return not self.in_progress and not self.loop.within(self.scheduler.has_pending_requests)
