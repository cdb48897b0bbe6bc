"""scrapy classify: runs a classifier over a file of texts."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Classify texts, and score the classifier where they are labelled.

    Classifies the rows of a JSON Lines file (text, or title and body). Rows with label or labels are scored:
    accuracy counts the likeliest class of every text, accuracy_at_90_coverage that of the nine tenths the model is
    surest of. Without --model the model of the settings is used, else the shipped keyword taxonomy.
    """

    usage = "--data DATA.jsonl [--model MODEL] [options]"
    json = "print the figures as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--data", metavar="FILE", help="texts, a JSON object a line")
        parser.add_argument("--model", metavar="MODEL", help="made by `scrapy train`, or a keyword taxonomy (.toml)")
        parser.add_argument("--threshold", type=float, help="probability under which it abstains; default: the model's")
        parser.add_argument("--out", metavar="FILE", help="write a row for each text, a JSON object a line")
