"""``scrapy list``: Scrapy's own, which says the names of our spiders without importing them."""

from __future__ import annotations

import argparse

from scrapy.commands import list as scrapy_list

from articlebot.commands.crawl import spiders


class Command(scrapy_list.Command):
    """Lists the spiders."""

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "List the spiders that `crawl` runs"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return "Prints the names of the project's spiders, a line each."

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the names."""
        assert self.settings is not None
        print(*spiders(self.settings), sep="\n")
