"""One line and one file at the end of each crawl, for cron and for the commands that report on it."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Self

from scrapy import signals

from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)
FILE_NAME = "last-run.json"


class SummaryExtension:
    """Writes the crawl's stats to ``last-run.json`` in the data folder and logs one line."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._runtime = Runtime.of(crawler)
        self._started_at = self._runtime.now()
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Keeps the numbers; a folder that cannot be written to is no reason to fail a crawl that is done."""
        stats = self._crawler.stats
        assert stats is not None
        counts = {k: v for k, v in stats.get_stats().items() if isinstance(v, int | float | str)}
        kept = {
            "spider": spider.name, "reason": reason, "worker": self._runtime.worker,
            "started_at": self._started_at, "ended_at": self._runtime.now(), "stats": counts,
        }  # fmt: skip
        path = self._runtime.config.general.data_dir / FILE_NAME
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            aside = path.with_suffix(".part")
            aside.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
            aside.replace(path)
        except OSError as error:
            logger.warning("The summary cannot be written to %s: %s", path, error)
        logger.info("Done (%s): %s", reason, summary_line(counts))


def summary_line(counts: dict[str, int | float | str]) -> str:
    """The numbers that matter most, on one line."""
    return (
        f"{counts.get('downloader/response_count', 0)} pages, {counts.get('articlebot/publish/new', 0)} new articles, "
        f"{counts.get('articlebot/change/updated', 0)} changes, {total(counts, 'articlebot/page/refused/')} refused, "
        f"{total(counts, 'articlebot/page/failed/')} failed, {counts.get('log_count/ERROR', 0)} errors"
    )


def total(counts: dict[str, int | float | str], prefix: str) -> int:
    """The sum of all counts below a prefix."""
    return sum(int(value) for name, value in counts.items() if name.startswith(prefix))
