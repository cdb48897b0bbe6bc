"""``scrapy run``: the main job from start to report, on the user's sites or on the newsroom of articlebot-lab."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Run the main job and report what it found.

    Crawls the sites of a job file (or the site of an address) until nothing is due, but for --seconds at most; without
    either, a made-up world of news sites on loopback, whose truth the report is compared with (it needs the package
    articlebot-lab). --workers are processes that share the work; one that dies is started again. Prints progress, then
    a report, and leaves it as report.json in the data folder. Exit codes as of scrapy crawl: 0 done, 1 finished with
    errors, 2 bad use, 3 finished, and a site gave nothing or far less than usual (the report says why), 75 the same
    run is under way or a store is away.
    """

    usage = "[--jobs FILE | --url URL] [--workers N] [--seconds N] [--json]"
    json = "print the report as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--jobs", metavar="FILE", help="job file, or a folder of job files")
        parser.add_argument("--url", help="address of a site to follow, or one list page of it")
        parser.add_argument(
            "--seconds", type=float, help="end after this many seconds, 10 or more, if not idle before (newsroom: 120)"
        )
        parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one for each core)")
        parser.add_argument("--sites", type=int, default=12, help="newsroom: number of sites (default: 12)")
        parser.add_argument("--seed", type=int, default=7, help="newsroom: seed of its world (default: 7)")
