"""A crawler for tests of one component, on any Scrapy: settings and stats, no reactor."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector


class _Article(Spider):
    name = "article"  # whose queue the component works on


def crawler_with(settings_dict: dict[str, Any] | None = None) -> Crawler:
    crawler = Crawler(_Article, settings_dict or {})
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler
