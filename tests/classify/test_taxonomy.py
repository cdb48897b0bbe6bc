from __future__ import annotations

from pathlib import Path

import pytest

from articlebot import classify
from articlebot.errors import ConfigError
from benchmarks.taxonomy import measure, whole


@pytest.fixture(scope="module")
def shipped() -> classify.Classifier:
    return classify.load(None)


def test_what_is_shipped_is_read_once() -> None:
    assert classify.load(None) is classify.load(None)
    assert classify.load(None, threshold=0.9) is not classify.load(None)


def test_has_the_17_top_level_names_and_says_what_it_is(shipped: classify.Classifier) -> None:
    assert len(shipped.labels) == 17
    assert "keyword taxonomy" in shipped.name
    assert "untrained" in shipped.name


@pytest.mark.parametrize(
    ("title", "body", "category"),
    [
        ("Strong earthquake hits Chile", "Rescuers search the rubble.", "disaster, accident and emergency incident"),
        ("央行宣布下调存款准备金率", "股市应声上涨。", "economy, business and finance"),
        ("台灣總統選舉 民進黨候選人當選", "", "politics and government"),
        ("男篮客场逆转夺冠", "球迷欢呼。", "sport"),
        ("Typhoon brings heavy RAINFALL; weather forecast: more storms", "", "weather"),
        ("中央军委主席会见外长", "双方签署联合声明，首脑会谈在首都举行。", "politics and government"),
        ("秋冬单品搭配", "这款修身外套的面料与印花显瘦。", "lifestyle and leisure"),
        ("", "Scientists with NASA's new telescopes find a distant planet.", "science and technology"),
    ],
)
def test_tells_plain_cases(shipped: classify.Classifier, title: str, body: str, category: str) -> None:
    assert shipped.predict([(title, body)])[0].category == category


@pytest.mark.parametrize(("language", "least"), [("zh", 0.87), ("en", 0.89)])
def test_names_the_class_of_whole_articles(
    corpus: Path, shipped: classify.Classifier, language: str, least: float
) -> None:
    assert measure(shipped, whole(corpus, language))["accuracy"] >= least


@pytest.mark.parametrize("text", ["", " ", "😀😀😀", "甲", "the of and", "\x00", "1234 5678"])
def test_abstains_without_evidence(shipped: classify.Classifier, text: str) -> None:
    prediction = shipped.predict([(text, text)])[0]
    assert prediction.category is None
    assert prediction.labels == ()


def test_scores_are_shares(shipped: classify.Classifier) -> None:
    scores = shipped.predict([("Police arrest football coach after hospital fire", "")])[0].scores
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    assert 0 < sum(scores.values()) <= 1


def test_takes_ten_megabytes_in_bounded_time(shipped: classify.Classifier) -> None:
    assert len(shipped.predict([("football " * 10**6, "足球" * 10**6)])) == 1


def test_reads_the_users_taxonomy(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "Mine"\n'
        '[[category]]\nid = "drinks/tea"\nwords = "green tea!, 绿茶!"\n[[category]]\nid = "x"\nwords = "y"\n',
        encoding="utf-8",
    )
    mine = classify.load(path)
    assert mine.predict([("Green teas of spring", ""), ("綠茶", ""), ("y", "")])[0].category == "drinks/tea"
    assert mine.predict([("綠茶", "")])[0].category == "drinks/tea"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no \\[\\[category\\]\\]"),
        ("[[category]]\n", "category 1: id"),
        ('[[category]]\nid = "a"\n', "category 1 \\(a\\): no words"),
        ('[[category]]\nid = "a"\nwords = ["b"]\n', "expected words separated by commas"),
        ('[[category]]\nid = "a"\nwords = "b"\n[[category]]\nid = "a"\nwords = "b"\n', "twice"),
        ("[[", "mine.toml"),
    ],
)
def test_names_what_is_wrong_with_a_taxonomy(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        classify.load(path)


def test_names_a_missing_taxonomy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml"):
        classify.load(tmp_path / "none.toml")
