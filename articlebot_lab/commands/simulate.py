"""`scrapy simulate`: replays real change histories against recrawl policies."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "TRACE... [--policy NAME]... [--fetches-per-page-day N | --budget N] [--json] | --periods [--plot FILE]"

    def short_desc(self) -> str:
        return "Replay real change histories against recrawl policies"

    def long_desc(self) -> str:
        return (
            "Replays change histories (JSON; docs/explanation/recrawl.md has the format) against recrawl policies, "
            "which run the code that the crawl runs. Every policy spends the same number of fetches: its one knob is "
            "calibrated until they agree within 1.5%. The first 30% of a trace warm up and are not counted. "
            "In JSON, visits are those replayed, calibration included, and visits_per_s those in a second of processor "
            "time. --periods replays nothing: it shows the period of each policy over the visits of a page whose "
            "real one changes."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--policy", action="append", metavar="NAME", dest="policies",
            help="default, ratio, additive, similarity, nutch, uniform, ceiling (known rates) or a class path; "
            "repeatable (default: default, ratio and uniform)",
        )  # fmt: skip
        parser.add_argument(
            "--fetches-per-page-day", type=float, metavar="N", help="fetches per page and day (default: 2)"
        )
        parser.add_argument(
            "--budget",
            type=float,
            metavar="N",
            help="fetches a day in all, kept by the budget controller while it runs",
        )
        parser.add_argument("--seeds", type=int, default=1, metavar="N", help="runs to average over (default: 1)")
        parser.add_argument(
            "--periods", action="store_true", help="the period of each policy over the visits of a page"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--plot", metavar="FILE", help="also draw the results into a PNG file")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.periods == bool(args):
            raise UsageError("expected one or more trace files, or --periods")
        if opts.budget is not None and opts.fetches_per_page_day is not None:
            raise UsageError("--budget and --fetches-per-page-day exclude each other")
        rate = 2.0 if opts.fetches_per_page_day is None else opts.fetches_per_page_day
        if rate <= 0 or opts.seeds < 1 or (opts.budget is not None and opts.budget <= 0):
            raise UsageError("--fetches-per-page-day, --budget and --seeds must be above 0")
        from articlebot.actions.output import table, to_json  # noqa: PLC0415 - Scrapy loads every command at each start
        from articlebot.errors import ConfigError, StateError  # noqa: PLC0415
        from articlebot_lab.recrawl import report  # noqa: PLC0415
        from articlebot_lab.recrawl.periods import of_policies  # noqa: PLC0415
        from articlebot_lab.recrawl.plot import bars  # noqa: PLC0415

        try:
            if opts.periods:
                rows = of_policies(Path(opts.plot) if opts.plot else None)
                print(to_json(rows) if opts.json else table(rows, list(rows[0])))
                return
            policies = opts.policies or ["default", "ratio", "uniform"]
            rows = list(report.compared([Path(arg) for arg in args], policies, rate, opts.budget, opts.seeds))
            if opts.plot:
                bars(rows, Path(opts.plot))
        except (ConfigError, StateError) as error:
            raise UsageError(str(error), print_help=False) from None
        print(to_json(rows) if opts.json else table(report.readable(rows), report.COLUMNS))
