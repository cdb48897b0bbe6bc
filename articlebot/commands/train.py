"""scrapy train: makes a classifier from labelled texts."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.classify import labelled, model_file, training
from articlebot.classify.linear import DEFAULT_THRESHOLD
from articlebot.commands._output import table, to_json
from articlebot.errors import ConfigError

_SHOWN_CONFUSIONS = 10


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "DATA.jsonl --out MODEL [options]"

    def short_desc(self) -> str:
        return "Train a classifier from labelled texts"

    def long_desc(self) -> str:
        return (
            "Trains a linear classifier from a JSON Lines file. A row has text (or title and body) and label, or "
            "labels where a text may have several classes; a label such as news/sport is a class in a tree. A tenth of "
            "the rows is kept out first and gives the report. Set ARTICLEBOT_CLASSIFY_MODEL to the model to use it."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--out", metavar="MODEL", help="file to write the model to")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        parser.add_argument(
            "--threshold",
            type=float,
            default=DEFAULT_THRESHOLD,
            help="probability under which it abstains (%(default)s)",
        )
        parser.add_argument("--seed", type=int, default=0, help="of the split and the order of rows (%(default)s)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or not opts.out:
            raise UsageError("expected one file of labelled texts and --out MODEL")
        if not 0 <= opts.threshold <= 1:
            raise UsageError("--threshold: expected a probability from 0 to 1")
        data, out = Path(args[0]), Path(opts.out)
        started = time.monotonic()

        def progress(message: str) -> None:
            print(f"{time.monotonic() - started:6.1f} s  {message}", file=sys.stderr, flush=True)

        try:
            examples = labelled.read_labelled(data)
            labelled.check_trainable(examples, data)
            trained = training.train(examples, seed=opts.seed, progress=progress)
            size = model_file.save(trained.model.with_threshold(opts.threshold), out)
        except (ConfigError, OSError) as error:
            raise UsageError(str(error), print_help=False) from None
        seconds = time.monotonic() - started
        report = {"model": str(out), "bytes": size, "seconds": round(seconds, 1), "trained_on": len(examples)}
        report["held_out"] = trained.report
        print(to_json(report) if opts.json else _readable(report))


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
