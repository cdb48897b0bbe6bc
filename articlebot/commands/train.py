"""scrapy train: makes a classifier from labelled texts."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Train a classifier from labelled texts.

    Trains a linear classifier from a JSON Lines file. A row has text (or title and body) and label, or labels where
    a text may have several classes; a label such as news/sport is a class in a tree. A tenth of the rows is kept
    out first and gives the report. Set ARTICLEBOT_CLASSIFY_MODEL to the model to use it.
    """

    takes = "DATA.jsonl"
    usage = "DATA.jsonl --out MODEL [options]"
    json = "print the report as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--out", metavar="MODEL", help="file to write the model to")
        parser.add_argument("--threshold", type=float, help="probability under which it abstains (0.5)")
        parser.add_argument("--seed", type=int, default=0, help="of the split and the order of rows (%(default)s)")
