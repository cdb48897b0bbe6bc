"""``scrapy seeds``: from the address of a site to a job that follows it, and from mined candidates to jobs."""

from __future__ import annotations

import argparse
from pathlib import Path

from articlebot.actions import base
from articlebot.actions.base import Action
from articlebot.actions.filters import how_many

# Of articlebot.seeds.candidates, which a command that only says its options need not load; a test compares.
_STATES = ("waiting", "probation", "promoted", "dropped")


class Command(base.Command):
    """Find a site's entry pages; turn mined sites into jobs.

    discover: looks through a site politely (feeds that pages declare, sitemaps of robots.txt with their children,
    sections that list articles, WebSub hubs) and prints a block for a job file, which scrapy jobs check accepts.
    add: puts sites into the queue of candidates, by address or from a file: an address a line, or what scrapy crawl
    metasearch -O found.jsonl wrote. mine: looks at the candidates on probation that are due and at the best that
    wait, and promotes (writes a job file) or drops each by its yield; for cron. candidates: what is known, the best
    first. promote, drop: decides by hand. Exit code 1: nothing was found, or nothing to do.
    """

    usage = "discover URL | add URL... [--file FILE] | mine | candidates | promote KEY... | drop KEY...   [options]"

    actions = {
        "discover": Action("URL"),
        "add": Action("[URL...]"),
        "mine": Action(),
        "candidates": Action(),
        "promote": Action("KEY..."),
        "drop": Action("KEY..."),
    }

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, change nothing")
        parser.add_argument("--most", type=how_many, default=20, metavar="N", help="candidates looked at or shown (20)")
        parser.add_argument("--state", choices=_STATES, help="candidates: only those in this state")
        parser.add_argument("--into", type=Path, metavar="DIR", help="folder for the job files of promoted candidates")
        parser.add_argument("--jobs", metavar="FILES", help="further job files, whose sites are followed already")
        parser.add_argument("--file", type=Path, metavar="FILE", help="add: addresses, or results of a meta-search")
        parser.add_argument("--reason", default="by hand", help="drop: why")
