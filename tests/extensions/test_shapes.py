"""Two workers of a job come to know the same of its URLs, while they run."""

from __future__ import annotations

import asyncio

from scrapy import Spider
from scrapy.crawler import Crawler

from articlebot.extensions.shapes import ShapesExtension
from articlebot.runtime import Runtime


class Daily(Spider):
    name = "daily"


def test_workers_add_to_what_others_have_told(redis_url: str) -> None:
    async def crawl() -> None:
        workers = []
        for _ in range(2):
            crawler = Crawler(Daily, {"REDIS_URL": redis_url})
            workers.append((ShapesExtension(crawler), Runtime.of(crawler)))
        (one, first), (other, second) = workers
        for n in range(1000, 1010):
            first.reader.shapes("daily").observe(f"https://s.test/n/{n}.html", "article")
            second.reader.shapes("daily").observe(f"https://s.test/tag/{n}", "list")
        for extension in (one, other, one):
            await extension._share()
        first.reader.shapes("daily").observe("https://s.test/n/2000.html", "article")
        await one._share()
        assert first.reader.fresh_shapes == second.reader.fresh_shapes == []
        assert first.reader.shapes("daily").judge("https://s.test/tag/77") < 0.3
        second.reader.shapes("daily").observe("https://s.test/tag/3000", "list")
        await other._share()
        assert second.reader.shapes("daily").judge("https://s.test/n/7777.html") > 0.7
        assert sum(map(sum, second.reader.shapes("daily").counts.values())) == 2 * 22
        for runtime in (first, second):
            await runtime.close()

    asyncio.run(crawl())
