"""``scrapy seeds``: from the address of a site to a job that follows it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import to_json
from articlebot.errors import ConfigError
from articlebot.seeds.jobblock import SiteSeeds, block
from articlebot.spiders.site_seeds import SiteSeedsSpider


class Command(ScrapyCommand):
    """Seeds: discover a site."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "discover URL [--json]"

    def short_desc(self) -> str:
        return "Find a site's feeds, sitemaps and list pages, and print a job for it"

    def long_desc(self) -> str:
        return (
            "discover: looks through a site politely (feeds that pages declare, sitemaps of robots.txt with their "
            "children, sections that list articles, WebSub hubs) and prints a block for a job file, which "
            "scrapy jobs check accepts. "
            "Exit code 1 where nothing was found."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print everything found as JSON instead of a job block")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 2 or args[0] != "discover":
            raise UsageError("expected: scrapy seeds discover URL", print_help=False)
        try:
            SiteSeedsSpider.check_arguments(args[1])
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from None
        found: list[SiteSeeds] = []
        assert self.crawler_process is not None
        self.crawler_process.crawl(SiteSeedsSpider, url=args[1], found=found)
        self.crawler_process.start()
        seeds = found[0] if found else SiteSeeds(args[1])
        problems = ", ".join(f"{name} {number}" for name, number in sorted(seeds.problems.items()))
        print(f"{seeds.fetched} pages looked at; problems: {problems or 'none'}", file=sys.stderr)
        if opts.json:
            print(to_json(_row(seeds)))
        elif seeds.entries:
            print(block(seeds), end="")
        if not seeds.entries:
            print(f"No feed, sitemap or list page was found at {args[1]}", file=sys.stderr)
            self.exitcode = 1


def _row(seeds: SiteSeeds) -> dict[str, Any]:
    row = asdict(seeds)
    for name in ("feeds", "sitemaps", "list_pages"):
        row[name] = [{**entry, "articles": len(entry["articles"])} for entry in row[name]]
    return row
