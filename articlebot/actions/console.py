"""``scrapy console``: a web page of the crawl on this machine."""

from __future__ import annotations

import argparse

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Serves until it is told to end."""
    config = command.config()
    if opts.port is not None and not 0 <= opts.port <= 65535:
        raise UsageError("--port: from 0 to 65535", print_help=False)
    try:
        from articlebot.console.serve import serve  # noqa: PLC0415 - its packages come with an extra
    except ImportError as error:
        raise UsageError(f"{error}; pip install 'articlebot[console]'", print_help=False) from None
    book = JobBook.from_argument(opts.jobs, None) if opts.jobs else JobBook([])
    port = config.console.port if opts.port is None else opts.port
    try:
        serve(Runtime(config), book, port=port, announce=lambda link: print(link, flush=True))
    except OSError as error:  # the port is taken
        raise UsageError(str(error), print_help=False) from None
