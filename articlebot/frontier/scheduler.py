"""Scrapy's SCHEDULER: hands out what the frontier says may start, and reports what became of it."""

from __future__ import annotations

import logging
from typing import Any
from weakref import WeakKeyDictionary, ref

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro
from scrapy_redis.scheduler import Scheduler as RedisScheduler
from twisted.internet.defer import Deferred

from articlebot.config import Config
from articlebot.errors import MissingMethod, RefusedError, StateError, StoreUnavailable
from articlebot.frontier.build import delays_of
from articlebot.frontier.delays import Delays
from articlebot.frontier.envelope import mark
from articlebot.frontier.forget import forget_seen, purge
from articlebot.frontier.hosts import Hosts
from articlebot.frontier.in_hand import InHand
from articlebot.frontier.inspect import silent
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.process_queue import ProcessQueue
from articlebot.frontier.requests import of_articlebot, to_envelope, to_request
from articlebot.frontier.servers import Servers
from articlebot.frontier.sessions import Sessions
from articlebot.frontier.unopened import close_quietly
from articlebot.jobs.book import JobBook, jobs_changed
from articlebot.runtime import Runtime
from articlebot.worker_names import ended

logger = logging.getLogger(__name__)
# Silent hosts that the end of a run names.
_MOST_NAMED = 10
# The way to Redis fits in, so that each request starts on time (docs/explanation/frontier.md).
_LOOK_AHEAD_S = 0.5
# Seconds for which the end waits for a Redis that is away.
_CLOSE_S = 10.0
# The engine keeps a scheduler alive; it knows its crawler, so that to keep it here would keep both for ever.
_schedulers: WeakKeyDictionary[Crawler, ref[Scheduler]] = WeakKeyDictionary()


