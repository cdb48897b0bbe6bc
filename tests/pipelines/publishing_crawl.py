"""A crawl of its own process: yields articles straight into the publishing pipeline. See test_publish.py."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

from tests.archive.conftest import make_article
from tests.hurried import set_constants


class Writer(scrapy.Spider):
    name = "writer"
    count = 100

    async def start(self) -> AsyncIterator[Any]:
        for number in range(self.count):
            yield make_article(f"p{number}", f"Text number {number} of many.")


def main(settings: dict[str, Any], count: int) -> None:
    Writer.count = count
    set_constants(settings.pop("constants", {}))
    process = AsyncCrawlerProcess(
        {
            "ITEM_PIPELINES": {"articlebot.pipelines.publish.PublishPipeline": 800},
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "LOG_LEVEL": "WARNING",
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            **settings,
        }
    )
    crawler = process.create_crawler(Writer)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    print(json.dumps({name: value for name, value in stats.items() if name.startswith("articlebot/")}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]))
