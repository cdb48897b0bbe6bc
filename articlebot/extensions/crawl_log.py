"""Writes the crawl log: one row per download, robots.txt included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import NotConfigured

from articlebot.errors import RefusedError
from articlebot.frontier.crawl_log import CrawlLogWriter, Download, remove_old
from articlebot.frontier.requests import keys_of, of_articlebot
from articlebot.frontier.scheduler import Scheduler
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_DAY = 86400


class CrawlLogExtension:
    """One row per download in ``logs/`` of the data folder; ``scrapy politeness`` reads them."""

    def __init__(self, crawler: Crawler) -> None:
        runtime = Runtime.of(crawler)
        section = runtime.config.frontier
        folder = runtime.config.general.data_dir / "logs"
        self._crawler = crawler
        self._runtime = runtime
        self._writer = CrawlLogWriter(folder, runtime.worker, section.crawl_log_mb * 1024 * 1024)
        remove_old(folder, runtime.now() - section.crawl_log_days * _DAY)
        self._begun: dict[Request, float] = {}
        self._answers: dict[Request, tuple[int, int]] = {}
        connect = crawler.signals.connect
        connect(self.began, signals.request_reached_downloader)
        connect(self.answered, signals.response_downloaded)
        connect(self.ended, signals.request_left_downloader)
        connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The extension of a crawl.

        Raises:
            NotConfigured: switched off, or another scheduler is in use.
        """
        if not str(crawler.settings["SCHEDULER"]).startswith(Scheduler.__module__):
            raise NotConfigured("the frontier's scheduler is not in use")
        if not Runtime.of(crawler).config.frontier.crawl_log:
            raise NotConfigured("ARTICLEBOT_FRONTIER_CRAWL_LOG is off")
        return cls(crawler)

    def began(self, request: Request) -> None:
        """The downloader has taken a request."""
        if (scheduler := self._scheduler()) is not None:
            self._begun[request] = scheduler.server_time()

    def answered(self, response: Response, request: Request) -> None:
        """An answer is here."""
        self._answers[request] = (response.status, len(response.body))

    def ended(self, request: Request) -> None:
        """The downloader is done with a request, with an answer or without."""
        began, scheduler = self._begun.pop(request, None), self._scheduler()
        status, size = self._answers.pop(request, (0, 0))
        if began is None or scheduler is None:
            return
        try:
            keys = keys_of(request)
        except RefusedError:
            return  # data: and file: are nobody's host
        of = of_articlebot(request)
        self._writer.write(
            Download(
                began, scheduler.server_time(), keys.host, int(request.meta.get("articlebot_slot", 0)), keys.parent,
                request.url, status, size, self._runtime.worker, str(of.get("job", "")), _kind(request, of),
                scheduler.least_delay(keys.host),
            )
        )  # fmt: skip

    def closed(self) -> None:
        """Writes what is left."""
        self._writer.close()
        if self._writer.failed and self._crawler.stats is not None:
            self._crawler.stats.inc_value("articlebot/crawl_log/failed", self._writer.failed)

    def _scheduler(self) -> Scheduler | None:
        engine = self._crawler.engine
        slot = engine._slot if engine is not None else None
        return slot.scheduler if slot is not None and isinstance(slot.scheduler, Scheduler) else None


def _kind(request: Request, of: object) -> str:
    if isinstance(of, dict) and of.get("kind"):
        return str(of["kind"])
    if urlsplit(request.url).path == "/robots.txt":
        return "robots"
    return "" if "articlebot_slot" in request.meta else "other"
