"""``scrapy neardup``: clusters the texts of a file by the rules of the crawl."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_engine


class Command(base.Command):
    """Cluster the near-duplicates among the texts of a file.

    Reads rows {"id": ..., "text": ...} (and "source", a site, where known), one JSON object a line, and puts each
    text into its cluster by the code and the ARTICLEBOT_DEDUP_* settings of the crawl. Works in a namespace of its
    own on REDIS_URL, else on a server of its own, and leaves nothing there. Rows that cannot be used are named on
    standard error and make the exit code 1; the others are clustered. A run that was killed continues where it was.
    """

    usage = "--docs DOCS.jsonl [options]"
    json = 'a row {"id": ..., "cluster": ...} for each text'

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--docs", metavar="FILE", help="the texts; - for standard input")
        add_engine(parser)
