"""scrapy classify label: corrects a classifier without training it again."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.classify import labelled, model_file, training
from articlebot.classify.labelled import Labelled
from articlebot.classify.linear import LinearModel

_SHOWN_CHARS = 300


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Corrects the model."""
    path, corrections = Path(args[0]), Path(args[1])
    model = model_file.read(path)
    if opts.ask:
        _ask(model, Path(opts.ask), corrections, opts.n, new=opts.new_classes)
    rows = labelled.read_labelled(corrections, known=None if opts.new_classes else model.labels)
    if not rows:
        raise UsageError(f"{corrections}: no corrections", print_help=False)
    corrected = training.update(model, rows)
    size = model_file.save(corrected, Path(opts.out) if opts.out else path)
    figures = {
        "model": str(opts.out or path),
        "bytes": size,
        "corrections": len(rows),
        "right_before": _right(model, rows),
        "right_after": _right(corrected, rows),
        "classes": len(corrected.labels),
    }
    command.show(figures, lambda: _readable(figures), opts)


def _right(model: LinearModel, rows: list[Labelled]) -> int:
    predictions = model.predict([row.text for row in rows])
    return sum(next(iter(p.scores), None) in row.labels for p, row in zip(predictions, rows, strict=True))


def _ask(model: LinearModel, texts: Path, corrections: Path, n: int, *, new: bool) -> None:
    found = labelled.read_texts(texts)
    predictions = model.predict([text for _, text in found])
    order = sorted(range(len(found)), key=lambda i: predictions[i].confidence)[: max(0, n)]
    print("Classes: " + ", ".join(model.labels), file=sys.stderr)
    print("Enter keeps the class shown, s leaves the text out, q ends.", file=sys.stderr)
    with corrections.open("a", encoding="utf-8") as file:
        for i in order:
            title, body = found[i][1]
            likeliest = next(iter(predictions[i].scores), "")
            print(f"\n{(title + ' ' + body).strip()[:_SHOWN_CHARS]}", file=sys.stderr)
            answer = _answer(f"[{likeliest} {predictions[i].confidence:.2f}] ", model.labels, new=new)
            if answer == "q":
                break
            if answer != "s" and (answer or likeliest):
                file.write(
                    json.dumps({"title": title, "body": body, "label": answer or likeliest}, ensure_ascii=False) + "\n"
                )


def _answer(prompt: str, labels: tuple[str, ...], *, new: bool) -> str:
    while True:
        print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        answer = line.strip() if line else "q"
        if answer in ("", "s", "q") or answer in labels or new:
            return answer
        print("No such class.", file=sys.stderr)


def _readable(figures: dict[str, Any]) -> str:
    return (
        f"{figures['model']}: {figures['corrections']:,} corrections, {figures['right_before']:,} of them right "
        f"before, {figures['right_after']:,} after; {figures['classes']} classes, {figures['bytes'] / 1e6:.1f} MB."
    )
