"""A crawl in a process of its own: ``python -m tests.frontier.crawl JSON`` prints its statistics."""

from __future__ import annotations

import json
import os
import sys
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess

from articlebot.errors import StoreUnavailable
from articlebot.frontier import Candidate
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime


class TestedSpider(Spider):
    name = "tested"

    def __init__(self, seeds=(), mode="admit", sink=None, jobs=None, **kwargs):
        super().__init__(**kwargs)
        self.seeds, self.mode, self.sink = seeds, mode, sink
        if jobs is not None:
            self.book = JobBook([Job(name=name, list_pages=("http://a.test/",)) for name in jobs])

    async def start(self):
        for url in self.seeds:
            yield Request(url, errback=self.failed)

    async def parse(self, response):
        links = [urljoin(response.url, href) for href in response.css("a::attr(href)").getall()]
        if self.mode == "admit":
            await Runtime.of(self.crawler).frontier.links.admit(
                [Candidate(url) for url in links], job="test", parent_url=response.url, depth=1
            )
        elif self.mode == "unstorable":
            yield Request(response.url + "?1", callback=lambda answer: None)
        elif self.mode == "requests":
            for url in links:
                yield Request(url, callback=self.parse, cb_kwargs={})
        if self.mode == "raise" and response.url.endswith("3"):
            raise ValueError("a page that the callback cannot read")
        yield {"url": response.url}

    def failed(self, failure):
        self.crawler.stats.inc_value("tested/failed")


class FailingMiddleware:
    """Fails between the downloader and the slots for what ends as told."""

    def __init__(self, crawler):
        self.ending = crawler.settings["FAIL_DOWNLOAD_OF"]

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_response(self, request, response):
        if request.url.endswith(self.ending):
            raise ValueError("an answer that the middleware cannot read")
        return response


class FilePipeline:
    """Appends URLs to a file; fails for pages that end in "3" where told to."""

    def __init__(self, crawler):
        self.spider = crawler.spider
        self.fail = crawler.settings.getbool("FAIL")
        self.away = crawler.settings.getint("AWAY")

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_item(self, item):
        if self.fail and item["url"].endswith("3"):
            raise OSError("a page that the outbox cannot take")
        if self.away > 0:
            self.away -= 1
            raise StoreUnavailable("the outbox is away")
        if self.spider.sink:
            fd = os.open(self.spider.sink, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(fd, (item["url"] + "\n").encode())
            os.close(fd)
        return item


def main() -> None:
    options = json.loads(sys.argv[1])
    settings = {
        "SCHEDULER": "articlebot.frontier.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "DOWNLOADER_MIDDLEWARES": {"articlebot.middlewares.slots.SlotsMiddleware": 950},
        "EXTENSIONS": {"articlebot.extensions.crawl_log.CrawlLogExtension": 1},
        "ITEM_PIPELINES": {"tests.frontier.crawl.FilePipeline": 1},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_LEVEL": "WARNING",
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": 0.03,
        "ARTICLEBOT_DELAYS_MEAN_S": 0.05,
        "ARTICLEBOT_FRONTIER_IDLE_WAIT_S": 2,
        **options.pop("settings", {}),
    }
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(TestedSpider)
    process.crawl(crawler, **options)
    process.start()
    stats = crawler.stats.get_stats()
    print(json.dumps({name: value for name, value in stats.items() if isinstance(value, int | float | str)}))


if __name__ == "__main__":
    main()
