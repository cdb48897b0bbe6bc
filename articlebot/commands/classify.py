"""``scrapy classify``: what classes and relevance are told by: run, trained, corrected, judged."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action
from articlebot.actions.filters import add_engine, add_filters, how_many


class Command(base.Command):
    """Classify texts; train and correct a classifier; judge the pages of a topic.

    texts, or no action: classifies the rows of a JSON Lines file (text, or title and body). Rows with label or labels
    are scored: accuracy counts the likeliest class of every text, accuracy_at_90_coverage that of the nine tenths the
    model is surest of. Without --model the model of the settings is used, else the shipped keyword taxonomy. A run that
    was killed continues where it was.
    train: makes a linear classifier. A row has text (or title and body) and label, or labels where a text may have
    several classes; a label such as news/sport is a class in a tree. A tenth of the rows is kept out first and gives
    the report. Set ARTICLEBOT_CLASSIFY_MODEL to the model to use it.
    label: moves a model by as little as makes it agree with the corrections. With --ask TEXTS, shows the texts that
    the model is least sure of, asks for their class and appends the answers to CORRECTIONS.jsonl first. The model is
    replaced as a whole, or written to --out.
    judge: shows a random sample of the articles that the topic's focused crawls archived and asks if each is
    relevant; or takes the answers from a file: rows with relevant (true or false) and, where known, relevance. The
    threshold is then raised or lowered and kept for the next focused crawl. --rule best takes the value that tells
    the judged pages apart best; --rule design lowers it where the accuracy varies less than a bound between rounds,
    else raises it.
    """

    actions = {
        "": Action(),
        "texts": Action(),
        "train": Action("DATA.jsonl", "train"),
        "label": Action("MODEL CORRECTIONS.jsonl", "label"),
        "judge": Action("TOPIC.toml", "judge"),
    }
    usage = (
        "[texts] --data DATA.jsonl | train DATA.jsonl --out MODEL | label MODEL CORRECTIONS.jsonl | judge TOPIC.toml   "
        "[options]"
    )
    json = "print the figures as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--data", metavar="FILE", help="texts: a JSON object a line")
        parser.add_argument("--model", metavar="MODEL", help="texts: made by train, or a keyword taxonomy (.toml)")
        parser.add_argument(
            "--out", metavar="FILE", help="texts: a row for each; train: the model; label: the model, not over the old"
        )
        parser.add_argument(
            "--keywords", type=how_many, default=0, metavar="N", help="texts: N keywords of each, in --out"
        )
        add_engine(parser, "texts")
        parser.add_argument("--threshold", type=float, help="texts, train: probability under which it abstains")
        parser.add_argument("--seed", type=int, help="train, judge: of what is drawn")
        parser.add_argument("--ask", metavar="TEXTS.jsonl", help="label: ask for the class of texts of this file first")
        parser.add_argument(
            "--n", type=how_many, default=20, help="label: texts to ask for; judge: pages (%(default)s)"
        )
        parser.add_argument("--new-classes", action="store_true", help="label: classes that the model does not know")
        parser.add_argument("--labels", metavar="FILE", help="judge: pages and answers from this file of JSON lines")
        parser.add_argument("--rule", choices=("best", "design"), default="best", help="judge: how (%(default)s)")
        parser.add_argument("--bound", type=float, help="judge: greatest difference of accuracy that is steady (0.05)")
        parser.add_argument("--step", type=float, help="judge: share by which the threshold moves (0.1)")
        add_filters(parser, "since", "job", only="judge")
