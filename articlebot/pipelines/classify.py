"""Fills class, summary and keywords of articles."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from articlebot import classify
from articlebot.config import Classify
from articlebot.items import Article
from articlebot.jobs import Job
from articlebot.runtime import Runtime
from articlebot.runtime.names import names_of

logger = logging.getLogger(__name__)


class ClassifyPipeline:
    """Classifies articles one by one: that takes .3 ms, of which a batch would save most and make its pages wait.

    A category that the item already has (its job's) is kept, as are a summary and keywords that the page states.
    """

    def __init__(
        self, config: Classify, classifier: classify.Classifier, stats: StatsCollector,
        job: Callable[[str], Job | None] = lambda name: None,
    ) -> None:  # fmt: skip
        self._config, self._job = config, job
        self._classifier = classifier
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ClassifyPipeline:
        config = Runtime.of(crawler).config.classify
        classifier = classify.load(config.model, threshold=config.threshold)
        logger.info("Articles are classified by the %s", classifier.name)
        assert crawler.stats is not None
        spider = crawler.spider
        for job in getattr(spider, "book", ()):
            names_of(job)  # a file that cannot be read stops the start
        return cls(config, classifier, crawler.stats, lambda name: getattr(spider, "book", {}).get(name))

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, Article) or item.change == "unchanged":
            return item
        self._categorise(item)
        if not item.summary and self._config.summary_chars:
            item.summary = classify.summarise(item.body, item.language, self._config.summary_chars)
        if not item.keywords and self._config.keywords:
            names = names_of(self._job(item.job))
            item.keywords = classify.keywords(f"{item.title}\n{item.body}", item.language, self._config.keywords, names)
        return item

    def _categorise(self, item: Article) -> None:
        if item.category is not None:
            item.categories = item.categories or {item.category: 1.0}
            self._stats.inc_value("articlebot/classify/by_job")
            return
        (prediction,) = self._classifier.predict([(item.title, item.body)])
        item.category = prediction.category
        # NumPy's numbers are no plain ones: marshal writes them as bytes.
        item.categories = {label: float(score) for label, score in prediction.scores.items()}
        outcome = "abstained" if prediction.category is None else "classified"
        self._stats.inc_value(f"articlebot/classify/{outcome}")
