"""scrapy wrappers: shows, pins and forgets what was learned of sites."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action


class Command(base.Command):
    """Show, pin or forget the wrappers learned of a site.

    list: the sites with a wrapper. show: the wrapper in force, as the JSON that a file of the wrappers folder may
    hold to override it. history: every version with the pages it rests on. pin: hold a site at a version until `pin
    SITE newest`. forget: remove what was learned; with --pages also the pages kept of the site.
    """

    usage = "list | show SITE | history SITE | pin SITE VERSION|newest | forget SITE"
    json = "print as JSON"

    actions = {
        "list": Action(),
        "show": Action("SITE"),
        "history": Action("SITE"),
        "pin": Action("SITE VERSION"),
        "forget": Action("SITE"),
    }

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--version", type=int, metavar="N", help="with show: this version instead of the one in force"
        )
        parser.add_argument("--pages", action="store_true", help="with forget: the pages kept of the site, too")
