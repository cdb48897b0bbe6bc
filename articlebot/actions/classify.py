"""scrapy classify: runs a classifier over a file of texts."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot import classify
from articlebot.actions import base
from articlebot.actions.engaged import engaged
from articlebot.actions.output import Progress, table
from articlebot.batch.texts import ClassifyBatch, classified, predictions_in
from articlebot.classify.labelled import read_texts
from articlebot.classify.prediction import Classifier, Prediction, Text
from articlebot.config import Config

_BATCH = 1_000
# Of so many batches a second process saves more than it takes to start: 2 s, at .3 ms a text.
_FEW = 16


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Classifies the rows of a file, and scores those that are labelled."""
    if not opts.data:
        raise UsageError("expected --data FILE")
    if opts.threshold is not None and not 0 <= opts.threshold <= 1:
        raise UsageError("--threshold: expected a probability from 0 to 1")
    config = command.config()
    threshold = config.classify.threshold if opts.threshold is None else opts.threshold
    if opts.keywords and not opts.out:
        raise UsageError("--keywords needs --out FILE")
    model = Path(opts.model) if opts.model else config.classify.model
    classifier = classify.load(model, threshold=threshold)
    rows = read_texts(Path(opts.data))
    begun = time.perf_counter()
    found = _predict(_batches([text for _, text in rows], model, threshold, opts.keywords), opts, config)
    seconds = time.perf_counter() - begun
    predictions = [prediction for prediction, _ in found]
    if opts.out:
        _write(Path(opts.out), [row for row, _ in rows], found, keywords=opts.keywords > 0)
    figures = _figures(classifier, [row for row, _ in rows], predictions, seconds)
    command.show(figures, lambda: _readable(figures), opts)


def _batches(texts: list[Text], model: Path | None, threshold: float | None, keywords: int) -> list[ClassifyBatch]:
    stamp = blake2b(model.read_bytes(), digest_size=16).hexdigest() if model is not None else ""
    name = str(model.resolve()) if model is not None else None
    parts = (tuple(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH))
    return [ClassifyBatch(part, name, stamp, threshold, keywords) for part in parts]


def _predict(
    batches: list[ClassifyBatch], opts: argparse.Namespace, config: Config
) -> list[tuple[Prediction, tuple[str, ...]]]:
    if opts.engine == "local" and opts.processes is None and len(batches) < _FEW:
        opts.processes = 1
    found: list[tuple[Prediction, tuple[str, ...]]] = []
    progress = Progress("texts", lambda: len(found) / max(1, _BATCH * len(batches)))
    with engaged(opts, config, "classify", progress) as run:
        for _, rows in run(classified, batches, lambda batch: len(batch.texts)):
            found += predictions_in(rows)
    return found


def _write(
    path: Path, rows: list[dict[str, Any]], found: list[tuple[Prediction, tuple[str, ...]]], *, keywords: bool
) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, (row, (prediction, words)) in enumerate(zip(rows, found, strict=True), 1):
            line = {
                "row": number,
                **({"id": row["id"]} if "id" in row else {}),
                "category": prediction.category,
                "likeliest": _likeliest(prediction),
                "confidence": round(prediction.confidence, 4),
                "labels": list(prediction.labels),
                "scores": prediction.scores,
                **({"expected": _expected(row)} if _expected(row) else {}),
                **({"keywords": words} if keywords else {}),
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
