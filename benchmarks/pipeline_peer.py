"""A crawl of a job file's list pages by plain Scrapy with trafilatura; prints how many articles it has written.

python -m benchmarks.pipeline_peer JOBS.toml
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import trafilatura
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor


class Peer(Spider):
    """Follows the links of list pages and extracts what they lead to."""

    name = "peer"
    lists: tuple[str, ...] = ()

    async def start(self) -> AsyncIterator[Any]:
        """The list pages."""
        for url in self.lists:
            yield Request(url)

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Links of a list page."""
        assert isinstance(response, TextResponse)
        for link in LinkExtractor().extract_links(response):
            yield Request(link.url, self.article)

    def article(self, response: Response) -> Iterator[dict[str, Any]]:
        """The article of a page."""
        found = trafilatura.extract(response.text, url=response.url, output_format="json", with_metadata=True)
        if found:
            yield json.loads(found)


def main() -> None:
    """Runs the crawl; articles go to a file beside the job file."""
    jobs = Path(sys.argv[1])
    Peer.lists = tuple(one["list_pages"][0] for one in tomllib.loads(jobs.read_text(encoding="utf-8"))["site"])
    process = AsyncCrawlerProcess(
        {
            "LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": True, "CONCURRENT_REQUESTS": 64, "REMOTE_CONTROL_ENABLED": False,
            "FEEDS": {str(jobs.parent / "peer.jsonl"): {"format": "jsonlines"}}, "TELNETCONSOLE_ENABLED": False,
        }
    )  # fmt: skip
    process.crawl(Peer)
    process.start()


if __name__ == "__main__":
    main()
