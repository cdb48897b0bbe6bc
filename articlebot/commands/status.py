"""``scrapy status``: one screen about everything that runs, and an exit code for a monitor."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Show the state of everything on one screen.

    Prints queue, workers, pages due, archive, deliveries, the last run, hosts that do not answer and what a person
    should look at. Exit code 0: healthy; 1: there are warnings (a store is away, leases without a worker that
    lives, pages due for longer than --late while nobody fetches them, requests in quarantine, dead letters, a sink
    that fails, a freshness objective missed, sites that gave nothing or far less than usual, silent jobs, wrappers
    that no longer fit, job files that are wrong, errors in the last run, less than 1 GiB of disk); 2: bad use.
    """

    usage = "[--late SECONDS] [--json]"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--late", type=float, default=3600.0, metavar="SECONDS", help="a page may be due this long (3600)"
        )
