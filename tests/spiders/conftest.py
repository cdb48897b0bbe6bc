"""A spider of one site, outside of a crawl."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from articlebot.spiders.article import ArticleSpider
from tests.crawlers import crawler_with


@pytest.fixture
async def spider(redis_url: str, tmp_path: Path) -> AsyncIterator[ArticleSpider]:
    """Follows ``http://a.test/``."""
    crawler = crawler_with({"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path)})
    made = ArticleSpider.from_crawler(crawler, url="http://a.test/")
    made.desk.know({"a.test": {"list_pages": ["http://a.test/"]}})  # as a look would
    yield made
    made.runtime.visits.history.close()
    await made.runtime.close()
