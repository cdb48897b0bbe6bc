"""scrapy label: corrects a classifier without training it again."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Correct a trained classifier with labelled texts, without a full training.

    Moves a model by as little as makes it agree with the corrections: rows of text (or title and body) with label
    or labels. With --ask TEXTS, shows the texts that the model is least sure of, asks for their class and appends
    the answers to CORRECTIONS.jsonl first. The model is replaced as a whole, or written to --out.
    """

    takes = "MODEL CORRECTIONS.jsonl"
    usage = "MODEL CORRECTIONS.jsonl [options]"
    json = "print the figures as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--out", metavar="MODEL", help="write the corrected model here instead of over the old one")
        parser.add_argument("--ask", metavar="TEXTS.jsonl", help="ask for the class of texts from this file first")
        parser.add_argument("--n", type=int, default=20, help="texts to ask for (%(default)s)")
        parser.add_argument("--new-classes", action="store_true", help="allow classes that the model does not know yet")
