"""``scrapy jobs``: check job files, list, pause, resume and forget jobs, and say which server has which."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action


class Command(base.Command):
    """Check job files, list jobs with when they are due, pause and resume them, say which server has which.

    check: reads job files (or folders of *.toml files) and names the first fault of each with file, line, key and
    what was expected, among them sinks that are not configured and topic files and dictionaries that cannot be
    read, and entry pages that several jobs name; exit code 1 when there is one. list: the jobs with
    their entry pages, pages known, whether they are paused (by file: enabled = false, or by command) and when the
    next entry page is due. pause: within 10 seconds nothing of a job is fetched any more, on all workers that share
    its Redis, until resume; what is queued waits, and a restart changes nothing. forget: removes what is queued and
    known of a job that was paused 10 seconds ago or more, and ends its pause: if a job file still has it, it begins
    from nothing; the archive stays. A name of no job that was ever followed is refused with the nearest ones, exit
    code 2. show: what the look at a job's site has found, as the block of a job file that says the same, with a
    reason beside each address. servers: which of the servers that share one REDIS_URL follows which job, since when
    and why, and when it was last heard of; exit code 1 when one is silent.
    windows, intervals: learned from the round history in the data folder, for the next crawl; for cron, once a day.
    windows: the hours and days in which each job publishes; outside them one visit in ten is still made. intervals:
    the base interval of each job: kept when at least half of its rounds found an update, else longer, shorter when
    nearly all did. Both print what changes and why. periods: for each list page the real period of its items in that
    history, the wait that its visits swung into, and their ratio; writes nothing.
    """

    usage = (
        "check FILE... | list FILE... | pause|resume|forget|show NAME... | servers | windows|intervals|periods FILE..."
        "   [options]"
    )
    json = "print JSON instead of a table"
    actions = {
        "check": Action("FILE...", "job_check"),
        "list": Action("FILE..."),
        "pause": Action("NAME...", "job_names"),
        "resume": Action("NAME...", "job_names"),
        "forget": Action("NAME...", "job_names"),
        "show": Action("NAME...", "job_names"),
        "servers": Action(),
        "windows": Action("FILE...", "discover"),
        "intervals": Action("FILE...", "discover"),
        "periods": Action("FILE...", "periods"),
    }

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=float, default=28.0, metavar="N", help="windows, intervals, periods: of history (28)"
        )
        parser.add_argument("--dry-run", action="store_true", help="windows, intervals: print only, write nothing")
