"""scrapy classify: runs a classifier over a file of texts."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot import classify
from articlebot.classify.labelled import read_texts
from articlebot.classify.prediction import Classifier, Prediction, Text
from articlebot.commands._output import table, to_json
from articlebot.config import Config
from articlebot.errors import ArticlebotError

_BATCH = 1_000


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "--data DATA.jsonl [--model MODEL] [options]"

    def short_desc(self) -> str:
        return "Classify texts, and score the classifier where they are labelled"

    def long_desc(self) -> str:
        return (
            "Classifies the rows of a JSON Lines file (text, or title and body). Rows with label or labels are scored: "
            "accuracy counts the likeliest class of every text, accuracy_at_90_coverage that of the nine tenths the "
            "model is surest of. Without --model the model of the settings is used, else the shipped keyword taxonomy."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--data", metavar="FILE", help="texts, a JSON object a line")
        parser.add_argument("--model", metavar="MODEL", help="made by `scrapy train`, or a keyword taxonomy (.toml)")
        parser.add_argument("--threshold", type=float, help="probability under which it abstains; default: the model's")
        parser.add_argument("--out", metavar="FILE", help="write a row for each text, a JSON object a line")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args or not opts.data:
            raise UsageError("expected --data FILE and no further arguments")
        if opts.threshold is not None and not 0 <= opts.threshold <= 1:
            raise UsageError("--threshold: expected a probability from 0 to 1")
        try:
            assert self.settings is not None
            config = Config.from_settings(self.settings).classify
            classifier = classify.load(Path(opts.model) if opts.model else config.model, threshold=opts.threshold)
            rows = read_texts(Path(opts.data))
            predictions, seconds = _predict(classifier, [text for _, text in rows])
            if opts.out:
                _write(Path(opts.out), [row for row, _ in rows], predictions)
        except (ArticlebotError, OSError) as error:
            raise UsageError(str(error), print_help=False) from None
        figures = _figures(classifier, [row for row, _ in rows], predictions, seconds)
        print(to_json(figures) if opts.json else _readable(figures))


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
