"""``scrapy discover``: now ``scrapy jobs windows`` and ``scrapy jobs intervals``."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.commands import jobs


class Command(base.Renamed):
    """Now ``scrapy jobs windows`` and ``scrapy jobs intervals``."""

    now = jobs.Command

    def options(self, parser: argparse.ArgumentParser) -> None:
        super().options(parser)
        parser.add_argument("--jobs", metavar="FILE", help="job files or folders, separated by commas")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        super().run([*args, *(opts.jobs or "").split(",")] if opts.jobs else args, opts)
