"""``scrapy console``: a web page of the crawl on this machine."""

from __future__ import annotations

import argparse

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import say
from articlebot.jobs.book import paths_of
from articlebot.runtime import Runtime
from articlebot.visiting.start_urls import StartUrls


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Serves until it is told to end."""
    config = command.config()
    if opts.port is not None and not 0 <= opts.port <= 65535:
        raise UsageError("--port: from 0 to 65535", print_help=False)
    try:
        from articlebot.console.serve import serve  # noqa: PLC0415 - its packages come with an extra
        from articlebot.console.sources import Sources  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(f"{error}; pip install '.[console]' in the source tree", print_help=False) from None
    assert command.settings is not None
    for path in paths_of(opts.jobs) if opts.jobs else ():
        if path.suffix != ".toml" and not path.exists() and path.parent.is_dir():  # a folder for jobs to come
            path.mkdir()
            say(f"made {path}, in which the sites that are added here will be")
    runtime = Runtime(config)
    start_key = StartUrls.key_of(command.settings, runtime.frontier.spider)
    sources = Sources(runtime, paths_of(opts.jobs) if opts.jobs else (), start_key)
    port = config.console.port if opts.port is None else opts.port
    try:
        serve(sources, port=port, announce=lambda link: print(link, flush=True))
    except OSError as error:  # the port is taken
        place = f"{config.console.host}:{port}"
        raise UsageError(f"{place}: {error.strerror}; --port N takes another", print_help=False) from None
