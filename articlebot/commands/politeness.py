"""``scrapy politeness``: audits crawl logs."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Audit crawl logs: smallest gap per host, overlaps, adjacent pages too close.

    Reads crawl log files or folders (default: logs/ in the data folder), of one worker or many, and prints for each
    host the number of downloads, how many began while another one was running (must be 0), how many came sooner
    than the slot allows, and the distribution of the seconds between two starts. Pages found on the same parent
    page are checked in the same way. Exit code 1 when a rule was broken, 2 when there is nothing to read.
    """

    takes = "[LOG...]"
    usage = "[LOG...] [--least S] [--adjacency keys|slot|host] [--hosts N] [--json]"
    json = "print JSON instead of tables"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--least", type=float, metavar="S", help="shortest allowed gap in seconds (default: as logged)"
        )
        parser.add_argument(
            "--adjacency", choices=["keys", "slot", "host"], help="host: pages of one parent may come together"
        )
        parser.add_argument("--hosts", type=int, default=20, metavar="N", help="hosts to print, worst first; 0: all")
