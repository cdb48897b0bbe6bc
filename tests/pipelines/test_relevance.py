from __future__ import annotations

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem

from articlebot.items import Article, Change
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.pipelines.relevance import RelevancePipeline
from tests.crawlers import crawler_with

ON = "The comet was seen through the telescope, and astronomers measured the orbit of the comet around the sun."
OFF = "The striker scored twice before half-time, and the visitors never recovered from the early penalty."


@pytest.fixture
def pipeline() -> RelevancePipeline:
    crawler = crawler_with()
    crawler.spider = Spider("article")
    keywords = ("comet", "telescope", "astronomers", "orbit")
    crawler.spider.book = JobBook([Job(name="sky", site="http://x.example/", keywords=keywords)])
    return RelevancePipeline.from_crawler(crawler)


def article(body: str, job: str = "sky", change: Change = "new") -> Article:
    return Article(
        url="http://x.example/1", canonical_url="http://x.example/1", page_key="1", job=job, site="x.example",
        title="", body=body, fetched_at=0.0, change=change,
    )  # fmt: skip


def test_what_is_on_the_topic_passes_with_its_relevance(pipeline: RelevancePipeline) -> None:
    assert pipeline.process_item(article(ON)).relevance > 0


def test_what_is_off_the_topic_is_dropped_unless_it_is_archived(pipeline: RelevancePipeline) -> None:
    with pytest.raises(DropItem):
        pipeline.process_item(article(OFF))
    assert pipeline.process_item(article(OFF, change="updated")).relevance is not None


def test_other_jobs_are_left_alone(pipeline: RelevancePipeline) -> None:
    assert pipeline.process_item(article(OFF, job="sport")).relevance is None
