"""``scrapy reextract``: articles anew from their stored raw pages, without fetching."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.filters import add_filters


class Command(base.Command):
    """Extract articles again from stored raw pages.

    Extracts the newest version of each article again from its raw page, where that is kept
    (ARTICLEBOT_ARCHIVE_RAW=all), without fetching, with the wrappers as they are now, and shows what comes out
    otherwise than what is archived. With --apply it becomes a new version and goes to the sinks. Articles of
    several pages are left out: only their first page is kept.
    """

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--apply", action="store_true", help="publish what differs, not only show it")
        parser.add_argument("--jobs", metavar="FILE", help="job files, separated by commas: selectors and time zones")
        parser.add_argument("--limit", type=int, default=20, metavar="N", help="show the first N that differ (20)")
        add_filters(parser, "since", "site", "job")
