from __future__ import annotations

import pytest
from scrapy.crawler import Crawler

from articlebot.dedup import article_text
from articlebot.items import Article
from articlebot.pipelines.change import ChangePipeline
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.runtime import Runtime
from articlebot.text import content_hash, simhash
from tests.crawlers import crawler_with


def article(body: str, **values: object) -> Article:
    return Article(
        url="http://a.test/1", canonical_url="http://a.test/1", page_key=f"{1:016x}", job="j", site="a.test",
        title="Title", body=body, fetched_at=1.0, **values,
    )  # fmt: skip


@pytest.fixture
def crawler() -> Crawler:
    return crawler_with()


@pytest.fixture
def pipeline(crawler: Crawler) -> ChangePipeline:
    return ChangePipeline.from_crawler(crawler)


def test_fills_what_a_first_visit_saw(crawler: Crawler, pipeline: ChangePipeline) -> None:
    item = pipeline.process_item(article("A body of words"))
    text = article_text("Title", "A body of words")
    assert (item.content_hash, item.change) == (f"{content_hash(text):016x}", "new")
    beside = Runtime.of(crawler).beside.of(item)
    assert (beside.fingerprint, beside.fingerprint_version) == (simhash.fingerprint(text), simhash.VERSION)
    assert beside.distance is None


@pytest.mark.parametrize(("body", "change"), [("A body of words", "unchanged"), ("Another body", "updated")])
def test_compares_with_the_visit_before(crawler: Crawler, pipeline: ChangePipeline, body: str, change: str) -> None:
    text = article_text("Title", "A body of words")
    state = PageState(Kind.ARTICLE, 1)._replace(
        content_hash=content_hash(text), fingerprint=simhash.fingerprint(text)
    )  # fmt: skip
    second = article(body)
    Runtime.of(crawler).beside.note(second, record=PageRecord(1, "http://a.test/1", "j", state))
    assert pipeline.process_item(second).change == change


def test_leaves_a_document_and_other_items_alone(crawler: Crawler, pipeline: ChangePipeline) -> None:
    judged = article("x", change="updated", content_hash=f"{9:016x}")
    Runtime.of(crawler).beside.note(judged, fingerprint_version=-1)
    assert pipeline.process_item(judged).content_hash == f"{9:016x}"
    other = {"url": "u"}
    assert pipeline.process_item(other) is other


def test_counts_each_outcome(crawler: Crawler, pipeline: ChangePipeline) -> None:
    pipeline.process_item(article("one"))
    assert crawler.stats is not None
    assert crawler.stats.get_value("articlebot/change/new") == 1
