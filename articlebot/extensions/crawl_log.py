"""Writes the crawl log: one row per download, robots.txt included."""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler

from articlebot.errors import Off
from articlebot.frontier.crawl_log import CrawlLogWriter, Download, remove_old
from articlebot.frontier.fetch import Fetch
from articlebot.frontier.progress import fetched
from articlebot.frontier.requests import keys_of, of_articlebot
from articlebot.frontier.scheduler import Scheduler
from articlebot.runtime.component import Component

# A file that an editor still opens.
_FILE_BYTES = 64 << 20
# A month of downloads, for questions about what a crawler did.
_KEPT_S = 30 * 86_400.0


class CrawlLogExtension(Component):
    """One row per download in ``logs/`` of the data folder; ``scrapy frontier politeness`` reads them.

    Raises:
        Off: switched off, or another scheduler is in use.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not str(crawler.settings["SCHEDULER"]).startswith(Scheduler.__module__):
            raise Off("the frontier's scheduler is not in use")
        runtime = self._runtime
        if not runtime.config.frontier.crawl_log:
            raise Off("ARTICLEBOT_FRONTIER_CRAWL_LOG is off")
        folder = runtime.config.general.data_dir / "logs"
        self._writer = CrawlLogWriter(folder, runtime.worker, _FILE_BYTES)
        remove_old(folder, runtime.now() - _KEPT_S)
        crawler.signals.connect(self.fetched, fetched)

    def fetched(self, request: Request, fetch: Fetch) -> None:
        """The downloader is done with a request, with an answer or without."""
        scheduler = Scheduler.of(self._crawler)
        if scheduler is None or fetch.started_at is None:
            return
        with self._runtime.aside("crawl_log"):
            self._write(scheduler, request, fetch, fetch.started_at)

    def _write(self, scheduler: Scheduler, request: Request, fetch: Fetch, started_at: float) -> None:
        of, clock = of_articlebot(request), scheduler.session.of(fetch.host).contact.server_time
        self._writer.write(
            Download(
                clock(started_at), clock(fetch.ended_at), fetch.host, int(request.meta.get("articlebot_slot", 0)),
                keys_of(request).parent, request.url, fetch.status or 0, fetch.size, self._runtime.worker,
                str(of.get("job", "")), _kind(request, of), scheduler.delays.least(fetch.host),
            )
        )  # fmt: skip

    def spider_closed(self) -> None:
        """Writes what is left."""
        self._writer.close()
        if self._writer.failed:
            self._runtime.count("crawl_log/failed", self._writer.failed)


def _kind(request: Request, of: object) -> str:
    if isinstance(of, dict) and of.get("kind"):
        return str(of["kind"])
    if urlsplit(request.url).path == "/robots.txt":
        return "robots"
    return "" if "articlebot_slot" in request.meta else "other"
