"""``scrapy archive retention``: removes what the archive need not keep any longer."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.archived import archive
from articlebot.actions.output import Progress
from articlebot.archive import retention
from articlebot.runtime import clock


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Counts or removes."""
    config = command.config()
    days = config.archive.keep_days if opts.days is None else opts.days
    versions = config.archive.keep_versions if opts.versions is None else opts.versions
    if days is not None and not days > 0:
        raise UsageError("--days: expected a number above 0", print_help=False)
    with archive(config) as opened, Progress("removed") as progress:
        if opts.apply:
            removed = retention.apply(
                opened.engine, clock.now(), days=days, versions=versions,
                remember_days=config.frontier.seen_days, told=progress.step,
            )  # fmt: skip
        else:
            removed = retention.plan(opened.engine, clock.now(), days=days, versions=versions)
    verb = "removed" if opts.apply else "would be removed (--apply removes them)"
    said = f"{removed.articles:,} articles and {removed.versions:,} versions {verb}"
    command.show({**asdict(removed), "applied": opts.apply}, said, opts)
