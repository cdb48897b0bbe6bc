"""scrapy classify train: makes a classifier from labelled texts."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.classify import labelled, model_file, training
from articlebot.classify.linear import DEFAULT_THRESHOLD

_SHOWN_CONFUSIONS = 10


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Trains and writes the model."""
    if not opts.out:
        raise UsageError("expected --out MODEL")
    threshold = DEFAULT_THRESHOLD if opts.threshold is None else opts.threshold
    if not 0 <= threshold <= 1:
        raise UsageError("--threshold: expected a probability from 0 to 1")
    data, out = Path(args[0]), Path(opts.out)
    started = time.monotonic()

    def progress(message: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {message}", file=sys.stderr, flush=True)

    examples = labelled.read_labelled(data)
    labelled.check_trainable(examples, data)
    trained = training.train(examples, seed=opts.seed or 0, progress=progress)
    size = model_file.save(trained.model.with_threshold(threshold), out)
    seconds = time.monotonic() - started
    report = {"model": str(out), "bytes": size, "seconds": round(seconds, 1), "trained_on": len(examples)}
    report["held_out"] = trained.report
    command.show(report, lambda: _readable(report), opts)


def _readable(report: dict[str, Any]) -> str:
    held_out = report["held_out"]
    confusions = [
        {"class": label, "taken_for": other, "texts": count}
        for label, row in held_out["confusion"].items()
        for other, count in row.items()
        if other != label
    ]
    confusions.sort(key=lambda row: -int(row["texts"]))
    parts = [
        f"{report['model']}: {report['trained_on']:,} texts, {report['bytes'] / 1e6:.1f} MB, {report['seconds']} s",
        f"On {held_out['texts']:,} texts kept out: accuracy {held_out['accuracy']}, on the surest 90% "
        f"{held_out['accuracy_at_90_coverage']}; answers {held_out['coverage']} of them at {held_out['threshold']}, "
        f"{held_out['accuracy_answered']} right.",
        table(held_out["classes"], ["class", "texts", "precision", "recall", "f1"]),
    ]
    if confusions:
        parts.append("Most often confused:\n" + table(confusions[:_SHOWN_CONFUSIONS], ["class", "taken_for", "texts"]))
    return "\n\n".join(parts)
