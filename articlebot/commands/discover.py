"""`scrapy discover`: learns time windows and base intervals from the crawl history."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action


class Command(base.Command):
    """Learn time windows and base intervals from the crawl history.

    windows: the hours and days in which each job publishes; outside them one visit in ten is still made. intervals:
    the base interval of each job: kept when at least half of its rounds found an update, else longer, shorter when
    nearly all did. Both read the round history in the data folder, print what changes and why, and write the result
    for the next crawl; for cron, once a day.
    """

    usage = "windows|intervals --jobs FILE [--days N] [--dry-run] [--json]"

    actions = {"windows": Action(), "intervals": Action()}

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--jobs", metavar="FILE", help="job files or folders, separated by commas")
        parser.add_argument("--days", type=float, default=28.0, metavar="N", help="how far back to read (default: 28)")
        parser.add_argument("--dry-run", action="store_true", help="print only, write nothing")
