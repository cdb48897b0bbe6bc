"""``scrapy crawl``: Scrapy's own, with wrong settings and job files named on one line before anything starts."""

from __future__ import annotations

import argparse

from scrapy.commands import crawl
from scrapy.exceptions import UsageError

from articlebot.config import Config
from articlebot.errors import ArticlebotError


class Command(crawl.Command):
    """Runs a spider; exit code 2 where its arguments or the settings are wrong."""

    def long_desc(self) -> str:
        return (
            "Runs a spider of the project. article: follows the sites of a job file (-a jobs=FILE, or -a url=URL for "
            "one list page) -a until=idle, for cron, or until=forever; -a seconds=N bounds it."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        assert self.crawler_process is not None
        try:
            Config.from_settings(self.settings)
            if len(args) == 1 and args[0] in self.crawler_process.spider_loader.list():
                spider = self.crawler_process.spider_loader.load(args[0])
                check = getattr(spider, "check_arguments", None)
                if check is not None:
                    check(**opts.spargs)
        except ArticlebotError as error:
            raise UsageError(str(error), print_help=False) from None
        super().run(args, opts)
