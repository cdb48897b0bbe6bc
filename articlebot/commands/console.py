"""``scrapy console``: a web page of the crawl on this machine."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Serve the web console on this machine.

    Serves a small web application: the crawl's state, jobs, sites, articles with search, versions and their
    differences, judging. It prints a link that holds a token; who opens it gets a cookie, anybody else is turned
    away. Only this machine can reach it unless ARTICLEBOT_CONSOLE_HOST says otherwise. Ends by Ctrl-C.
    """

    json = ""

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=int, metavar="N", help="port to listen on; 0: a free one")
        parser.add_argument(
            "--jobs", metavar="FILES", help="job files or folders, separated by commas: shows when jobs are due"
        )
