"""Scrapy's SCHEDULER: hands out what the frontier says may start, and reports what became of it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError
from scrapy import Request, Spider, signals
from scrapy.utils.defer import deferred_from_coro
from scrapy_redis.scheduler import Scheduler as RedisScheduler

from articlebot.config import Config
from articlebot.errors import RefusedError, StateError, StoreUnavailable
from articlebot.frontier.build import delays_of
from articlebot.frontier.delays import Schedule, Times, back_off_after, parse_retry_after
from articlebot.frontier.hosts import Hosts
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.queue import Frontier
from articlebot.frontier.requests import of_articlebot, to_envelope, to_request
from articlebot.frontier.session import Session
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)


def frontier_for(crawler: Crawler) -> Frontier:
    """The frontier of a crawler, the same for its scheduler and its spider."""
    return Runtime.of(crawler).frontier


@dataclass(slots=True, eq=False)
class _Held:
    """A request between hand-out and acknowledgement; times in the event loop's clock."""

    leased: Leased
    planned_at: float
    started_at: float | None = None
    heard_at: float | None = None
    status: int | None = None
    retry_after: float | None = None
    released: bool = False
    failure: str | None = None
    lost: bool = False
    postponed_s: float | None = None


class Scheduler(RedisScheduler):  # type: ignore[misc]
    """Scheduler on the shared frontier; see ``docs/frontier.md``.

    Of scrapy-redis it keeps the place and the settings ``REDIS_URL`` and ``SCHEDULER_FLUSH_ON_START``; a queue always
    persists. Requests, their order, the seen set and the delays are the frontier's.
    """

    def __init__(self, crawler: Crawler) -> None:
        runtime = Runtime.of(crawler)
        self.crawler = crawler
        self.stats = crawler.stats
        self.flush_on_start = crawler.settings.getbool("SCHEDULER_FLUSH_ON_START")
        self.config: Config = runtime.config
        self.runtime = runtime
        self.frontier = runtime.frontier
        self.delays = delays_of(runtime.config)
        self.crawl_delays: dict[str, float] = {}
        self._schedule = Schedule()
        self._held: dict[Request, _Held] = {}
        self._capacity = crawler.settings.getint("CONCURRENT_REQUESTS") or 1000
        self.spider: Spider | None = None
        self.session: Session | None = None
        self.hosts: Hosts | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler:
        """The scheduler of a crawler."""
        return cls(crawler)

    # -- Scrapy's side ------------------------------------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None]:
        """Connects to the frontier."""
        return deferred_from_coro(self._open(spider))

    async def _open(self, spider: Spider) -> None:
        self.spider = spider
        if self.flush_on_start:
            await self.frontier.purge()
        self.session = Session(
            self.frontier,
            self.runtime.worker,
            look_ahead=self.config.frontier.look_ahead_s,
            room=self._room,
            held=self._members,
            wake=self._wake,
            count=self._count,
            lost=self._lost,
            dead_workers=self._dead_workers,
        )
        self.hosts = Hosts(self.frontier, self.runtime.worker)
        connect = self.crawler.signals.connect
        connect(self._on_start, signals.request_reached_downloader)
        connect(self._on_headers, signals.headers_received)
        connect(self._on_response, signals.response_downloaded)
        connect(self._on_end, signals.request_left_downloader)
        connect(self._on_item_error, signals.item_error)
        connect(self._on_spider_error, signals.spider_error)
        await self.session.start()

    def close(self, reason: str) -> Deferred[None]:
        """Returns what was not begun and says the last words."""
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        if self.session is None:
            return
        self._acknowledge()
        if self.hosts is not None:
            await self.hosts.close()
        await self.session.close()
        for reason, number in self.frontier.refused.items():
            self._count(f"refused/{reason}", number)

    def enqueue_request(self, request: Request) -> bool:
        """Takes a request to be stored with the next round trip; False when it cannot be stored."""
        assert self.session is not None
        assert self.spider is not None
        if request in self._held:
            return True  # its download was not begun, because its lease is lost: it is in the frontier already
        try:
            self.session.push(to_envelope(request, self.spider))
        except RefusedError as error:
            self._count(f"refused/{error.reason}", 1)
            logger.warning("Refused %s: %s", request, error.detail)
            return False
        return True

    def next_request(self) -> Request | None:
        """The next request whose slot is free now, None where there is none."""
        assert self.session is not None
        assert self.spider is not None
        self._acknowledge()
        while (due := self.session.next_due()) is not None:
            leased, planned_at = due
            try:
                request = to_request(leased.record, self.spider)
            except StateError as error:
                logger.error("A stored request is quarantined: %s", error)
                self._count("unreadable", 1)
                self.session.report(Settlement("fail", leased.member, text=str(error)), planned_at)
                continue
            job = str(of_articlebot(request).get("job", ""))
            if job and not self._knows(job):
                self._count("job_unknown", 1)
                self.session.report(self._passed_on(job, leased.member), planned_at)
                continue
            request.meta["articlebot_slot"] = leased.slot
            self._held[request] = _Held(leased, planned_at)
            if self.hosts is not None:
                self.hosts.enter_leased(leased.host)
            return request
        return None

    def has_pending_requests(self) -> bool:
        """Whether the crawl has to wait for something; a start further away than ``idle_wait_s`` is not waited for."""
        if self.session is None:
            return False
        self._acknowledge()
        return bool(self._held) or self.session.is_pending(self.config.frontier.idle_wait_s)

    def holds(self, request: Request) -> bool:
        """Whether the request is leased by this worker."""
        return request in self._held

    def postpone(self, request: Request, seconds: float) -> bool:
        """Queues a request again that cannot be fetched now; its slot rests so long. False where it is not leased.

        To be called before the request fails; that counts as no try.
        """
        held = self._held.get(request)
        if held is not None:
            held.postponed_s = seconds
        return held is not None

    async def may_begin(self, request: Request) -> float:
        """Seconds for which a download may last, so that it ends while its slot is surely this worker's.

        While Redis is away this waits. 0 where the slot may have gone to another worker meanwhile: a leased request
        must not be downloaded then, any other has to ask for its slot again.
        """
        assert self.session is not None
        held = self._held.get(request)
        doubtful = self.session.in_doubt
        while self.session.in_doubt and not self.is_closing:  # noqa: ASYNC110 - a time, not an event
            await asyncio.sleep(0.1)
        if held is None:
            return 0.0 if doubtful else self.session.lease_left()
        if self.session.in_doubt:
            self._lose(held)
        return 0.0 if held.lost else self.session.lease_left()

    @property
    def is_closing(self) -> bool:
        """Whether the crawl ends."""
        engine = self.crawler.engine
        return engine is None or engine._slot is None or engine._slot.closing is not None

    def server_time(self) -> float:
        """Redis' clock as this worker knows it, which all workers of the crawl share; epoch seconds."""
        assert self.session is not None
        return self.session.server_time()

    def least_delay(self, host: str) -> float:
        """The shortest delay that the host's slot may have, in seconds."""
        return self.delays.least(self.crawl_delays.get(host))

    def sample_delay(self, host: str) -> float:
        """A delay of the host's slot for a fetch that no job asked for."""
        return self.delays.sample(self.runtime.rng, None, self.crawl_delays.get(host))

    def __len__(self) -> int:
        return 0 if self.session is None else self.session.buffered + self.session.unsaid + len(self._held)

    def flush(self) -> None:
        """Not offered: a shared frontier is emptied with ``scrapy frontier purge``."""
        raise NotImplementedError("use `scrapy frontier purge`")

    # -- what became of requests --------------------------------------------------------------------------------------

    def _on_start(self, request: Request) -> None:
        held = self._held.get(request)
        if held is not None and held.started_at is None:
            held.started_at = self._time()

    def _on_headers(self, request: Request) -> None:
        held = self._held.get(request)
        if held is not None:
            held.heard_at = self._time()

    def _on_response(self, response: Response, request: Request) -> None:
        held = self._held.get(request)
        if held is not None:
            held.status = response.status
            header = response.headers.get("Retry-After")
            held.retry_after = parse_retry_after(header.decode("latin-1") if header else None, self.runtime.now())

    def _on_end(self, request: Request) -> None:
        held = self._held.get(request)
        if held is not None and not held.released:
            self._release(request, held)

    def _release(self, request: Request, held: _Held) -> None:
        assert self.session is not None
        now = self._time()
        held.released = True
        leased = held.leased
        if self.hosts is not None:
            self.hosts.leave_leased(leased.host)
        if held.started_at is None or held.lost:
            return  # answered without a download: the slot is freed with the acknowledgement
        crawl_delay = self.crawl_delays.get(leased.host)
        mean = of_articlebot(request).get("delay")
        delay = self.delays.sample(self.runtime.rng, mean if isinstance(mean, int | float) else None, crawl_delay)
        heard_at = held.heard_at if held.heard_at is not None else now
        times = Times(held.planned_at, held.started_at, heard_at, now)
        free_at = self._schedule.next_start(leased.slot, times, delay, self.delays.least(crawl_delay))
        level = back_off_after(leased.back_off, held.status, held.retry_after, self.delays)
        if level > 0:
            free_at = max(free_at, now + level)
            self._count("backed_off", 1)
        text = "" if level == leased.back_off else f"{level:.3f}".rstrip("0").rstrip(".")
        self.session.report(Settlement("release", leased.member, text=text), free_at)

    def _on_item_error(self, response: Response | None, failure: Any) -> None:
        request = getattr(response, "request", None)
        held = self._held.get(request) if request is not None else None
        if held is not None:
            # The item may not be safe: the page is fetched again rather than lost.
            held.failure = f"item: {failure.type.__name__}"

    def _on_spider_error(self, response: Response | None, failure: Any) -> None:
        request = getattr(response, "request", None)
        held = self._held.get(request) if request is not None else None
        if held is not None and failure.check(StoreUnavailable, RedisError):
            # What the page led to is not stored. Any other error would come again.
            held.failure = f"callback: {failure.type.__name__}"

    def _acknowledge(self) -> None:
        engine = self.crawler.engine
        if not self._held or engine is None or self.session is None:
            return
        # Scrapy keeps a request here from the hand-out until its last item has left the pipelines. There is no signal
        # for that moment, which a failed request or one without items reaches too.
        slot = engine._slot
        in_progress = slot.inprogress if slot is not None else ()
        done = [request for request in self._held if request not in in_progress]
        for request in done:
            held = self._held.pop(request)
            if not held.released:
                self._release(request, held)
            if held.lost:
                continue
            if held.postponed_s is not None:
                self._count("postponed", 1)
                self.session.report(Settlement("back", held.leased.member), self._time() + held.postponed_s)
            elif held.failure is None:
                self._count("acknowledged", 1)
                self.session.report(Settlement("ack", held.leased.member), 0.0)
            else:
                self._count("failed", 1)
                self.session.report(Settlement("fail", held.leased.member, text=held.failure), 0.0)

    # -- the session's side -------------------------------------------------------------------------------------------

    def _room(self) -> int:
        assert self.session is not None
        unreleased = sum(1 for held in self._held.values() if not held.released)
        return self._capacity - unreleased - self.session.buffered

    def _members(self, begun: bool) -> Mapping[bytes, str]:
        if begun:
            for held in self._held.values():
                if held.started_at is None:
                    self._lose(held)
        return {held.leased.member: held.leased.host for held in self._held.values() if not held.lost}

    def _lost(self, member: bytes) -> None:
        self._count("lost", 1)
        for held in self._held.values():
            if held.leased.member == member:
                self._lose(held)
        logger.warning("The lease of %s went to another worker", member.hex())

    def _lose(self, held: _Held) -> None:
        held.lost = True
        if held.started_at is None and not held.released:
            held.released = True
            if self.hosts is not None:
                self.hosts.leave_leased(held.leased.host)

    def _knows(self, job: str) -> bool:
        book = getattr(self.spider, "book", None)
        return not isinstance(book, JobBook) or book.get(job) is not None

    def _passed_on(self, job: str, member: bytes) -> Settlement:
        assert self.session is not None
        known, taken = self.session.leave_to_others(job)
        if taken:
            if not known:
                logger.info("Requests of job %r, which is not known here, are left to other workers", job)
            return Settlement("back", member)
        return Settlement("fail", member, text=f"job {job!r} is not known, as too many others")

    def _dead_workers(self, names: list[str]) -> list[str]:
        if self.config.general.redis_url:
            return []  # process numbers say nothing across machines
        return [name for name in names if name != self.runtime.worker and not _is_alive(name)]

    def _wake(self) -> None:
        engine = self.crawler.engine
        # Before the scraper is open the engine asks by itself.
        if engine is not None and engine._slot is not None and engine.scraper.slot is not None:
            engine._slot.nextcall.schedule()

    def _count(self, event: str, number: int) -> None:
        if number and self.stats is not None:
            self.stats.inc_value(f"articlebot/frontier/{event}", number)

    def _time(self) -> float:
        return asyncio.get_running_loop().time()


def _is_alive(worker: str) -> bool:
    # A private server is reached over a file of this machine, so the number in a worker's name is a process of it.
    number = worker.rsplit("-", 2)[1:2]
    if not number or not number[0].isdigit():
        return True
    try:
        os.kill(int(number[0]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
