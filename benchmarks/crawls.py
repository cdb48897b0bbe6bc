"""One crawl of the loopback site by one system, in a process of its own; prints what it cost as JSON."""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

import lxml.html
import redis
from scrapy import Request, Spider, signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

from articlebot.frontier import Candidate
from articlebot.runtime import Runtime

System = Literal["articlebot", "scrapy", "scrapy_downloader_aware", "scrapy_redis"]

_PEERS: dict[str, dict[str, Any]] = {
    "scrapy": {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"},
    "scrapy_downloader_aware": {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue"},
    "scrapy_redis": {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
    },
}


@dataclass(frozen=True, slots=True)
class Crawl:
    """What to crawl and how.

    Args:
        system: whose queue.
        seeds: where to begin.
        folder: for the data folder.
        redis_url: shared server; for scrapy_redis and articlebot.
        follow: whether every page's links are followed; else only those of the hub page.
        delay: mean seconds per slot.
        click: click interval in seconds.
        spread: sigma of the random part; if not 0, peers draw uniformly around the delay, as Scrapy does.
        concurrency: requests at once.
        per_host: requests at once on a host, for the peers.
        seconds: ends the crawl after so long.
        lists: the pages are lists, so that their links are no neighbours.
        sink: SQLite file of an outbox into which each page's item goes.
        idle_wait: as the setting.
        settings: more settings.
    """

    system: System
    seeds: tuple[str, ...]
    folder: str
    redis_url: str = ""
    follow: bool = True
    delay: float = 0.0
    click: float = 0.0
    spread: float = 0.0
    concurrency: int = 16
    per_host: int = 8
    seconds: float = 0.0
    lists: bool = True
    sink: str = ""
    idle_wait: float = 3.0
    settings: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a crawl took: pages answered with 200, processor and wall seconds, peak memory in MB."""

    pages: int
    cpu_s: float
    wall_s: float
    redis_cpu_s: float
    rss_mb: float
    stats: dict[str, Any]


def page_links(response: Response) -> Iterator[str]:
    """The absolute addresses of a page's links, with the same parser for every system."""
    tree = lxml.html.fromstring(response.body)
    for anchor in tree.iter("a"):
        if href := anchor.get("href"):
            yield urljoin(response.url, href)


class Follow(Spider):
    """Follows links, each system in its own way."""

    name = "follow"
    crawl: Crawl

    async def start(self) -> AsyncIterator[Any]:
        """The seeds."""
        for url in self.crawl.seeds:
            yield Request(url)

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """A page: its links and an item."""
        if self.crawl.follow or response.url.endswith("/all"):
            links = page_links(response)
            if self.crawl.system == "articlebot":
                await Runtime.of(self.crawler).frontier.links.admit(
                    [Candidate(url) for url in links],
                    job="benchmark",
                    parent_url=response.url,
                    from_list=self.crawl.lists or response.url.endswith("/all"),
                )
            else:
                for url in links:
                    yield Request(url)
        yield {"url": response.url}


class OutboxSink:
    """Offers each item to an outbox with a unique key, and delivers what is new, in one transaction."""

    def __init__(self, path: str) -> None:
        self._database = sqlite3.connect(path, timeout=30, isolation_level=None)

    @classmethod
    def from_crawler(cls, crawler: Any) -> OutboxSink:
        """The sink of a crawl."""
        return cls(crawler.settings["SINK"])

    def process_item(self, item: Any) -> Any:
        """Is safe when this returns."""
        self._database.execute("BEGIN IMMEDIATE")
        new = self._database.execute("INSERT OR IGNORE INTO outbox VALUES (?, 0)", (item["url"],)).rowcount
        self._database.execute("UPDATE outbox SET offered = offered + 1 WHERE url = ?", (item["url"],))
        if new:
            self._database.execute("INSERT INTO delivered VALUES (?)", (item["url"],))
        self._database.execute("COMMIT")
        return item


def jump(seconds: float) -> None:
    """Lets the wall clock of this process jump forward after three seconds and back after three more."""
    real = time.time

    def shift(by: float) -> None:
        time.time = lambda: real() + by

    for after, by in ((3.0, seconds), (6.0, -seconds)):
        threading.Timer(after, shift, (by,)).start()


def settings_of(crawl: Crawl) -> dict[str, Any]:
    """Scrapy's settings of a crawl."""
    settings: dict[str, Any] = {
        "CONCURRENT_REQUESTS": crawl.concurrency,
        "CONCURRENT_ITEMS": 8,  # Scrapy starts as many tasks for each page, whatever it yields
        "CONCURRENT_REQUESTS_PER_DOMAIN": crawl.per_host,
        "DOWNLOAD_DELAY": crawl.delay,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_LEVEL": "WARNING",
        "RETRY_ENABLED": True,
        "MEMUSAGE_ENABLED": False,
        "REDIS_URL": crawl.redis_url or None,
        "REDIS_START_URLS_AS_SET": False,
    }
    if not crawl.spread:
        settings["DOWNLOAD_DELAY_JITTER"] = 0.0
    if crawl.system == "articlebot":
        settings |= {
            "SCHEDULER": "articlebot.frontier.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
            "DOWNLOADER_MIDDLEWARES": {"articlebot.middlewares.slots.SlotsMiddleware": 950},
            "DOWNLOAD_DELAY": 0,
            "ARTICLEBOT_DATA_DIR": crawl.folder,
            "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": crawl.click,
            "ARTICLEBOT_DELAYS_MEAN_S": crawl.delay,
            "ARTICLEBOT_DELAYS_SPREAD": crawl.spread,
            "ARTICLEBOT_FRONTIER_IDLE_WAIT_S": crawl.idle_wait,
        }
    else:
        settings |= _PEERS[crawl.system]
    if crawl.seconds:
        settings["CLOSESPIDER_TIMEOUT"] = crawl.seconds
    if crawl.sink:
        settings["SINK"] = crawl.sink
        settings["ITEM_PIPELINES"] = {"benchmarks.crawls.OutboxSink": 800}
    settings |= dict(crawl.settings)
    return {name: value for name, value in settings.items() if value is not None}


def run_here(crawl: Crawl) -> Cost:
    """Runs the crawl in this process, which can be done once only."""
    settings = settings_of(crawl)
    if "CLOCK_JUMP_S" in settings:
        jump(settings["CLOCK_JUMP_S"])
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Follow)
    marks: dict[str, float] = {}

    def begin() -> None:
        marks.update(cpu=time.process_time(), wall=time.monotonic(), redis=_redis_cpu(crawl))

    crawler.signals.connect(begin, signals.spider_opened)
    process.crawl(crawler, crawl=crawl)
    process.start()
    stats = {
        k: v for k, v in (crawler.stats.get_stats() if crawler.stats else {}).items() if isinstance(v, int | float)
    }
    status = Path("/proc/self/status").read_text() if Path("/proc/self/status").exists() else ""
    peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
    return Cost(
        int(stats.get("downloader/response_status_count/200", 0)),
        time.process_time() - marks.get("cpu", 0.0),
        time.monotonic() - marks.get("wall", 0.0),
        _redis_cpu(crawl) - marks.get("redis", 0.0),
        peak / 1024,
        stats,
    )


def start(crawl: Crawl) -> subprocess.Popen[bytes]:
    """Starts the crawl in a new process."""
    command = [sys.executable, "-m", "benchmarks.crawls", json.dumps(asdict(crawl))]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> Cost:
    """Waits for a crawl and reads what it cost."""
    output, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the crawl ended with {process.returncode}")
    return Cost(**json.loads(output))


def run(crawl: Crawl) -> Cost:
    """Runs the crawl in a new process."""
    return finish(start(crawl))


def _redis_cpu(crawl: Crawl) -> float:
    if not crawl.redis_url:
        return 0.0
    try:
        with redis.Redis.from_url(crawl.redis_url) as client:
            info = client.info("cpu")
    except redis.RedisError:
        return 0.0
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crawl")
    fields = json.loads(parser.parse_args().crawl)
    fields["seeds"] = tuple(fields["seeds"])
    fields["settings"] = tuple((name, value) for name, value in fields["settings"])
    print(json.dumps(asdict(run_here(Crawl(**fields)))))


if __name__ == "__main__":
    _main()
