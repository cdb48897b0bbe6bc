"""``scrapy newsroom``: serves a small living world of news sites on loopback."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError


class Command(ScrapyCommand):
    """Serves the newsroom until its time is over."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "[options]"

    def short_desc(self) -> str:
        return "Serve a small living world of news sites on loopback"

    def long_desc(self) -> str:
        return (
            "Serves made-up news sites at http://<name>.test/ through a forward proxy on 127.0.0.1. They "
            "publish, edit and delete articles while it runs; http://newsroom.test/truth.json says what they did, "
            "/jobs.toml is a job file for the crawler. Give the printed address to the crawler as http_proxy."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from articlebot_lab.newsroom.serve import add_options  # noqa: PLC0415 - Scrapy loads every command at each start

        super().add_options(parser)
        add_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from articlebot_lab.newsroom.serve import run  # noqa: PLC0415

        if args:
            raise UsageError(f"no argument expected, not {args[0]!r}")
        try:
            self.exitcode = run(opts)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from None
