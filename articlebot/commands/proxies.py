"""``scrapy proxies``: look at the proxies, try, add and remove some."""

from __future__ import annotations

import argparse
from pathlib import Path

from articlebot.actions import base
from articlebot.actions.base import Action


class Command(base.Command):
    """List, try, add and remove proxies.

    list: the pool; with --all everything known, with the reason why it is not in the pool. test: tries the named
    proxies now (without names all that are known) as scrapy crawl proxy_check does, and prints what it found. add:
    makes proxies known and puts them into the pool until a check says otherwise; http://user:password@host:port or
    host:port. remove: forgets proxies, by what list prints as key or by address. Credentials are never printed.
    """

    usage = "list [--all] | test [PROXY...] | add PROXY... [--file FILE] | remove PROXY... | remove --all   [--json]"
    json = "print JSON instead of a table"

    actions = {
        "list": Action(),
        "test": Action("[PROXY...]"),
        "add": Action("[PROXY...]"),
        "remove": Action("[PROXY...]"),
    }

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="list: known proxies too; remove: every one")
        parser.add_argument("--file", type=Path, metavar="FILE", help="add: a file of further proxies, one a line")
