"""``scrapy migrate``: brings what an earlier version left in Redis to the names of this one."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Bring state of an earlier version in Redis up to this one.

    Gives the keys of an earlier version the names of this one, in place; a queue of the time when all spiders had
    one becomes that of --spider. End all workers and back Redis up first; may be repeated. Exit code 0: done, or
    nothing to do; 1: some keys exist under both names, which are left as they are; 75: Redis is away, or a worker
    of the earlier version still works. The archive's schema is brought up by itself.
    """

    json = ""

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--spider", default="article", metavar="NAME", help="owner of the old queue (article)")
