"""Keeps a job to its topic: articles below the topic's threshold are not published."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from articlebot.errors import Off
from articlebot.items import Article
from articlebot.jobs import Job
from articlebot.jobs.book import Changes, followed_by
from articlebot.relevance import Judge, Topic, load_topic
from articlebot.runtime.component import Component
from articlebot.runtime.job_needs import names_of


class RelevancePipeline(Component):
    """Fills ``relevance`` of articles whose job names keywords or a topic file, and drops what is off the topic.

    An article that is archived already stays: a later version is published whatever it says. Stats:
    ``articlebot/relevance/{relevant,off_topic}``.

    Raises:
        Off: the spider follows no jobs.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if (book := followed_by(crawler.spider)) is None:
            raise Off("the spider follows no jobs")
        self._judges = _judges(book)

    def jobs_changed(self, changes: Changes) -> None:
        """Judges new and changed jobs by what they say now; pages of the others may be in flight."""
        self._judges |= _judges(changes.begun)
        for job in changes.changed:
            self._judges.pop(job.name, None)
        self._judges |= _judges(changes.changed)

    def process_item(self, item: Any) -> Any:
        """The article with its relevance.

        Raises:
            DropItem: it is new and below the threshold.
        """
        judge = self._judges.get(item.job) if isinstance(item, Article) else None
        if judge is None or item.change == "unchanged":
            return item
        item.relevance = float(judge.relevance(item.title, item.body))
        relevant = item.relevance >= judge.threshold
        self._runtime.count(f"relevance/{'relevant' if relevant else 'off_topic'}")
        if not relevant and item.change == "new":
            raise DropItem(f"off the topic ({item.relevance:.2f}): {item.url}", log_level="DEBUG")
        return item


def _judges(jobs: Iterable[Job]) -> dict[str, Judge]:
    return {job.name: Judge(_topic(job), names=names_of(job)) for job in jobs if job.topic or job.keywords}


def _topic(job: Job) -> Topic:
    return load_topic(Path(job.topic)) if job.topic else Topic(job.name, keywords=job.keywords)
