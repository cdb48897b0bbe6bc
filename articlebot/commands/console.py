"""``scrapy console``: a web page of the crawl on this machine."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action


class Command(base.Command):
    """Serve the web console on this machine.

    Serves a small web application: the crawl's state, jobs, sites, articles with search, versions and their
    differences, judging. It prints a link that holds a token; who opens it gets a cookie, anybody else is turned
    away. Only this machine can reach it unless ARTICLEBOT_CONSOLE_HOST says otherwise. Ends by Ctrl-C. With --jobs
    FOLDER sites are added, changed, paused and removed from it. Programs ask the same under /api/v1, described by
    /api/v1/openapi.json.
    tokens: lists the named tokens, with their roles: read; edit, which may change jobs, visits and quarantine; admin,
    which is the link's. tokens add NAME: makes one and prints it once. tokens revoke NAME: ends it, within seconds.
    """

    usage = "[--port N] [--jobs FILES] | tokens [add NAME [--role ROLE] | revoke NAME] [--json]"
    json = "tokens: print JSON"

    actions = {"": Action(), "tokens": Action("[add|revoke] [NAME]", "console_tokens")}

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--role", choices=["read", "edit", "admin"], help="tokens add: what it may do (read)")
        parser.add_argument("--port", type=int, metavar="N", help="port to listen on; 0: a free one")
        parser.add_argument(
            "--jobs",
            metavar="FILES",
            help="job files or folders, separated by commas: shows when jobs are due, and changes them",
        )
