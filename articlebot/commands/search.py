"""``scrapy search``: full text over the archive."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_filters


class Command(base.Command):
    """Search the archive's articles.

    Finds articles that hold all words of QUERY, Chinese or English, in title, text, authors or source: words,
    "phrases", -without, begin*, one OR other; 2026-11-22 is also the day of publication. The best and newest come
    first; each is shown with the place that matches. A query with -without needs "--" before it. --save keeps the
    search under a name, and --alert has people told of what it finds from then on.
    """

    takes = "[QUERY...]"
    usage = "[options] [QUERY]"
    json = "print JSON: total, more, rest, instead and the articles; with --saved the saved searches"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--newest", action="store_true", help="newest first, however well they match")
        parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N articles (20)")
        parser.add_argument("--offset", type=int, default=0, metavar="N", help="leave out the first N")
        parser.add_argument(
            "--after", metavar="PLACE", help="go on with what is older, at the place that a search gave"
        )
        parser.add_argument(
            "--save", metavar="NAME", help="keep the search under a name, in the place of one that has it"
        )
        parser.add_argument(
            "--alert", action="store_true",
            help="with --save: tell people when a crawl archives articles that match, and new versions of those",
        )  # fmt: skip
        parser.add_argument("--saved", action="store_true", help="list the saved searches")
        parser.add_argument("--forget", metavar="NAME", help="drop a saved search")
        add_filters(parser, "since", "site", "category", "job", "language", since="published")
