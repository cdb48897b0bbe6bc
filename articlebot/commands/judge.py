"""``scrapy judge``: adapts the relevance threshold of a topic by a person's word on a random sample of pages."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.archive import Selection
from articlebot.classify.labelled import read_texts
from articlebot.commands._archive import archive, config, since
from articlebot.commands._output import to_json
from articlebot.errors import ArticlebotError, ConfigError
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


class Command(ScrapyCommand):
    """Judges a sample."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "TOPIC.toml [options]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Judge a sample of pages, and adapt a topic's relevance threshold"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Shows a random sample of the articles that the topic's focused crawls archived and asks if each "
            "is relevant; or takes the answers from a file: rows of text (or title and body) with relevant (true or "
            "false) and, where known, relevance. The threshold is then raised or lowered and kept for the next focused "
            "crawl. --rule best takes the value that tells the judged pages apart best; --rule design lowers it where "
            "the accuracy varies less than a bound between rounds, else raises it."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--labels", metavar="FILE", help="take pages and answers from this file of JSON lines")
        parser.add_argument("--n", type=int, default=20, help="pages to judge (%(default)s)")
        parser.add_argument("--job", help="sample this job's articles instead, whatever their relevance")
        parser.add_argument("--since", metavar="WHEN", help="only articles archived since, such as 7d")
        parser.add_argument("--rule", choices=("best", "design"), default="best", help="how it adapts (%(default)s)")
        parser.add_argument("--bound", type=float, help="design: greatest difference of accuracy that is steady (0.05)")
        parser.add_argument("--step", type=float, help="design: share by which the threshold moves (0.1)")
        parser.add_argument("--seed", type=int, help="of the sample")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Judges, adapts and keeps the threshold."""
        if len(args) != 1:
            raise UsageError("expected one topic file")
        data_dir = config(self.settings).general.data_dir
        try:
            topic = load_topic(Path(args[0]))
            before = _threshold(topic, data_dir, opts)
            judge = Judge(topic, threshold=before.value)
            if opts.labels:
                chosen = _labelled(Path(opts.labels), judge)
            else:
                chosen = sample(self._archived(topic, judge, opts), opts.n, random.Random(opts.seed))
            judged = list(_judged(chosen))
            after = (adapt if opts.rule == "design" else best_split)(before, judged)
            path = store_threshold(data_dir, topic.name, after)
        except (ArticlebotError, OSError) as error:
            raise UsageError(str(error), print_help=False) from None
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
        print(to_json(figures) if opts.json else _readable(figures))

    def _archived(self, topic: Topic, judge: Judge, opts: argparse.Namespace) -> list[_Page]:
        selection = Selection(since=since(opts.since), job=opts.job or topic.job_name)
        with archive(self.settings) as opened:
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
