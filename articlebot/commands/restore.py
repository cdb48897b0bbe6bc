"""``scrapy restore``: puts back what ``scrapy backup`` wrote."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Put back what `backup` wrote.

    Into an empty data folder and Redis, or with --replace in the place of what is there. Workers are ended before;
    the next crawl goes on where the backup was made, and what it fetches again is archived once. Exit code 2: the
    file is no backup, a worker works, or something is there; 75: a store is away.
    """

    usage = "FILE [--replace] [--json]"
    takes = "FILE"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--replace", action="store_true", help="remove what is there now")
