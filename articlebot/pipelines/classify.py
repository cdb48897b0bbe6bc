"""Fills class, summary and keywords of articles."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler

from articlebot import classify
from articlebot.items import Article
from articlebot.jobs.book import followed_by
from articlebot.runtime.component import Component
from articlebot.runtime.job_needs import names_of

logger = logging.getLogger(__name__)


class ClassifyPipeline(Component):
    """Classifies articles one by one: that takes .3 ms, of which a batch would save most and make its pages wait.

    A category that the item already has (its job's) is kept, as are a summary and keywords that the page states.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._config = self._runtime.config.classify
        self._classifier = classify.load(self._config.model, threshold=self._config.threshold)
        logger.info("Articles are classified by the %s", self._classifier.name)

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, Article) or item.change == "unchanged":
            return item
        self._categorise(item)
        if not item.summary and self._config.summary_chars:
            item.summary = classify.summarise(item.body, item.language, self._config.summary_chars)
        if not item.keywords and self._config.keywords:
            book = followed_by(self._crawler.spider)
            names = names_of(None if book is None else book.get(item.job))
            item.keywords = classify.keywords(f"{item.title}\n{item.body}", item.language, self._config.keywords, names)
        return item

    def _categorise(self, item: Article) -> None:
        if item.category is not None:
            item.categories = item.categories or {item.category: 1.0}
            self._runtime.count("classify/by_job")
            return
        (prediction,) = self._classifier.predict([(item.title, item.body)])
        item.category = prediction.category
        # NumPy's numbers are no plain ones: marshal writes them as bytes.
        item.categories = {label: float(score) for label, score in prediction.scores.items()}
        outcome = "abstained" if prediction.category is None else "classified"
        self._runtime.count(f"classify/{outcome}")
