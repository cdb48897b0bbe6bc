"""``scrapy frontier``: look at the shared queue and act on it."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action


class Command(base.Command):
    """Show the shared queue, requeue or purge requests.

    Each spider has a queue of its own; all are meant where --spider names none, but purge is for one. show: counts,
    workers and the slots with the longest queues, with the time of their next start. quarantine: requests that came
    back too often, with their history. requeue: queues them again. purge: removes queue and leases; with --all also
    the known pages and the quarantine, so that a crawl begins from nothing. Running workers notice a purge by
    themselves.
    """

    usage = (
        "show [--slots N] | quarantine | requeue ID... | requeue --all | purge [--all] --yes   [--spider NAME] [--json]"
    )
    json = "print JSON instead of tables"

    actions = {"show": Action(), "quarantine": Action(), "requeue": Action("[ID...]"), "purge": Action()}

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--slots", type=int, default=20, metavar="N", help="show: number of slots to print")
        parser.add_argument(
            "--spider", metavar="NAME", help="the queue of this spider only; purge: article, if not given"
        )
        parser.add_argument("--all", action="store_true", help="requeue: every request; purge: known pages too")
        parser.add_argument("--yes", action="store_true", help="purge: really do it")
