"""``scrapy classify judge``: adapts a topic's threshold by a person's word on a sample of pages."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from articlebot.actions import base
from articlebot.actions.archived import archive, since
from articlebot.archive import Selection
from articlebot.classify.labelled import read_texts
from articlebot.errors import ConfigError
from articlebot.relevance import Judge, Topic, load_topic
from articlebot.relevance.threshold import (
    Judgement,
    Threshold,
    adapt,
    best_split,
    sample,
    store_threshold,
    stored_threshold,
)

_SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True)
class _Page:
    title: str
    body: str
    relevance: float
    relevant: bool | None


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Judges, adapts and keeps the threshold."""
    data_dir = command.config().general.data_dir
    topic = load_topic(Path(args[0]))
    before = _threshold(topic, data_dir, opts)
    judge = Judge(topic, threshold=before.value)
    if opts.labels:
        chosen = _labelled(Path(opts.labels), judge)
    else:
        chosen = sample(_archived(command, topic, judge, opts), opts.n, random.Random(opts.seed))
    judged = list(_judged(chosen))
    after = (adapt if opts.rule == "design" else best_split)(before, judged)
    path = store_threshold(data_dir, topic.name, after)
    figures = {
        "topic": topic.name,
        "judged": len(judged),
        "relevant": sum(judgement.relevant for judgement in judged),
        "accuracy": after.accuracies[-1] if judged else None,
        "threshold_before": round(before.value, 4),
        "threshold": round(after.value, 4),
        "rounds": len(after.accuracies),
        "kept_in": str(path),
    }
    command.show(figures, lambda: _readable(figures), opts)


def _archived(command: base.Command, topic: Topic, judge: Judge, opts: argparse.Namespace) -> list[_Page]:
    selection = Selection(since=since(opts.since), job=opts.job or topic.job_name)
    with archive(command.config()) as opened:
        rows = ((row, row["title"], row["body"]) for row in opened.articles(selection))
        return [_Page(title, body, _relevance(row, judge, title, body), None) for row, title, body in rows]


def _threshold(topic: Topic, data_dir: Path, opts: argparse.Namespace) -> Threshold:
    stored = stored_threshold(data_dir, topic.name)
    value = stored.value if stored is not None else Judge(topic).threshold
    kept = stored if stored is not None else Threshold(value)
    return Threshold(
        value,
        step=kept.step if opts.step is None else opts.step,
        bound=kept.bound if opts.bound is None else opts.bound,
        accuracies=kept.accuracies,
    )


def _labelled(path: Path, judge: Judge) -> list[_Page]:
    pages = []
    for number, (row, (title, body)) in enumerate(read_texts(path), 1):
        relevant = row.get("relevant")
        if not isinstance(relevant, bool):
            raise ConfigError(f"{path}: row {number}: relevant: expected true or false")
        pages.append(_Page(title, body, _relevance(row, judge, title, body), relevant))
    return pages


def _relevance(row: dict[str, Any], judge: Judge, title: str, body: str) -> float:
    stated = row.get("relevance")
    return float(stated) if isinstance(stated, int | float) else judge.relevance(title, body)


def _judged(pages: Iterable[_Page]) -> Iterator[Judgement]:
    for page in pages:
        if page.relevant is not None:
            yield Judgement(page.relevance, page.relevant)
            continue
        print(f"\n{page.title}\n{page.body[:_SHOWN_CHARS]}", file=sys.stderr)
        answer = _answer()
        if answer == "q":
            return
        if answer in ("y", "n"):
            yield Judgement(page.relevance, answer == "y")


def _answer() -> str:
    while True:
        print("relevant? [y/n, s leaves it out, q ends] ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        answer = line.strip().lower()[:1] if line else "q"
        if answer in ("y", "n", "s", "q"):
            return answer


def _readable(figures: dict[str, Any]) -> str:
    if not figures["judged"]:
        return f"{figures['topic']}: nothing judged; the threshold stays at {figures['threshold']}."
    return (
        f"{figures['topic']}: {figures['relevant']} of {figures['judged']} relevant; threshold "
        f"{figures['threshold_before']} -> {figures['threshold']} (round {figures['rounds']}), kept in "
        f"{figures['kept_in']}."
    )
