"""``scrapy outbox``: what waits to be delivered, and what was refused."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action
from articlebot.actions.filters import add_filters, how_many


class Command(base.Command):
    """Show, deliver and retry what sinks have not taken.

    show: what each sink has received, what waits, and the dead letters (versions it refused too often). deliver:
    delivers what is due now, without a crawl. retry: gives dead letters a new life; those whose sink has a later
    version by now are dropped. drop: removes dead letters. fill --sink NAME: enqueues the archive's articles for a
    sink that is new.
    """

    usage = "[options] show|deliver|retry|drop|fill"

    actions = {name: Action() for name in ("show", "deliver", "retry", "drop", "fill")}

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--sink", metavar="NAME", help="this sink only")
        parser.add_argument("--id", type=int, action="append", default=[], metavar="N", help="retry, drop: this letter")
        parser.add_argument("--stale", action="store_true", help="retry: also where a later version was delivered")
        parser.add_argument("--limit", type=how_many, default=20, metavar="N", help="show: at most N dead letters (20)")
        add_filters(parser, "since", "category", "job", only="fill")
