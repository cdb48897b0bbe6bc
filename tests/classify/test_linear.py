from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot import classify
from articlebot.classify import features, model_file, training
from articlebot.classify.labelled import Labelled, check_trainable, read_labelled, read_texts
from articlebot.classify.linear import LinearModel
from articlebot.errors import ConfigError, StateError

# Trained once.
pytestmark = pytest.mark.xdist_group("linear")
WORDS = {
    "sport/football": "goal striker league penalty 进球 足球 联赛 门将".split(),
    "sport/tennis": "racket serve wimbledon ace 网球 发球 温网 球拍".split(),
    "finance": "stock bank inflation bond 股市 央行 通胀 债券".split(),
}


def example(label: str, rng: random.Random) -> Labelled:
    noise = "the of report today says people 今天 表示 报道 人们".split()
    chosen = rng.sample(WORDS[label], 3) + rng.sample(noise, 4)
    if label.startswith("sport"):
        chosen.append("match")
    rng.shuffle(chosen)
    return Labelled((" ".join(chosen[:3]), " ".join(chosen[3:])), (label,))


@pytest.fixture(scope="module")
def trained() -> training.Trained:
    rng = random.Random(1)
    return training.train([example(label, rng) for label in WORDS for _ in range(150)])


def test_learns_and_reports(trained: training.Trained) -> None:
    assert trained.report["texts"] == 45
    assert trained.report["accuracy"] >= 0.95
    assert {row["class"] for row in trained.report["classes"]} == set(WORDS)
    assert sum(sum(row.values()) for row in trained.report["confusion"].values()) == 45
    rng = random.Random(2)
    fresh = [example(label, rng) for label in WORDS for _ in range(20)]
    predictions = trained.model.predict([row.text for row in fresh])
    assert np.mean([p.category == row.labels[0] for p, row in zip(predictions, fresh, strict=True)]) > 0.95


def test_probabilities_are_shares(trained: training.Trained) -> None:
    for prediction in trained.model.predict([("goal", "wimbledon"), ("stock", ""), ("unknown", "words")]):
        values = list(prediction.scores.values())
        assert values == sorted(values, reverse=True)
        assert sum(values) == pytest.approx(1, abs=0.01)
        assert prediction.confidence == pytest.approx(values[0], abs=1e-3)


def test_abstains_and_falls_back_to_the_branch(trained: training.Trained) -> None:
    strict = trained.model.with_threshold(0.99)
    between, nothing = strict.predict([("match goal racket", "penalty serve"), ("zzz", "qqq")])
    assert between.confidence < 0.99
    assert nothing.category is None
    assert nothing.labels == ()
    half = trained.model.with_threshold(max(between.confidence + 0.01, 0.6))
    assert half.predict([("match goal racket", "penalty serve")])[0].category in {
        "sport",
        "sport/football",
        "sport/tennis",
    }


@pytest.mark.parametrize("text", ["", " ", "\n\x00"])
def test_says_nothing_about_nothing(trained: training.Trained, text: str) -> None:
    assert trained.model.predict([(text, text)])[0].category is None


def test_takes_any_text(trained: training.Trained) -> None:
    odd = [
        ("😀" * 50, ""),
        ("甲", ""),
        ("x" * 10**7, "y" * 10**7),
        ("\ufdd0", "a\ufdd0b"),
        ("\ud800", "\ud800"),
        ("goal", ""),
    ]
    assert len(trained.model.predict(odd)) == len(odd)
    assert trained.model.predict([]) == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40)), min_size=1, max_size=6))
def test_a_batch_is_as_its_texts_alone(texts: list[tuple[str, str]]) -> None:
    together = features.count(texts)
    for i, text in enumerate(texts):
        alone = features.count([text])
        part = slice(int(together.starts[i]), int(together.starts[i + 1]))
        assert together.ids[part].tolist() == alone.ids.tolist()
        assert together.counts[part].tolist() == alone.counts.tolist()


def test_is_the_same_from_its_file(trained: training.Trained, tmp_path: Path) -> None:
    path = tmp_path / "model"
    size = model_file.save(trained.model, path)
    assert size == path.stat().st_size < 1_000_000
    again = classify.load(path, threshold=0.7)
    assert isinstance(again, LinearModel)
    assert again.threshold == 0.7
    texts = [("goal penalty", "league"), ("央行", "通胀"), ("wimbledon", "ace")]
    np.testing.assert_allclose(again.scores(texts), trained.model.scores(texts), atol=0.05)
    assert "trained model" in again.name
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_trains_the_same_twice() -> None:
    rng = random.Random(3)
    rows = [example(label, rng) for label in WORDS for _ in range(20)]
    first, second = (training.train(rows, seed=7).model for _ in range(2))
    np.testing.assert_array_equal(first.weights, second.weights)


