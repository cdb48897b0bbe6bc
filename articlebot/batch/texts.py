"""Texts sketched and classified, a batch at a time."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from articlebot import classify
from articlebot.classify.prediction import Classifier, Prediction, Text
from articlebot.config import Dedup
from articlebot.dedup import Sketch, sketches_of
from articlebot.text import language


@dataclass(frozen=True, slots=True)
class SketchBatch:
    """Texts to sketch by ``ARTICLEBOT_DEDUP_METHOD``."""

    texts: tuple[str, ...]
    method: str


@dataclass(frozen=True, slots=True)
class ClassifyBatch:
    """Texts to classify.

    Attributes:
        model: file of the classifier, which stands at the same place wherever this runs; None is the shipped taxonomy.
        stamp: hash of that file: another model gives other results.
        threshold: see ``classify.load``.
        keywords: how many to find for each text.
    """

    texts: tuple[Text, ...]
    model: str | None
    stamp: str
    threshold: float | None
    keywords: int = 0


def sketched(batch: SketchBatch) -> list[Any]:
    """The sketch of each text, as :func:`sketches_in` takes them."""
    found = sketches_of(batch.texts, Dedup.model_validate({"method": batch.method}))
    return [[one.kind, one.size, one.items, b64encode(one.body).decode()] for one in found]


def sketches_in(rows: Sequence[Any]) -> list[Sketch]:
    """Sketches, of what :func:`sketched` returned."""
    return [Sketch(kind, size, tuple(items), b64decode(body)) for kind, size, items, body in rows]


def classified(batch: ClassifyBatch) -> list[Any]:
    """Prediction and keywords of each text, as :func:`predictions_in` takes them."""
    found = _classifier(batch.model, batch.stamp, batch.threshold).predict(batch.texts)
    return [[_said(one), _keywords(text, batch.keywords)] for one, text in zip(found, batch.texts, strict=True)]


def predictions_in(rows: Sequence[Any]) -> list[tuple[Prediction, tuple[str, ...]]]:
    """Predictions and keywords, of what :func:`classified` returned."""
    return [(Prediction(**{**said, "labels": tuple(said["labels"])}), tuple(words)) for said, words in rows]


def _said(prediction: Prediction) -> dict[str, Any]:
    # NumPy's numbers are none of JSON's.
    scores = {label: float(score) for label, score in prediction.scores.items()}
    return {**asdict(prediction), "scores": scores, "confidence": float(prediction.confidence)}


def _keywords(text: Text, number: int) -> tuple[str, ...]:
    joined = "\n".join(filter(None, text))
    return classify.keywords(joined, language(joined), number) if number else ()


@lru_cache(2)
def _classifier(model: str | None, stamp: str, threshold: float | None) -> Classifier:
    return classify.load(Path(model) if model else None, threshold=threshold)
