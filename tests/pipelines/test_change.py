from __future__ import annotations

import pytest

from articlebot.dedup import article_text
from articlebot.items import Article, Video
from articlebot.pipelines.change import ChangePipeline
from articlebot.text import content_hash, simhash
from tests.crawlers import crawler_with


def article(body: str, **values: object) -> Article:
    return Article(
        url="http://a.test/1", canonical_url="http://a.test/1", page_key=1, job="j", site="a.test", title="Title",
        body=body, fetched_at=1.0, **values,
    )  # fmt: skip


@pytest.fixture
def pipeline() -> ChangePipeline:
    return ChangePipeline.from_crawler(crawler_with())


def test_fills_what_a_first_visit_saw(pipeline: ChangePipeline) -> None:
    item = pipeline.process_item(article("A body of words"))
    text = article_text("Title", "A body of words")
    assert (item.content_hash, item.fingerprint) == (content_hash(text), simhash.fingerprint(text))
    assert (item.fingerprint_version, item.change, item.distance) == (simhash.VERSION, "new", None)


@pytest.mark.parametrize(("body", "change"), [("A body of words", "unchanged"), ("Another body", "updated")])
def test_compares_with_the_visit_before(pipeline: ChangePipeline, body: str, change: str) -> None:
    first = pipeline.process_item(article("A body of words"))
    second = article(body, previous_hash=first.content_hash, previous_fingerprint=first.fingerprint)
    assert pipeline.process_item(second).change == change


def test_leaves_a_judged_article_and_other_items_alone(pipeline: ChangePipeline) -> None:
    judged = article("x", fingerprint_version=1, fingerprint=7, change="updated", distance=3, content_hash=9)
    assert pipeline.process_item(judged).fingerprint == 7
    video = Video(url="u", page_key=1, job="j", site="s", title="t", media=(), fetched_at=0.0)
    assert pipeline.process_item(video) is video


def test_counts_each_outcome() -> None:
    crawler = crawler_with()
    pipeline = ChangePipeline.from_crawler(crawler)
    pipeline.process_item(article("one"))
    assert crawler.stats is not None
    assert crawler.stats.get_value("articlebot/change/new") == 1