def _rewritten(path: Path, **changes: Any) -> None:
    with np.load(path) as arrays:
        content = dict(arrays)
    header = json.loads(content["header"].tobytes()) | changes
    content["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, r"model version 99 .* train it again: scrapy classify train DATA\.jsonl --out"),
        ({"features": 0}, "features 0"),
        ({"format": "x"}, "not an articlebot model"),
        ({"labels": ["a"]}, "damaged"),
        ({"calibration": None}, "damaged"),
    ],
)
def test_refuses_other_models(trained: training.Trained, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "model"
    model_file.save(trained.model, path)
    _rewritten(path, **change)
    with pytest.raises(StateError, match=message):
        classify.load(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"x" * 1000])
def test_refuses_what_is_no_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(StateError, match="train it again"):
        classify.load(path)
    with pytest.raises(StateError, match="no such model"):
        classify.load(tmp_path / "none")


def test_refuses_pickled_arrays(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with path.open("wb") as file:
        np.savez(file, header=np.array([{"format": "articlebot-classifier"}], dtype=object))
    with pytest.raises(StateError, match="damaged"):
        classify.load(path)


def test_corrections_are_taken_and_the_rest_stays(trained: training.Trained) -> None:
    rng = random.Random(4)
    known = [example(label, rng) for label in WORDS for _ in range(30)]
    corrections = [
        Labelled(("chess grandmaster opening", ""), ("chess",)),
        Labelled(("quidditch goal", "league of wizards"), ("finance",)),
    ]
    model = training.update(trained.model, corrections)
    predictions = model.predict([row.text for row in corrections])
    assert [next(iter(p.scores)) for p in predictions] == ["chess", "finance"]
    assert model.labels == (*trained.model.labels, "chess")
    after = model.predict([row.text for row in known])
    assert np.mean([next(iter(p.scores)) == row.labels[0] for p, row in zip(after, known, strict=True)]) > 0.9


def test_texts_may_have_several_classes() -> None:
    rng = random.Random(5)
    rows = [example(label, rng) for label in WORDS for _ in range(60)]
    for _ in range(60):
        a, b = example("finance", rng), example("sport/tennis", rng)
        rows.append(Labelled((f"{a.text[0]} {b.text[0]}", f"{a.text[1]} {b.text[1]}"), (*a.labels, *b.labels)))
    model = training.train(rows).model
    assert model.several
    both, one = model.predict([("stock bank bond", "racket serve ace"), ("goal penalty", "striker league")])
    assert set(both.labels) == {"finance", "sport/tennis"}
    assert one.labels == ("sport/football",)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"label": "a"}', "text: missing"),
        ('{"text": "t"}', "either label or labels"),
        ('{"text": "t", "label": "a", "labels": ["a"]}', "either label or labels"),
        ('{"text": 1, "label": "a"}', "expected a text"),
        ('{"text": "t", "label": ""}', "name of a class"),
        ('{"text": "t", "label": null}', "name of a class"),
        ('{"text": "t", "label": "a//b"}', "no empty part"),
        ('{"text": "t", "labels": "a"}', "list of classes"),
        ('{"text": "t", "label": "zzz"}', "unknown class 'zzz'"),
        ('{"text": "t", "label": "' + "x" * 200 + '"}', "at most 120"),
    ],
)
def test_names_line_and_reason(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(f'{{"text": "t", "label": "a"}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"d\.jsonl:3: .*{reason}"):
        read_labelled(path, known=["a", "x" * 200])


def test_names_a_line_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'{"text": "\xff"}\n')
    with pytest.raises(ConfigError, match=r"d\.jsonl:1: not UTF-8"):
        read_texts(path)
    with pytest.raises(ConfigError, match="none"):
        read_texts(tmp_path / "none")


def test_one_class_teaches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with pytest.raises(ConfigError, match=r"one class only \('a'\)"):
        check_trainable([Labelled(("", "t"), ("a",), 1)], path)
    with pytest.raises(ConfigError, match="no rows"):
        check_trainable([], path)


def test_learns_real_titles(corpus: Path) -> None:
    rows = read_labelled(corpus / "texts" / "thucnews_title.train45k.jsonl")[:6000]
    report = training.train(rows).report
    assert report["accuracy"] > 0.82
    assert report["accuracy_at_90_coverage"] > report["accuracy"]
    assert report["calibration_error"] < 0.1
