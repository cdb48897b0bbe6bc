"""Notices what changed on an article since the visit before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from articlebot.dedup import article_text, judge_change
from articlebot.items import Article
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from articlebot.config import Change
    from articlebot.runtime.beside import BesideItems


class ChangePipeline:
    """Fills ``content_hash`` and ``change`` of articles, and beside them their fingerprint and its distance.

    A document, which the spider has judged by its bytes, is only counted. Unchanged
    articles pass: the last pipeline ends them, once the visit is remembered. Stats:
    ``articlebot/change/{new,updated,unchanged}``.
    """

    def __init__(self, config: Change, beside: BesideItems, stats: StatsCollector) -> None:
        self._config, self._beside = config, beside
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        runtime = Runtime.of(crawler)
        return cls(runtime.config.change, runtime.beside, crawler.stats)

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, Article):
            return item
        beside = self._beside.of(item)
        if not beside.fingerprint_version:
            text = article_text(item.title, item.body)
            verdict = judge_change(beside.previous_hash, beside.previous_fingerprint, text, self._config)
            item.content_hash, item.change = f"{verdict.content_hash:016x}", verdict.change
            self._beside.note(
                item, fingerprint=verdict.fingerprint, fingerprint_version=verdict.fingerprint_version,
                distance=verdict.distance,
            )  # fmt: skip
        self._stats.inc_value(f"articlebot/change/{item.change}")
        return item
