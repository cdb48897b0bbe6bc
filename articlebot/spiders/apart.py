"""What spiders share that stand apart from the main crawl: no frontier, no pipelines, one download after the other."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

APART: dict[str, Any] = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
    "ITEM_PIPELINES": {},
    "EXTENSIONS": {},
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
}


def end(crawler: Crawler, reason: str) -> asyncio.Task[None]:
    """Ends a spider out of its ``start``, where ``CloseSpider`` is a fault to Scrapy 2.14; keep what it returns."""
    assert crawler.engine is not None
    return asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))


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
