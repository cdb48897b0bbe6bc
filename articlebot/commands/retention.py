"""``scrapy retention``: removes what the archive need not keep any longer."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.archive import retention
from articlebot.commands._archive import archive, config
from articlebot.commands._exit import exit_codes
from articlebot.commands._output import Progress, to_json
from articlebot.runtime import clock


class Command(ScrapyCommand):
    """Applies the retention."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "[options]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Remove old articles and versions from the archive"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Removes articles unchanged for --days and versions beyond the newest --versions of each article; absent, "
            "as ARTICLEBOT_ARCHIVE_KEEP_DAYS and ARTICLEBOT_ARCHIVE_KEEP_VERSIONS say, which keep everything unless "
            "set. What waits in the outbox stays. An article that was removed is not archived again, unless its page "
            "changes and states a later date. Shows what would go; with --apply it goes. For cron."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--days", type=float, metavar="N", help="keep articles changed in the last N days")
        parser.add_argument("--versions", type=int, metavar="N", help="keep the newest N versions of each article")
        parser.add_argument("--apply", action="store_true", help="remove, not only count")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Counts or removes."""
        if args:
            raise UsageError("retention takes options only")
        configured = config(self.settings)
        options = configured.archive
        days = options.keep_days if opts.days is None else opts.days
        versions = options.keep_versions if opts.versions is None else opts.versions
        if (days is not None and days <= 0) or (versions is not None and versions < 1):
            raise UsageError("--days is above 0, --versions from 1", print_help=False)
        with exit_codes(self):
            with archive(self.settings) as opened, Progress("removed") as progress:
                if opts.apply:
                    removed = retention.apply(
                        opened.engine, clock.now(), days=days, versions=versions,
                        remember_days=configured.frontier.seen_days, told=progress.step,
                    )  # fmt: skip
                else:
                    removed = retention.plan(opened.engine, clock.now(), days=days, versions=versions)
            if opts.json:
                print(to_json({**asdict(removed), "applied": opts.apply}))
            else:
                verb = "removed" if opts.apply else "would be removed (--apply removes them)"
                print(f"{removed.articles:,} articles and {removed.versions:,} versions {verb}")
