"""``scrapy politeness``: audits crawl logs."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.config import Config
from articlebot.frontier.audit import Audit, audit
from articlebot.frontier.crawl_log import read_log

_COLUMNS = ["name", "downloads", "overlaps", "too_close", "smallest", "median", "p90", "largest"]


class Command(ScrapyCommand):
    """How polite the crawls were."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "[LOG...] [--least S] [--adjacency keys|slot|host] [--hosts N] [--json]"

    def short_desc(self) -> str:
        return "Audit crawl logs: smallest gap per host, overlaps, adjacent pages too close"

    def long_desc(self) -> str:
        return (
            "Reads crawl log files or folders (default: logs/ in the data folder), of one worker or many, and prints "
            "for each host the number of downloads, how many began while another one was running (must be 0), how many "
            "came sooner than the slot allows, and the distribution of the seconds between two starts. Pages found on "
            "the same parent page are checked in the same way. Exit code 1 when a rule was broken, 2 when there is "
            "nothing to read."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--least", type=float, metavar="S", help="shortest allowed gap in seconds (default: as logged)"
        )
        parser.add_argument(
            "--adjacency", choices=["keys", "slot", "host"], help="host: pages of one parent may come together"
        )
        parser.add_argument("--hosts", type=int, default=20, metavar="N", help="hosts to print, worst first; 0: all")
        parser.add_argument("--json", action="store_true", help="print JSON instead of tables")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_settings(self.settings)
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
            self.exitcode = 2
        elif report.too_close or report.parents_too_close:
            self.exitcode = 1


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
