"""``scrapy history``: the versions of an article and what changed between them."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_filters, how_many


class Command(base.Command):
    """Show the versions of an article and their differences.

    Shows every version of the article at URL (or with a page key of 16 hex digits), what changed in its fields, and
    its text's difference by words. With --edits the newest edits of all articles, as text, JSON Lines or an Atom
    feed.
    """

    takes = "[URL]"
    usage = "[options] URL | --edits"
    json = "print JSON: a list of versions"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--full", action="store_true", help="the whole text, not only what stands near a change")
        parser.add_argument("--edits", action="store_true", help="the newest edits of all articles")
        parser.add_argument("--atom", action="store_true", help="--edits: an Atom feed")
        parser.add_argument("--limit", type=how_many, default=50, metavar="N", help="--edits: at most N (50)")
        add_filters(parser, "since", "site", "category", "job", only="--edits", since="made")
