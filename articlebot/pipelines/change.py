"""Notices what changed on an article since the visit before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from articlebot.config import Change, Config
from articlebot.dedup import article_text, judge_change
from articlebot.items import Article

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector


class ChangePipeline:
    """Fills ``content_hash``, ``fingerprint``, ``fingerprint_version``, ``change`` and ``distance`` of articles.

    An article that the spider has judged already (its ``fingerprint_version`` is set) is only counted. Unchanged
    articles pass: the last pipeline ends them, once the visit is remembered. Stats:
    ``articlebot/change/{new,updated,unchanged}``.
    """

    def __init__(self, config: Change, stats: StatsCollector) -> None:
        self._config = config
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        return cls(Config.from_settings(crawler.settings).change, crawler.stats)

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, Article):
            return item
        if not item.fingerprint_version:
            text = article_text(item.title, item.body)
            verdict = judge_change(item.previous_hash, item.previous_fingerprint, text, self._config)
            item.content_hash, item.change, item.distance = verdict.content_hash, verdict.change, verdict.distance
            item.fingerprint, item.fingerprint_version = verdict.fingerprint, verdict.fingerprint_version
        self._stats.inc_value(f"articlebot/change/{item.change}")
        return item
