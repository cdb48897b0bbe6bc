"""The recrawl policies against a fixed interval in made-up worlds, and the budget controller on every history.

``python -m benchmarks.recrawl_robust [--json] [--seeds 3] [--other] [--policy NAME]... [--rate N]... [--regime NAME]...
[--only made-up|histories|budgets]``: every regime of ``benchmarks.recrawl_regimes`` at 0.5, 3 and 10 fetches a page and
day, the same worlds for all policies; ``--other`` takes the second set of numbers, with which no policy was worked on.
A case is worse where the policy's figure, the mean over the seeds, is above uniform's by more than ``MARGIN``. Then the
same figures of every real history of one kind of page, and the budget controller, started 100 times wrong on every
history. The exit code is 1 where the first policy is worse in a made-up world or a budget is off.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from articlebot.recrawl import Kind, policy
from articlebot.recrawl.budgets import Budget
from articlebot.recrawl.params import DAY
from articlebot_lab.recrawl.simulate import Calibrated, Replay, base_params, calibrate, fetches_wanted
from articlebot_lab.recrawl.tally import summarise
from articlebot_lab.recrawl.traces import Trace
from benchmarks.recrawl_regimes import REGIMES, made_up

MARGIN = 0.03
RATES = (0.5, 3.0, 10.0)
# Of fetches: where pages are alike a delay is off by as much, and two runs may be off in opposite ways.
TOLERANCE = 0.004
WRONG = (0.01, 100.0)
# The controller acts on what is fetched in an hour; where that is less than one fetch three days tell nothing.
BUDGET_TOLERANCE = 0.05
UNIFORM = "uniform"
FIGURES = ("delay_mean", "delay_p95", "stale", "others_age")


class Case(NamedTuple):
    """Worlds whose figures are averaged, the kind of their pages, and whether the others than the first are counted."""

    name: str
    worlds: list[Trace]
    kind: Kind
    busiest: int = 0


def regimes(names: list[str], seeds: int, *, other: bool) -> Iterator[Case]:
    """The worlds of each regime."""
    for name in names:
        worlds = [made_up(name, seed, other=other) for seed in range(seeds)]
        yield Case(name, worlds, REGIMES[name].kind, REGIMES[name].busiest)


def histories(traces: list[Trace], seeds: int) -> Iterator[Case]:
    """The real histories that are of one kind of page."""
    for trace in traces:
        if not trace.mixed:
            yield Case(trace.name, [trace] * seeds, trace.pages[0].kind)


def rows(cases: Iterable[Case], policies: list[str], rates: Sequence[float]) -> Iterator[dict[str, Any]]:
    """A row for each case, budget and policy: its figures over uniform's."""
    for case in cases:
        for rate in rates:
            fixed = [
                calibrate(world, policy(UNIFORM), base_params(rate), rate, seed, start=1.0)
                for seed, world in enumerate(case.worlds)
            ]
            even = _mean(fixed, case)
            for one in policies:
                own = _mean(_as_many(case.worlds, fixed, one, rate), case)
                ratios = {figure: round(own[figure] / even[figure], 3) if even[figure] else None for figure in own}
                yield {"world": case.name, "a_page_day": rate, "policy": one, **ratios}


def _as_many(worlds: list[Trace], fixed: list[Calibrated], name: str, rate: float) -> Iterator[Calibrated]:
    """A policy's runs with as many fetches as those of the fixed interval."""
    start = None
    for seed, (world, even) in enumerate(zip(worlds, fixed, strict=True)):
        wanted = rate * even.spent / fetches_wanted(world, rate)
        run = calibrate(world, policy(name), base_params(rate), wanted, seed, start=start, tolerance=TOLERANCE)
        start = run.scale
        yield run


def _mean(runs: Iterable[Calibrated], case: Case) -> dict[str, float]:
    found = [_of_run(run, case) for run in runs]
    return {figure: fmean(one[figure] for one in found) for figure in found[0]}


def _of_run(run: Calibrated, case: Case) -> dict[str, float]:
    result = summarise("", run.tallies.values())
    late = result.delay_p95_s or 0.0
    if case.kind is not Kind.LIST:
        return {"stale": result.staleness or 0.0, "delay_p95": late}
    # List pages are there for the delay of what is new on them, the others for being right.
    figures = {"delay_mean": result.delay_mean_s or 0.0, "delay_p95": late}
    if case.busiest:
        tally = run.tallies[Kind.LIST]
        figures["others_age"] = fmean(
            age / live for age, live in zip(tally.age[1:], tally.live[1:], strict=True) if live
        )
    return figures


def budgets(name: str, traces: list[Trace]) -> Iterator[dict[str, Any]]:
    """A row for each history and wrong start: what is spent after three days over the budget."""
    for trace in traces:
        for rate in (0.5, 6.0):
            for wrong in WRONG:
                allowed = rate * len(trace.pages)
                run = Replay(trace, policy(name), base_params(rate), 1, budget=Budget(allowed, DAY, wrong, timed=wrong))
                run.run()
                late = run.hours[72:-1]
                over = sum(late) / (allowed / 24 * len(late)) - 1
                yield {"trace": trace.name, "a_page_day": rate, "scale": wrong, "over": round(over, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parent.parent.parent
    parser.add_argument("--corpus", type=Path, default=os.environ.get("ARTICLEBOT_CORPUS", root / "shared" / "corpus"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--policy", action="append", dest="policies", metavar="NAME")
    parser.add_argument("--regime", action="append", dest="regimes", choices=tuple(REGIMES), metavar="NAME")
    parser.add_argument("--other", action="store_true", help="the second set of numbers")
    parser.add_argument("--only", choices=("made-up", "histories", "budgets"))
    parser.add_argument("--rate", action="append", dest="rates", type=float, metavar="N", help="fetches a page and day")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    policies, rates = args.policies or ["default"], args.rates or RATES
    traces = [Trace.load(path) for path in sorted(Path(args.corpus, "traces").glob("*.json"))]
    parts = {
        "made-up": rows(regimes(args.regimes or list(REGIMES), args.seeds, other=args.other), policies, rates),
        "histories": rows(histories(traces, args.seeds), policies, rates),
        "budgets": budgets(policies[0], traces),
    }
    report = {
        part.replace("-", "_"): list(_shown(found, quiet=args.json)) if args.only in (None, part) else []
        for part, found in parts.items()
    }
    worse = [row for row in report["made_up"] if any((row.get(figure) or 0.0) > 1 + MARGIN for figure in FIGURES)]
    off = [row for row in report["budgets"] if abs(row["over"]) > BUDGET_TOLERANCE]
    if args.json:
        print(json.dumps({**report, "worse": worse, "off": off}, indent=1))
    else:
        print(
            f"{len(worse)} of {len(report['made_up'])} rows worse, {len(off)} of {len(report['budgets'])} budgets off"
        )
        for row in worse + off:
            print("  ", row)
    sys.exit(1 if off or any(row["policy"] == policies[0] for row in worse) else 0)


def _shown(found: Iterator[dict[str, Any]], *, quiet: bool) -> Iterator[dict[str, Any]]:
    for row in found:
        print("  ".join(f"{value}" for value in row.values()), file=sys.stderr if quiet else sys.stdout, flush=True)
        yield row


if __name__ == "__main__":
    main()
