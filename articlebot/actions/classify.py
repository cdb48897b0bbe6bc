"""scrapy classify: runs a classifier over a file of texts."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot import classify
from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.classify.labelled import read_texts
from articlebot.classify.prediction import Classifier, Prediction, Text

_BATCH = 1_000


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Classifies the rows of a file, and scores those that are labelled."""
    if not opts.data:
        raise UsageError("expected --data FILE")
    if opts.threshold is not None and not 0 <= opts.threshold <= 1:
        raise UsageError("--threshold: expected a probability from 0 to 1")
    section = command.config().classify
    threshold = section.threshold if opts.threshold is None else opts.threshold
    classifier = classify.load(Path(opts.model) if opts.model else section.model, threshold=threshold)
    rows = read_texts(Path(opts.data))
    predictions, seconds = _predict(classifier, [text for _, text in rows])
    if opts.out:
        _write(Path(opts.out), [row for row, _ in rows], predictions)
    figures = _figures(classifier, [row for row, _ in rows], predictions, seconds)
    command.show(figures, lambda: _readable(figures), opts)


def _predict(classifier: Classifier, texts: list[Text]) -> tuple[list[Prediction], float]:
    classifier.predict([("warm-up", "热身")])  # the segmenter loads its dictionary at its first use
    started = time.perf_counter()
    predictions: list[Prediction] = []
    for start in range(0, len(texts), _BATCH):
        predictions.extend(classifier.predict(texts[start : start + _BATCH]))
        if sys.stderr.isatty():
            print(f"\r{len(predictions):,} of {len(texts):,} texts", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty() and texts:
        print(file=sys.stderr)
    return predictions, time.perf_counter() - started


def _write(path: Path, rows: list[dict[str, Any]], predictions: list[Prediction]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, (row, prediction) in enumerate(zip(rows, predictions, strict=True), 1):
            line = {
                "row": number,
                **({"id": row["id"]} if "id" in row else {}),
                "category": prediction.category,
                "likeliest": _likeliest(prediction),
                "confidence": round(prediction.confidence, 4),
                "labels": list(prediction.labels),
                "scores": prediction.scores,
                **({"expected": _expected(row)} if _expected(row) else {}),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _figures(
    classifier: Classifier, rows: list[dict[str, Any]], predictions: list[Prediction], seconds: float
) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "classifier": classifier.name,
        "texts": len(rows),
        "texts_per_s": round(len(rows) / seconds, 1) if rows and seconds else None,
        "answered": sum(prediction.category is not None for prediction in predictions),
        "categories": dict(Counter(p.category for p in predictions if p.category is not None).most_common()),
    }
    scored = [(p, _expected(row)) for p, row in zip(predictions, rows, strict=True) if _expected(row)]
    if scored:
        scored.sort(key=lambda pair: -pair[0].confidence)
        surest = scored[: -(-len(scored) * 9 // 10)]
        answered = [pair for pair in scored if pair[0].category is not None]
        figures |= {
            "labelled": len(scored),
            "accuracy": _share_right(scored),
            "accuracy_at_90_coverage": _share_right(surest),
            "coverage": round(len(answered) / len(scored), 4),
            "accuracy_answered": _share_right(answered),
        }
        if unknown := sorted({label for _, labels in scored for label in labels} - set(classifier.labels)):
            figures["unknown_classes"] = unknown
    return figures


def _share_right(scored: list[tuple[Prediction, tuple[str, ...]]]) -> float | None:
    return round(sum(_likeliest(p) in labels for p, labels in scored) / len(scored), 4) if scored else None


def _likeliest(prediction: Prediction) -> str | None:
    return next(iter(prediction.scores), None)


def _expected(row: dict[str, Any]) -> tuple[str, ...]:
    value = row.get("labels", row.get("label"))
    if isinstance(value, list):
        return tuple(str(label) for label in value)
    return (str(value),) if value not in (None, "") else ()


def _readable(figures: dict[str, Any]) -> str:
    head = [{"figure": key, "value": value} for key, value in figures.items() if not isinstance(value, dict | list)]
    classes = [{"class": label, "texts": count} for label, count in figures["categories"].items()]
    parts = [table(head, ["figure", "value"]), table(classes, ["class", "texts"])]
    if "unknown_classes" in figures:
        parts.append("Labelled with classes the classifier does not know: " + ", ".join(figures["unknown_classes"]))
    return "\n\n".join(parts)
