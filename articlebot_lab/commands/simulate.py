"""`scrapy simulate`: replays real change histories against recrawl policies."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError


def _shares(text: str) -> tuple[float, float]:
    """Precision and recall as they were typed.

    Raises:
        UsageError: they are not two numbers above 0, up to 1.
    """
    try:
        precision, recall = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--signals {text}: expected PRECISION,RECALL, such as .8,.6", print_help=False) from None
    for name, share in (("precision", precision), ("recall", recall)):
        if not 0.0 < share <= 1.0:
            raise UsageError(f"--signals {text}: {name} must be above 0 and at most 1, not {share:g}", print_help=False)
    return precision, recall


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return (
            "TRACE... [--policy NAME]... [--fetches-per-page-day N | --budget N] [--signals PRECISION,RECALL] [--json] "
            "| --periods [--plot FILE]"
        )

    def short_desc(self) -> str:
        return "Replay real change histories against recrawl policies"

    def long_desc(self) -> str:
        return (
            "Replays change histories (JSON; docs/explanation/recrawl.md has the format) against recrawl policies, "
            "which run the code that the crawl runs. Every policy spends the same number of fetches: its one knob is "
            "calibrated until they agree within 1.5%. The first 30% of a trace warm up and are not counted. "
            "In JSON, visits are those replayed, calibration included, and visits_per_s those in a second of processor "
            "time. With --signals the default policy is shown without signals of the changes and with them; no other "
            "weighs them. --periods replays nothing: it shows the period of each policy over the visits of a page "
            "whose real one changes."
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
        parser.add_argument(
            "--signals", metavar="PRECISION,RECALL",
            help="signals of changes, such as .8,.6: the share of true ones among them, and of changes that have one",
        )  # fmt: skip
        parser.add_argument("--seeds", type=int, default=1, metavar="N", help="runs to average over (default: 1)")
        parser.add_argument(
            "--periods", action="store_true", help="the period of each policy over the visits of a page"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--plot", metavar="FILE", help="also draw the results into a PNG file")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.periods == bool(args):
            raise UsageError("expected one or more trace files, or --periods")
        if opts.periods and opts.signals is not None:
            raise UsageError("--signals is for traces, not for --periods")
        if opts.budget is not None and opts.fetches_per_page_day is not None:
            raise UsageError("--budget and --fetches-per-page-day exclude each other")
        rate = 2.0 if opts.fetches_per_page_day is None else opts.fetches_per_page_day
        if rate <= 0 or opts.seeds < 1 or (opts.budget is not None and opts.budget <= 0):
            raise UsageError("--fetches-per-page-day, --budget and --seeds must be above 0")
        quality = None if opts.signals is None else _shares(opts.signals)
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
            paths = [Path(arg) for arg in args]
            rows = list(report.compared(paths, policies, rate, opts.budget, opts.seeds, quality=quality))
            if opts.plot:
                bars(rows, Path(opts.plot))
        except (ConfigError, StateError) as error:
            raise UsageError(str(error), print_help=False) from None
        print(to_json(rows) if opts.json else table(report.readable(rows), report.COLUMNS))
