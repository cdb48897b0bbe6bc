"""``scrapy mcp``: the crawl's articles as tools of the Model Context Protocol."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Offer the articles to language models, over the Model Context Protocol.

    A program that speaks the protocol starts this command and talks to it on standard input and output. Its tools
    search, read, compare versions, explain a page, list sites, and follow a site where the token may. They ask a
    running `scrapy console`; ARTICLEBOT_CONSOLE_TOKEN is a token of it (`scrapy console tokens add NAME`). Needs
    articlebot[mcp].
    """

    usage = "[--console URL]"
    json = ""

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--console", default="http://127.0.0.1:8765", metavar="URL", help="address (http://127.0.0.1:8765)"
        )
