"""What spiders share that stand apart from the main crawl: no frontier, no pipelines, one download after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider

from articlebot.runtime import Runtime
from articlebot.spiders.arguments import refuse_unknown

APART: dict[str, Any] = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
    "ITEM_PIPELINES": {},
    "EXTENSIONS": {},
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
}


class ApartSpider(Spider):
    """Base of these spiders. Stats: ``articlebot/<name of the spider>/…``.

    Raises:
        ConfigError: an argument that the spider does not take.
    """

    custom_settings = APART

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refuse_unknown(type(self), kwargs)

    @property
    def runtime(self) -> Runtime:
        """The stores."""
        return Runtime.of(self.crawler)

    async def start(self) -> AsyncIterator[Any]:
        """Does the work."""
        await self.work()
        for nothing in list[Request]():
            yield nothing  # Scrapy expects an asynchronous generator

    async def work(self) -> None:
        """All that the spider does."""
        raise NotImplementedError

    def count(self, name: str, number: int = 1) -> None:
        """Counts what happened."""
        self.runtime.count(f"{self.name}/{name}", number)
