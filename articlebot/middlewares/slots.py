"""Downloads each request in the slot the frontier leased it for, and lets other fetches wait for theirs."""

from __future__ import annotations

import logging
import math
from typing import NoReturn

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from articlebot.errors import PUT_OFF, Off, RefusedError, exhausted
from articlebot.frontier.breaker import fault_of
from articlebot.frontier.delays import MOST_CRAWL_DELAY_S
from articlebot.frontier.requests import keys_of
from articlebot.frontier.scheduler import Scheduler
from articlebot.frontier.slots import slot_for
from articlebot.manners.robots_txt import RobotsTxt
from articlebot.middlewares.proxies import WAY
from articlebot.middlewares.silent import does_not_answer, refuses

logger = logging.getLogger(__name__)

_PATIENCE_S = 60.0
_MOST_SETTINGS = 20_000


class SlotsMiddleware:
    """Sets ``download_slot`` by the question that the scheduler asked, with no delay of its own.

    It stands next to the downloader, after all that waits or answers by itself and before all that makes another
    request of an answer: what it lets pass is downloaded at once, and what was downloaded always comes back to it.

    A request without a lease stays in its host's slot too: robots.txt, which Scrapy fetches inside the download of a
    page, or one that could not be stored. It is fetched under the lease of a page of the same host, which follows after
    a delay; on another host, as after a redirect, it takes that host's slot first.

    No download outlasts its worker's leases: its timeout is at most what is left of them. A page whose lease was lost
    before its download began goes back.

    Where a host does not answer, or refuses for haste or load (429, 503), its slot rests and the page waits in the
    queue, instead of being tried again at once. What goes through a proxy is left to those who choose proxies: it may
    be the way that is silent.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        settings = crawler.settings
        self._obeys = settings.getbool("ROBOTSTXT_OBEY")
        self._user_agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        self._timeout = settings.getfloat("DOWNLOAD_TIMEOUT")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SlotsMiddleware:
        """The middleware of a crawler.

        Raises:
            Off: the crawl does not use articlebot's scheduler.
        """
        if not str(crawler.settings["SCHEDULER"]).startswith(Scheduler.__module__):
            raise Off("the frontier's scheduler is not in use")
        return cls(crawler)

    async def process_request(self, request: Request) -> Request | None:
        """Names the slot and waits for the request's turn in it."""
        try:
            host = keys_of(request).host
        except RefusedError:
            return None  # not http(s): no host to be polite to
        request.meta["download_slot"] = host
        self._set_up(host)
        if (scheduler := Scheduler.of(self.crawler)) is None:
            return None
        left = await self._enter(scheduler, request, host)
        if left <= 0:
            return request  # to the scheduler, which knows where it belongs
        scheduler.in_hand.limit(request, left, self._timeout)
        return None

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Lets the page that waits for this answer follow after a delay; learns robots' Crawl-delay.

        A page that is refused for haste or load goes back to the scheduler, which keeps it until its slot has rested.
        """
        if (scheduler := Scheduler.of(self.crawler)) is not None:
            if self._obeys and response.status == 200 and scheduler.in_hand.is_guest(request) and _is_robots(request):
                self._learn_crawl_delay(scheduler, request, response)
            scheduler.in_hand.leave(request)
            if WAY not in request.meta and refuses(self.crawler, request, response):
                return request
        return response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """As after a response; a page whose host does not answer goes back to the scheduler, which keeps it.

        So does one that was not downloaded, because its robots.txt was not answered.
        """
        if (scheduler := Scheduler.of(self.crawler)) is None:
            return None
        guest = scheduler.in_hand.is_guest(request)
        scheduler.in_hand.leave(request)
        if exhausted(exception):
            logger.error("Nothing can be downloaded", exc_info=exception)
            scheduler.in_hand.postpone(request, 0.0)
            return request
        if scheduler.is_closing:
            self._put_off(scheduler, request)
        fault = fault_of(exception)
        if fault is None or request.meta.get("proxy") or WAY in request.meta:
            return None
        if guest and _is_robots(request):
            # It stands for the page that waits for it: asking twice would tell nothing new.
            request.meta["dont_retry"] = True
            return None
        return request if does_not_answer(self.crawler, request, fault) else None

    async def _enter(self, scheduler: Scheduler, request: Request, host: str) -> float:
        """Seconds for which the download may last; 0 where its lease is lost.

        Raises:
            IgnoreRequest: the crawl ends, or the slot of a request without a lease is not free.
        """
        in_hand, is_leased = scheduler.in_hand, scheduler.in_hand.holds(request)
        patience = math.inf if request in scheduler.kept_here else _PATIENCE_S
        while True:
            if not await in_hand.enter(request, host, patience, lambda: scheduler.is_closing):
                ends, late = f"{PUT_OFF}: the crawl ends", f"the slot of {host} is not free for {_PATIENCE_S:.0f} s"
                raise IgnoreRequest(ends if scheduler.is_closing else late)
            if scheduler.is_closing:
                in_hand.leave(request)
                self._put_off(scheduler, request)
            left = await in_hand.time_left(request, lambda: scheduler.is_closing)
            if left > 0:
                return left
            in_hand.leave(request)
            if is_leased:
                return 0.0

    def _put_off(self, scheduler: Scheduler, request: Request) -> NoReturn:
        scheduler.in_hand.postpone(request, 0.0)  # a stored one is for the next crawl
        raise IgnoreRequest(f"{PUT_OFF}: the crawl ends")

    def _learn_crawl_delay(self, scheduler: Scheduler, request: Request, response: Response) -> None:
        # Scrapy reads the file for what is allowed and, from 2.18 on, offers the Crawl-delay to extensions; nothing
        # acts on it, and it has to be known before the page that waits for this answer.
        delay = RobotsTxt(response.body).crawl_delay(self._user_agent)
        if delay is None:
            return
        if delay > MOST_CRAWL_DELAY_S:
            logger.warning(
                "%s asks for %.0f s between two pages (Crawl-delay): one a day is fetched; take the site out of the "
                "job file to skip it", request.url, delay,
            )  # fmt: skip
        for url in (request.url, *request.meta.get("redirect_urls", ())):
            scheduler.delays.learn(slot_for(url).host, delay)
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value("articlebot/slots/crawl_delay")

    def _set_up(self, host: str) -> None:
        engine = self.crawler.engine
        assert engine is not None
        settings = engine.downloader.per_slot_settings
        if len(settings) > _MOST_SETTINGS:
            settings.clear()  # slots that exist keep theirs
        settings.setdefault(host, {"concurrency": 1, "delay": 0.0})


def _is_robots(request: Request) -> bool:
    return request.url.endswith("/robots.txt")