class Scheduler(RedisScheduler):  # type: ignore[misc]
    """Scheduler on the shared frontier; see ``docs/explanation/frontier.md``.

    It takes scrapy-redis' place, with its settings ``REDIS_URL`` and ``SCHEDULER_FLUSH_ON_START``; a queue always
    persists. Requests, their order, the seen set and the delays belong to the frontier.
    """

    def __init__(self, crawler: Crawler) -> None:
        runtime = Runtime.of(crawler)
        self.crawler = crawler
        self.stats = crawler.stats
        self.flush_on_start = crawler.settings.getbool("SCHEDULER_FLUSH_ON_START")
        self.config: Config = runtime.config
        self.runtime = runtime
        self.frontier = runtime.frontier
        self.delays = Delays(delays_of(runtime.config), runtime.rng)
        self.kept_here = ProcessQueue(crawler)
        self._told: set[str] = set()
        self._persists = crawler.settings.getbool("SCHEDULER_PERSIST")
        self._capacity = crawler.settings.getint("CONCURRENT_REQUESTS") or 1000
        # From when the spider opens on.
        self.spider: Spider
        self.session: Sessions
        self.hosts: Hosts
        self.in_hand: InHand
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler:
        """The scheduler of a crawler."""
        scheduler = cls(crawler)
        _schedulers[crawler] = ref(scheduler)
        return scheduler

    @staticmethod
    def of(crawler: Crawler) -> Scheduler | None:
        """The open scheduler of a crawler; None before, and where the crawl uses another class."""
        known = _schedulers.get(crawler)
        scheduler = known() if known is not None else None
        return scheduler if scheduler is not None and scheduler._is_open else None

    # -- Scrapy's side ------------------------------------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None]:
        """Connects to the frontier."""
        return deferred_from_coro(self._open(spider))

    async def _open(self, spider: Spider) -> None:
        try:
            await self._connect(spider)
        except Exception:
            close_quietly(spider)
            raise

    async def _connect(self, spider: Spider) -> None:
        self.spider = spider
        if self.flush_on_start:
            await purge(self.frontier)
        worker, section = self.runtime.worker, self.config.frontier
        self._ends_when_idle = getattr(spider, "until", None) == "idle"
        self.session = Sessions(
            self.frontier,
            worker,
            look_ahead=_LOOK_AHEAD_S,
            count=self._count,
            dead_workers=self._dead_workers,
            revive=self.runtime.clients.revive,
            refused=self.runtime.refusals.note,
            stay=section.idle_wait_s if self._ends_when_idle else None,
        )
        self.hosts = Hosts(self.frontier, worker)
        self.in_hand = InHand(
            self.session, self.hosts, self.delays, capacity=self._capacity, now=self.runtime.now, wake=self._wake,
            count=self._count, send=self.crawler.signals.send_catch_log,
            # Above what a run waits for: one that ends when idle ends, whatever the cap.
            longest_pause=max(self.delays.policy.back_off_cap, 2 * section.idle_wait_s),
            servers=Servers() if self.config.delays.per == "address" else None,
        )  # fmt: skip
        self._is_open = True
        self.in_hand.listen(self.crawler.signals.connect)
        self.crawler.signals.connect(self._jobs_changed, jobs_changed)
        await self.session.start(self.in_hand)
        self.runtime.share_clock(self.session.of("").contact.server_time)

    def close(self, reason: str) -> Deferred[None]:
        """Returns what was not begun and says the last words."""
        return deferred_from_coro(self._close(reason))

    async def _close(self, reason: str) -> None:
        if not self._is_open:
            return
        self._acknowledge()
        if len(self.kept_here):
            logger.warning("%d requests that could not be stored end with this process", len(self.kept_here))
        await self.hosts.close()
        last = await self.session.close(self.runtime.patience(_CLOSE_S))
        await self._tell_of_silence()
        if last and reason == "finished" and not self._persists:
            # As Scrapy's own: a crawl that is done begins anew; one that was stopped goes on.
            await forget_seen(self.frontier)
        for name, number in self.frontier.links.refused.items():
            self._count(f"refused/{name}", number)

    def enqueue_request(self, request: Request) -> bool:
        """Takes a request to be stored with the next round trip, or kept here; False where it is a duplicate."""
        if self.in_hand.holds(request):
            return True  # its download was not begun, because its lease is lost: it is in the frontier already
        if self.runtime.tool:
            # The shell waits for the very object that it gave, and no tool outlives its requests.
            return self.kept_here.push(request, self.spider)
        try:
            self.session.push(to_envelope(request, self.spider))
        except RefusedError as error:
            self._count("kept_here", 1)
            self._tell(
                logging.WARNING, error.reason,
                "Cannot be stored, waits in this process and ends with it: %s. What is stored has a method of the "
                "spider as callback and JSON in meta and cb_kwargs. This is said once for each reason.", error,
            )  # fmt: skip
            return self.kept_here.push(request, self.spider)
        return True

    def next_request(self) -> Request | None:
        """The next request whose slot is free now, None where there is none."""
        self._acknowledge()
        if self.runtime.archive_wait.is_away or self.in_hand.is_resting:
            return None  # what came could not be kept, and would be fetched again
        if (kept := self.kept_here.pop()) is not None:
            return kept
        while (due := self.session.next_due()) is not None:
            leased, planned_at = due
            if (request := self._readable(leased, planned_at)) is None:
                continue
            job = str(of_articlebot(request).get("job", ""))
            if job and not self._follows(job):
                self._count("job_unknown", 1)
                # Usual where several servers share the jobs.
                self._pass_on(
                    leased, planned_at, mark("job", job), logging.INFO, f"job {job!r} is paused, or not known"
                )
                continue
            request.meta["articlebot_slot"] = leased.slot
            self.in_hand.take(request, leased, planned_at)
            return request
        return None

    def _readable(self, leased: Leased, planned_at: float) -> Request | None:
        """The stored request; None where this worker cannot run it, and it went back or into quarantine."""
        try:
            return to_request(leased.record, self.spider)
        except MissingMethod as error:
            self._count("method_unknown", 1)
            self._pass_on(leased, planned_at, mark(error.field, error.method), logging.WARNING, str(error))
        except StateError as error:
            logger.error("A stored request is quarantined: %s", error)
            self._count("unreadable", 1)
            self.session.holder(leased).report(Settlement("fail", leased.member, text=str(error)), planned_at)
        return None

    def _pass_on(self, leased: Leased, planned_at: float, text: str, level: int, why: str) -> None:
        """Gives a request back untouched, for a worker that can run it."""
        self._tell(level, text, "Such requests are left to other workers, untouched: %s", why)
        self.session.leave_to_others(text)
        self.session.holder(leased).report(Settlement("back", leased.member), planned_at)

    def _tell(self, level: int, what: str, message: str, *values: object) -> None:
        if what not in self._told:
            self._told.add(what)
            logger.log(level, message, *values)

    def has_pending_requests(self) -> bool:
        """Whether the crawl must wait; not for a start that is more than ``idle_wait_s`` away.

        A spider that ends ``until=idle`` has looked itself, before its ``start`` ended, what of its jobs is left.
        """
        if not self._is_open:
            return False
        self._acknowledge()
        if len(self.in_hand) or len(self.kept_here):
            return True
        return self.session.is_pending(None if self._ends_when_idle else self.config.frontier.idle_wait_s)

    @property
    def is_closing(self) -> bool:
        """Whether the crawl ends."""
        return self.runtime.is_ending()

    @property
    def _engine_slot(self) -> Any:
        """What Scrapy's engine knows of the crawl: it names neither requests in progress nor its end elsewhere."""
        return self.crawler.engine._slot if self.crawler.engine is not None else None

    def __len__(self) -> int:
        stored = self.session.buffered + self.session.unsaid + len(self.in_hand) if self._is_open else 0
        return stored + len(self.kept_here)

    def flush(self) -> None:
        """Not offered: a shared frontier is emptied with ``scrapy frontier purge``."""
        raise NotImplementedError("use `scrapy frontier purge`")

    def _acknowledge(self) -> None:
        # Scrapy keeps a request here from the hand-out until its last item has left the pipelines. There is no signal
        # for that moment, which a failed request or one without items reaches too.
        slot = self._engine_slot
        in_progress = slot.inprogress if slot is not None else ()
        self.in_hand.acknowledge(in_progress)
        self.kept_here.settle(in_progress)

    async def _tell_of_silence(self) -> None:
        try:
            hosts = await silent(self.frontier)
        except StoreUnavailable:
            return
        self._count("silent_hosts", len(hosts))
        for one in hosts[:_MOST_NAMED]:
            now = self.session.of(one.host).contact.server_time()
            logger.warning(
                "%s has not answered for %.0f s (%s, %d tries): %d requests wait for it, the next is sent in %.0f s",
                one.host, max(0.0, now - one.since), one.fault, one.probes, one.queued,
                max(0.0, (one.next_probe_at or now) - now),
            )  # fmt: skip
        if len(hosts) > _MOST_NAMED:
            logger.warning("%d more hosts do not answer: `scrapy status` names them", len(hosts) - _MOST_NAMED)

    def _follows(self, job: str) -> bool:
        book = getattr(self.spider, "book", None)
        return not isinstance(book, JobBook) or book.follows(job)

    def _jobs_changed(self) -> None:
        if self._is_open:
            self.session.look_anew()
            self._told = {what for what in self._told if not what.startswith(mark("job", "")[:-1])}

    def _dead_workers(self, names: list[str]) -> list[str]:
        # A private server is reached over a file of this machine.
        return ended(names, self.runtime.worker, of_one_machine=not self.config.general.redis_url)

    def _wake(self) -> None:
        engine, slot = self.crawler.engine, self._engine_slot
        # Before the scraper is open the engine asks by itself.
        if engine is not None and slot is not None and engine.scraper.slot is not None:
            slot.nextcall.schedule()

    def _count(self, event: str, number: int) -> None:
        if number and self.stats is not None:
            self.stats.inc_value(f"articlebot/frontier/{event}", number)
