"""scrapy learn: learns the wrappers of sites from their pages, offline."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_engine


class Command(base.Command):
    """Learn the wrappers of sites from their own pages.

    Learns how the articles of each SITE are to be extracted, without labels, and keeps it as a new version. The
    pages are those that a crawl has kept of the site; with --pages they are the rows of a JSON Lines file, of which
    site, url and html_path (relative to the file) are read; without SITE all sites of the file are learned.
    What is known already makes no new version. A run that was killed continues where it was.
    """

    takes = "[SITE...]"
    usage = "SITE... [--pages FILE.jsonl] [options]"
    json = "print the result as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--pages", metavar="FILE", help="learn from these pages instead of those kept by crawls")
        parser.add_argument("--dry-run", action="store_true", help="show what would be learned and keep nothing")
        add_engine(parser)
