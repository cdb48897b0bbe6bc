"""Downloads each request in the slot the frontier leased it for, and lets other fetches wait for theirs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from protego import Protego
from scrapy.exceptions import IgnoreRequest, NotConfigured

from articlebot.errors import RefusedError
from articlebot.frontier.requests import keys_of
from articlebot.frontier.scheduler import Scheduler
from articlebot.frontier.slots import slot_for

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_PATIENCE_S = 60.0
_MOST_SETTINGS = 20_000


class SlotsMiddleware:
    """Sets ``download_slot`` by the question that the scheduler asked, with no delay of its own.

    A request without a lease (robots.txt, which Scrapy fetches inside the download of a page) stays in its host's slot:
    it is fetched under the page's lease where it is the same host, and the page follows after a delay; on another host,
    as after a redirect, it takes that host's slot first.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._guests: dict[Request, str] = {}
        settings = crawler.settings
        self._obeys = settings.getbool("ROBOTSTXT_OBEY")
        self._user_agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SlotsMiddleware:
        """The middleware of a crawler.

        Raises:
            NotConfigured: the crawl does not use articlebot's scheduler.
        """
        if not str(crawler.settings["SCHEDULER"]).startswith(Scheduler.__module__):
            raise NotConfigured("the frontier's scheduler is not in use")
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Names the slot; a request without a lease waits for it."""
        try:
            host = keys_of(request).host
        except RefusedError:
            return  # not http(s): no host to be polite to
        request.meta["download_slot"] = host
        self._set_up(host)
        scheduler = self._scheduler()
        if scheduler is None or scheduler.hosts is None or scheduler.holds(request) or request in self._guests:
            return
        if not await scheduler.hosts.enter(host, _PATIENCE_S):
            raise IgnoreRequest(f"the slot of {host} is not free for {_PATIENCE_S:.0f} s")
        self._guests[request] = host

    async def process_response(self, request: Request, response: Response) -> Response:
        """Lets the page that waits for this answer follow after a delay; learns robots' Crawl-delay."""
        if self._obeys and request in self._guests and request.url.endswith("/robots.txt"):
            self._learn_crawl_delay(request, response)
        await self._leave(request)
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """As after a response."""
        await self._leave(request)

    async def _leave(self, request: Request) -> None:
        host = self._guests.pop(request, None)
        scheduler = self._scheduler()
        if host is None or scheduler is None or scheduler.hosts is None:
            return
        delay = scheduler.sample_delay(host)
        if scheduler.hosts.is_leased(host):
            await asyncio.sleep(delay)
        await scheduler.hosts.leave(host, delay)

    def _learn_crawl_delay(self, request: Request, response: Response) -> None:
        # Scrapy reads the file for what is allowed and, from 2.18 on, offers the Crawl-delay to extensions; nothing
        # acts on it, and it has to be known before the page that waits for this answer.
        scheduler = self._scheduler()
        if scheduler is None or response.status != 200:
            return
        try:
            delay = Protego.parse(response.body.decode("utf-8", "replace")).crawl_delay(self._user_agent)
        except ValueError:
            return
        if delay is None:
            return
        for url in (request.url, *request.meta.get("redirect_urls", ())):
            scheduler.crawl_delays[slot_for(url).host] = float(delay)
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value("articlebot/slots/crawl_delay")

    def _set_up(self, host: str) -> None:
        engine = self.crawler.engine
        assert engine is not None
        settings = engine.downloader.per_slot_settings
        if len(settings) > _MOST_SETTINGS:
            settings.clear()  # slots that exist keep theirs
        settings.setdefault(host, {"concurrency": 1, "delay": 0.0})

    def _scheduler(self) -> Scheduler | None:
        engine = self.crawler.engine
        slot = engine._slot if engine is not None else None
        return slot.scheduler if slot is not None and isinstance(slot.scheduler, Scheduler) else None
