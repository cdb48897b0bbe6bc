"""One download beside the frontier's: through all middlewares, in the slot of its host."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response


async def fetch(crawler: Crawler, request: Request) -> Response:
    """The answer to a request, through all downloader middlewares and the slot of its host.

    Raises:
        Exception: whatever the download failed with.
    """
    assert crawler.engine is not None
    return await crawler.engine.download_async(request)


def limit_slot(crawler: Crawler, host: str, *, delay: float, parallel: int = 1) -> None:
    """Sets how many downloads of a host may be in flight and the seconds between two starts."""
    assert crawler.engine is not None
    crawler.engine.downloader.per_slot_settings[host] = {"concurrency": parallel, "delay": delay}
