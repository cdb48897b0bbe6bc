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
    visit: has pages visited now, known or not, for the job that has their host: of the jobs that were followed last.
    politeness: audits crawl log files or folders (default: logs/ in the data folder), of one worker or many: for each
    host the number of downloads, how many began while another one was running (must be 0), how many came sooner than
    the slot allows, and the distribution of the seconds between two starts; pages found on the same parent page are
    checked in the same way. Exit code 1 when a rule was broken, 2 when there is nothing to read.
    reshard: cuts queue, known pages, page states and near-duplicates into N shards, for ARTICLEBOT_FRONTIER_SHARDS=N.
    End all workers and back Redis up first. A move that was killed goes on when the same command is typed again; until
    it is done no crawl starts. Exit code 75: Redis is away, or a worker still works.
    """

    usage = (
        "show [--slots N] | visit URL... | quarantine | requeue ID... | requeue --all | purge [--all] --yes | "
        "politeness [LOG...] | reshard N   [--spider NAME] [--json]"
    )
    json = "print JSON instead of tables"

    actions = {
        "show": Action(),
        "quarantine": Action(),
        "requeue": Action("[ID...]"),
        "purge": Action(),
        "visit": Action("URL..."),
        "politeness": Action("[LOG...]", "politeness"),
        "reshard": Action("N", "reshard"),
    }

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--slots", type=int, default=20, metavar="N", help="show: number of slots to print")
        parser.add_argument(
            "--spider", metavar="NAME", help="the queue of this spider only; purge: article, if not given"
        )
        parser.add_argument("--all", action="store_true", help="requeue: every request; purge: known pages too")
        parser.add_argument("--yes", action="store_true", help="purge: really do it")
        parser.add_argument(
            "--least", type=float, metavar="S", help="politeness: shortest allowed gap in seconds (default: as logged)"
        )
        parser.add_argument(
            "--adjacency",
            choices=["keys", "slot", "host"],
            help="politeness: host: pages of one parent may come together",
        )
        parser.add_argument(
            "--hosts", type=int, default=20, metavar="N", help="politeness: hosts to print, worst first; 0: all"
        )
