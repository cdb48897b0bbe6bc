from __future__ import annotations

from typing import Any

import pytest

from articlebot.errors import ConfigError
from articlebot.items import Article
from articlebot.pipelines.classify import ClassifyPipeline
from tests.crawlers import crawler_with

BODY = "女足昨晚在客场逆转夺冠，球迷到机场迎接球队。主教练说，队员们在比赛中表现出色。"


def article(**fields: Any) -> Article:
    values = {
        "url": "https://a.test/1",
        "canonical_url": "https://a.test/1",
        "page_key": "1",
        "job": "a",
        "site": "a.test",
    }
    return Article(**{**values, "title": "女足夺冠", "body": BODY, "language": "zh", "fetched_at": 1.0, **fields})


def pipeline(**settings: Any) -> tuple[ClassifyPipeline, Any]:
    crawler = crawler_with(settings_dict=settings)
    return ClassifyPipeline.from_crawler(crawler), crawler.stats


def test_fills_class_summary_and_keywords() -> None:
    classifier, stats = pipeline()
    item = classifier.process_item(article())
    assert item.category == "sport"
    assert item.categories["sport"] > 0.5
    assert item.summary.startswith("女足昨晚")
    assert "".join(item.keywords)
    assert stats.get_value("articlebot/classify/classified") == 1


def test_keeps_what_job_and_page_state() -> None:
    classifier, stats = pipeline()
    item = classifier.process_item(article(category="本地", summary="S", keywords=("k",)))
    assert (item.category, item.categories, item.summary, item.keywords) == ("本地", {"本地": 1.0}, "S", ("k",))
    assert stats.get_value("articlebot/classify/by_job") == 1


def test_counts_abstentions_and_leaves_other_items_alone() -> None:
    classifier, stats = pipeline()
    assert classifier.process_item(article(title="", body="")).category is None
    assert stats.get_value("articlebot/classify/abstained") == 1
    assert classifier.process_item({"a": 1}) == {"a": 1}


def test_lengths_are_set() -> None:
    classifier, _ = pipeline(ARTICLEBOT_CLASSIFY_SUMMARY_CHARS=20, ARTICLEBOT_CLASSIFY_KEYWORDS=1)
    item = classifier.process_item(article())
    assert 0 < len(item.summary) <= 20
    assert len(item.keywords) == 1
    classifier, _ = pipeline(ARTICLEBOT_CLASSIFY_SUMMARY_CHARS=0, ARTICLEBOT_CLASSIFY_KEYWORDS=0)
    item = classifier.process_item(article())
    assert (item.summary, item.keywords) == ("", ())


def test_a_missing_model_stops_the_start(tmp_path: Any) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml"):
        pipeline(ARTICLEBOT_CLASSIFY_MODEL=str(tmp_path / "none.toml"))
