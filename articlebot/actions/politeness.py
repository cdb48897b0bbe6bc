"""``scrapy frontier politeness``: audits crawl logs."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import say, table, to_json
from articlebot.frontier.audit import Audit, audit
from articlebot.frontier.crawl_log import read_log

_COLUMNS = ["name", "downloads", "overlaps", "too_close", "smallest", "median", "p90", "largest"]


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Audits and prints."""
    config = command.config()
    paths = [Path(name) for name in args] or [config.general.data_dir / "logs"]
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}", print_help=False)
    try:
        report = audit(read_log(paths), opts.least, (opts.adjacency or config.frontier.adjacency) != "host")
    except ValueError as error:
        raise UsageError(str(error), print_help=False) from None
    hosts = sorted(report.hosts, key=lambda gaps: (-gaps.too_close, gaps.smallest or 0.0, gaps.name))
    shown = [asdict(gaps) for gaps in (hosts[: opts.hosts] if opts.hosts else hosts)]
    if opts.json:
        print(to_json({**_totals(report), "by_host": shown, "by_parent": [asdict(g) for g in report.parents]}))
    else:
        print("\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in _totals(report).items()))
        if shown:
            print("\n" + table(shown, _COLUMNS))
        if report.parents:
            print("\nPages of one parent that came too close:\n")
            print(table([asdict(gaps) for gaps in report.parents[: opts.hosts or None]], _COLUMNS))
    if not report.downloads:
        say(f"no crawl log with a download is in {', '.join(map(str, paths))}")
        command.exitcode = 2
    elif report.too_close or report.parents_too_close:
        command.exitcode = 1


def _totals(report: Audit) -> dict[str, Any]:
    return {
        "downloads": report.downloads,
        "workers": report.workers,
        "hosts": len(report.hosts),
        "overlaps": report.overlaps,
        "too_close": report.too_close,
        "parents_too_close": report.parents_too_close,
        "smallest_gap_s": None if report.smallest_gap is None else round(report.smallest_gap, 4),
    }
