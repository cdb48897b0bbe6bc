"""A worker's requests from hand-out to acknowledgement: what happens to each, and what the frontier is told of it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError
from scrapy import Request, signals

from articlebot.errors import StoreUnavailable
from articlebot.frontier.breaker import NO_ANSWER, after, is_to_blame
from articlebot.frontier.delays import DelayPolicy, Schedule, Times, back_off_after, parse_retry_after
from articlebot.frontier.hosts import Hosts
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.requests import of_articlebot

if TYPE_CHECKING:
    from scrapy.http import Response

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Held:
    """A request in hand; times in the event loop's clock."""

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
    goes_behind: str | None = None

    @property
    def is_heard(self) -> bool:
        """Whether anything of an answer came."""
        return self.heard_at is not None or self.status is not None


class InHand:
    """The leased requests that a worker downloads or works on.

    Args:
        delays: the rules of politeness.
        crawl_delays: of hosts whose robots.txt names one, in seconds; read when a page has ended.
        hosts: is told which hosts the worker is in.
        rng: for the delays.
        now: the wall clock, epoch seconds.
        report: tells what became of a lease; the slot is free from a time of the event loop's clock on.
        count: counts an event, for the statistics.
        longest_pause: seconds that a host which does not answer is left alone at most.
    """

    def __init__(
        self,
        delays: DelayPolicy,
        crawl_delays: Mapping[str, float],
        hosts: Hosts,
        *,
        rng: random.Random,
        now: Callable[[], float],
        report: Callable[[Settlement, float], None],
        count: Callable[[str, int], None],
        longest_pause: float,
    ) -> None:
        self._delays, self._crawl_delays, self._hosts = delays, crawl_delays, hosts
        self._longest_pause = longest_pause
        self._rng, self._now, self._report, self._count = rng, now, report, count
        self._held: dict[Request, _Held] = {}
        self._schedule = Schedule()

    def listen(self, connect: Callable[[Any, Any], Any]) -> None:
        """Connects to the signals of Scrapy that say how a download goes."""
        connect(self._on_start, signals.request_reached_downloader)
        connect(self._on_headers, signals.headers_received)
        connect(self._on_response, signals.response_downloaded)
        connect(self._on_end, signals.request_left_downloader)
        connect(self._on_item_error, signals.item_error)
        connect(self._on_spider_error, signals.spider_error)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, request: Request) -> bool:
        return request in self._held

    @property
    def unreleased(self) -> int:
        """Requests whose slot is still theirs."""
        return sum(1 for held in self._held.values() if not held.released)

    def take(self, request: Request, leased: Leased, planned_at: float) -> None:
        """A request is handed out; ``planned_at`` in the event loop's clock."""
        self._held[request] = _Held(leased, planned_at)
        self._hosts.enter_leased(leased.host)

    def postpone(self, request: Request, seconds: float) -> bool:
        """Queues the request again when it ends, its slot resting so long; False where it is not in hand."""
        held = self._held.get(request)
        if held is not None:
            held.postponed_s = seconds
        return held is not None

    def no_answer(self, request: Request, fault: str, patience: int) -> bool:
        """The host of a request did not answer: its slot rests, and all of its pages with it.

        Args:
            fault: what happened, for those who look.
            patience: how often a page may meet this while its host answers others; 0 for one that is not tried again.

        Returns:
            Whether the request goes back to the queue; else it has failed, or is not in hand.
        """
        held = self._held.get(request)
        if held is None or held.lost or held.is_heard:
            return False
        if not held.released:
            self._release(request, held)
        leased = held.leased
        silence = after(leased.silence, leased.host, fault, leased.start_at)
        pause = silence.pause(self._delays.back_off, self._longest_pause)
        self._count(f"no_answer/{fault}", 1)
        level = logging.DEBUG if leased.silence else logging.INFO
        logger.log(level, "%s does not answer (%s): asked again in %.0f s", leased.host, fault, pause)
        self._report(Settlement("mute", leased.member, text=silence.dump()), _time() + pause)
        if is_to_blame(leased.silence, (reason for _, _, reason in leased.tries), patience):
            return False
        # The next probe is another page, should this one hang alone; further back with each, should several hang. And
        # not to the end: what comes first is still to come soon when the host answers.
        held.goes_behind = f"{silence.probes} {'' if leased.silence else NO_ANSWER + fault}"
        return True

    def keeps(self, request: Request, *, surely: bool) -> bool:
        """Whether a request in hand may begin; where its lease is not ``surely`` this worker's it is given up."""
        held = self._held[request]
        if not surely:
            self._lose(held)
        return not held.lost

    def members(self, begun: bool) -> Mapping[bytes, str]:
        """The leases held, with their hosts; ``begun``: those whose download has not begun are given up before."""
        if begun:
            for held in self._held.values():
                if held.started_at is None:
                    self._lose(held)
        return {held.leased.member: held.leased.host for held in self._held.values() if not held.lost}

    def lose(self, member: bytes) -> None:
        """A lease is not this worker's any more."""
        self._count("lost", 1)
        for held in self._held.values():
            if held.leased.member == member:
                self._lose(held)
        logger.warning("The lease of %s went to another worker", member.hex())

    def acknowledge(self, in_progress: Collection[Request]) -> None:
        """Reports all requests that are not in progress any more."""
        for request in [request for request in self._held if request not in in_progress]:
            held = self._held.pop(request)
            if not held.released:
                self._release(request, held)
            if held.lost:
                continue
            member = held.leased.member
            if held.postponed_s is not None:
                self._count("postponed", 1)
                self._report(Settlement("back", member), _time() + held.postponed_s)
            elif held.goes_behind is not None:
                self._report(Settlement("behind", member, text=held.goes_behind), 0.0)
            elif held.failure is None:
                self._count("acknowledged", 1)
                self._report(Settlement("ack", member), 0.0)
            else:
                self._count("failed", 1)
                self._report(Settlement("fail", member, text=held.failure), 0.0)

    def _on_start(self, request: Request) -> None:
        held = self._held.get(request)
        if held is not None and held.started_at is None:
            held.started_at = _time()

    def _on_headers(self, request: Request) -> None:
        held = self._held.get(request)
        if held is not None:
            held.heard_at = _time()

    def _on_response(self, response: Response, request: Request) -> None:
        held = self._held.get(request)
        if held is not None:
            held.status = response.status
            header = response.headers.get("Retry-After")
            held.retry_after = parse_retry_after(header.decode("latin-1") if header else None, self._now())

    def _on_end(self, request: Request) -> None:
        held = self._held.get(request)
        # One without an answer keeps its slot until it is told why: other pages of a silent host must not start before.
        if held is not None and not held.released and held.is_heard:
            self._release(request, held)

    def _on_item_error(self, response: Response | None, failure: Any) -> None:
        self._on_error("item", response, failure)

    def _on_spider_error(self, response: Response | None, failure: Any) -> None:
        self._on_error("callback", response, failure)

    def _on_error(self, where: str, response: Response | None, failure: Any) -> None:
        # What the page led to may not be safe: it is fetched again rather than lost. Should the error come with every
        # try, quarantine keeps the request; a store that is away is no fault of the page and counts as no try.
        held = self._held_for(response)
        if held is None:
            return
        if failure.check(StoreUnavailable, RedisError):
            held.postponed_s = 0.0
        else:
            held.failure = f"{where}: {failure.type.__name__}"

    def _held_for(self, response: Response | None) -> _Held | None:
        request = getattr(response, "request", None)
        return self._held.get(request) if request is not None else None

    def _release(self, request: Request, held: _Held) -> None:
        now = _time()
        held.released = True
        leased = held.leased
        self._hosts.leave_leased(leased.host)
        if held.started_at is None or held.lost:
            return  # answered without a download: the slot is freed with the acknowledgement
        crawl_delay = self._crawl_delays.get(leased.host)
        mean = of_articlebot(request).get("delay")
        delay = self._delays.sample(self._rng, mean if isinstance(mean, int | float) else None, crawl_delay)
        heard_at = held.heard_at if held.heard_at is not None else now
        times = Times(held.planned_at, held.started_at, heard_at, now)
        free_at = self._schedule.next_start(leased.slot, times, delay, self._delays.least(crawl_delay))
        level = back_off_after(leased.back_off, held.status, held.retry_after, self._delays)
        if level > 0:
            free_at = max(free_at, now + level)
            self._count("backed_off", 1)
        if leased.silence is not None and held.is_heard:
            logger.info("%s answers again", leased.host)
            self._report(Settlement("heard", leased.member), 0.0)
        text = "" if level == leased.back_off else f"{level:.3f}".rstrip("0").rstrip(".")
        self._report(Settlement("release", leased.member, text=text), free_at)

    def _lose(self, held: _Held) -> None:
        held.lost = True
        if held.started_at is None and not held.released:
            held.released = True
            self._hosts.leave_leased(held.leased.host)


def _time() -> float:
    return asyncio.get_running_loop().time()
