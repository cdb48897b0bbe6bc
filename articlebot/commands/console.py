"""``scrapy console``: a web page of the crawl on this machine."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._archive import config
from articlebot.config import Config
from articlebot.errors import ArticlebotError
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime


class Command(ScrapyCommand):
    """Serves the console."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "[options]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Serve the web console on this machine"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Serves a small web application: the crawl's state, jobs, sites, articles with search, versions and their "
            "differences, judging. It prints a link that holds a token; who opens it gets a cookie, anybody else is "
            "turned away. Only this machine can reach it unless ARTICLEBOT_CONSOLE_HOST says otherwise. Ends by Ctrl-C."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--port", type=int, metavar="N", help="port to listen on; 0: a free one")
        parser.add_argument(
            "--jobs", metavar="FILES", help="job files or folders, separated by commas: shows when jobs are due"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serves until it is told to end."""
        if args:
            raise UsageError(f"unexpected argument {args[0]!r}")
        options = config(self.settings)
        if opts.port is not None and not 0 <= opts.port <= 65535:
            raise UsageError("--port: from 0 to 65535", print_help=False)
        try:
            from articlebot.console.serve import serve  # noqa: PLC0415 - its packages come with an extra
        except ImportError as error:
            raise UsageError(f"{error}; pip install 'articlebot[console]'", print_help=False) from None
        try:
            book = JobBook.from_argument(opts.jobs, None) if opts.jobs else JobBook([])
            serve(Runtime(options), book, port=_port(options, opts.port), announce=_announce)
        except (ArticlebotError, OSError) as error:
            raise UsageError(str(error), print_help=False) from None


def _port(options: Config, given: int | None) -> int:
    return options.console.port if given is None else given


def _announce(link: str) -> None:
    print(link, flush=True)
