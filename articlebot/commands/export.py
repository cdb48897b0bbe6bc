"""``scrapy export``: the archive's articles in the formats of others."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_filters
from articlebot.typed import as_text


class Command(base.Command):
    """Print the archive's articles.

    Prints the newest version of each article in the archive, or every version, in the order in which they were
    first archived. --format: table (the default), jsonl (one JSON object a line with the fields of
    docs/reference/article.schema.json; --json is short for it), csv, parquet (needs pyarrow), markdown (with --out
    FOLDER a file for each article), wacz (the raw pages that are kept, in a file that web archive players open; needs
    surt). --query takes the words of scrapy search. --warc writes raw pages, as far as
    they are kept (ARTICLEBOT_ARCHIVE_RAW). --for leaves out what a site does not want used so
    (docs/explanation/politeness.md), and says on standard error how much: train (noai, opt-outs from training, TDM
    reservations, noindex; of noimageai the images), mine (TDM reservations), search (noindex).
    """

    json = "JSON Lines with everything that is kept"

    def options(self, parser: argparse.ArgumentParser) -> None:
        forms = ("table", "jsonl", "csv", "parquet", "markdown", "wacz")
        parser.add_argument("--format", choices=forms, help="how articles are written (table)")
        parser.add_argument("--out", metavar="FILE", help="write there instead of standard output; whole or not at all")
        parser.add_argument(
            "--query", metavar="WORDS", type=as_text, help="only articles that the command search would find"
        )
        parser.add_argument("--versions", action="store_true", help="every version, not only the newest")
        parser.add_argument(
            "--warc", metavar="FILE", help="write the raw pages that are kept into this WARC file instead"
        )
        parser.add_argument(
            "--for", dest="purpose", choices=("train", "mine", "search"), help="only what the sites let be used so"
        )
        add_filters(parser, "since", "site", "category", "job", "cluster", "language")
