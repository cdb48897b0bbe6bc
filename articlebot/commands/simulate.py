"""`scrapy simulate`: replays real change histories against recrawl policies."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.errors import ConfigError, StateError
from articlebot.recrawl import policy
from articlebot.recrawl.budget import Budget
from articlebot.recrawl.ceiling import CEILING, KnownRates
from articlebot.recrawl.params import DAY
from articlebot.recrawl.simulate import Replay, base_params, calibrate, fetches_wanted
from articlebot.recrawl.tally import by_kind, summarise
from articlebot.recrawl.traces import Trace

_COLUMNS = (
    "trace", "policy", "stale_percent", "delay_mean_h", "delay_p50_h", "delay_p95_h", "age_mean_h", "captured_percent",
    "wasted_percent", "fetches",
)  # fmt: skip


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "TRACE... [--policy NAME]... [--fetches-per-page-day N | --budget N] [--json]"

    def short_desc(self) -> str:
        return "Replay real change histories against recrawl policies"

    def long_desc(self) -> str:
        return (
            "Replays change histories (JSON; the format is in docs/recrawl.md) against recrawl policies, which run the "
            "code that the crawl runs. Every policy spends the same number of fetches: its one knob is calibrated "
            "until they agree within 1.5%. The first 30% of a trace warm up and are not counted. In JSON, visits are "
            "those replayed, calibration included, and visits_per_s those in a second of processor time."
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
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--plot", metavar="FILE", help="also draw the results into a PNG file")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("expected one or more trace files")
        if opts.budget is not None and opts.fetches_per_page_day is not None:
            raise UsageError("--budget and --fetches-per-page-day exclude each other")
        rate = 2.0 if opts.fetches_per_page_day is None else opts.fetches_per_page_day
        if rate <= 0 or opts.seeds < 1 or (opts.budget is not None and opts.budget <= 0):
            raise UsageError("--fetches-per-page-day, --budget and --seeds must be above 0")
        try:
            rows = list(
                _rows([Path(arg) for arg in args], opts.policies or ["default", "ratio", "uniform"], rate, opts)
            )
            if opts.plot:
                from articlebot.recrawl.plot import bars  # noqa: PLC0415 - matplotlib is an extra

                bars(rows, Path(opts.plot))
        except (ConfigError, StateError) as error:
            raise UsageError(str(error), print_help=False) from None
        print(to_json(rows) if opts.json else table([_readable(row) for row in _flat(rows)], _COLUMNS))


def _rows(paths: list[Path], names: list[str], rate: float, opts: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for path in paths:
        trace = Trace.load(path)
        for name in names:
            print(f"{trace.name}: {name} ...", file=sys.stderr, flush=True)
            found = [_run(trace, name, rate, opts.budget, seed) for seed in range(opts.seeds)]
            row = _average(found)
            yield {"trace": trace.name, **row} if len(paths) > 1 else row


def _run(trace: Trace, name: str, rate: float, budget: float | None, seed: int) -> dict[str, Any]:
    per_page = rate if budget is None else max(budget / max(1, len(trace.pages)), 1e-3)
    rule = KnownRates(trace) if name == CEILING else policy(name)
    params, began = base_params(per_page), time.process_time()
    if budget is not None and name != CEILING:
        run = Replay(trace, rule, params, seed, budget=Budget(budget, DAY))
        tallies, replayed = run.run(), sum(run.hours)
    else:
        found = calibrate(trace, rule, params, per_page, seed)
        tallies, replayed, wanted = found.tallies, found.replayed, fetches_wanted(trace, per_page)
        if abs(found.spent / wanted - 1.0) > 0.02:
            print(f"{trace.name}: {name} spends {found.spent:,} fetches, not {wanted:,.0f}", file=sys.stderr)
    row = summarise(name, tallies.values()).row()
    row["visits"], row["visits_per_s"] = replayed, round(replayed / max(time.process_time() - began, 1e-9))
    if trace.mixed:
        row["by_kind"] = {kind: result.row() for kind, result in by_kind(name, tallies).items()}
    return row


def _average(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean over seeds of every number; names stay."""
    out: dict[str, Any] = {}
    for key, first in rows[0].items():
        if isinstance(first, dict):
            out[key] = {kind: _average([row[key][kind] for row in rows]) for kind in first}
        elif isinstance(first, int | float) and not isinstance(first, bool):
            mean = statistics.fmean(row[key] for row in rows)
            out[key] = round(mean) if isinstance(first, int) else mean
        else:
            out[key] = first
    return out


def _flat(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in rows:
        yield row
        for kind, result in row.get("by_kind", {}).items():
            yield {**result, "policy": f"  {kind}"}


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    def scaled(key: str, factor: float) -> float | None:
        return None if row[key] is None else row[key] * factor

    return {
        "trace": row.get("trace", ""), "policy": row["policy"], "stale_percent": scaled("staleness", 100),
        "delay_mean_h": scaled("delay_mean_s", 1 / 3600), "delay_p50_h": scaled("delay_p50_s", 1 / 3600),
        "delay_p95_h": scaled("delay_p95_s", 1 / 3600), "age_mean_h": scaled("mean_age_s", 1 / 3600),
        "captured_percent": scaled("captured_share", 100), "wasted_percent": scaled("wasted_share", 100),
        "fetches": row["fetches"],
    }  # fmt: skip
