"""``scrapy explain``: everything known of one URL, and why it was fetched, extracted and published, or was not."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Tell everything known of one URL, and why.

    Prints what every part knows of a page: its job, whether it was ever seen, queue, lease and slot, the last
    downloads and robots.txt answers of the crawl log, recrawl state and next visit with the reason, validators, its
    site's wrapper, archived versions with their distance, class and cluster, and deliveries that wait; first of
    all, in a sentence, why it stands where it stands, and which job would take it: of the jobs that were followed
    last, or of the files that --jobs names. In
    JSON, idle_parameters are those that change nothing in addresses of its site, interval_s is the seconds between
    the last visit and the next, next_visit when that is due, in epoch seconds; both are null where none is planned.
    Exit code 1 where nothing at all is known.
    """

    takes = "URL"
    usage = "URL [--jobs FILE] [--json]"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--jobs", metavar="FILE", help="job files, separated by commas, in place of the jobs followed last"
        )
