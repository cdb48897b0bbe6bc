"""``scrapy export``: the archive's articles as JSON Lines or a table."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_filters


class Command(base.Command):
    """Print the archive's articles.

    Prints the newest version of each article in the archive, or every version, in the order in which they were
    first archived. With --json one JSON object a line, with the fields of docs/article.schema.json; else a short
    table. --warc writes raw pages, as far as they are kept (ARTICLEBOT_ARCHIVE_RAW).
    """

    json = "JSON Lines with everything that is kept"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--versions", action="store_true", help="every version, not only the newest")
        parser.add_argument(
            "--warc", metavar="FILE", help="write the raw pages that are kept into this WARC file instead"
        )
        add_filters(parser, "since", "site", "category", "job", "cluster")
