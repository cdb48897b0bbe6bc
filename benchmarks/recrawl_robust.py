"""The recrawl policies against a fixed interval in made-up worlds, and the budget controller on every history.

``python -m benchmarks.recrawl_robust [--json] [--seeds 3] [--other] [--policy NAME]...``: every regime of
``benchmarks.recrawl_regimes`` at 0.5, 3 and 10 fetches a page and day, the same worlds for all policies; ``--other``
takes the second set of numbers, with which no policy was worked on. A case is worse where the policy's figure, the
mean over the seeds, is above uniform's by more than ``MARGIN``. Then the budget controller, started 100 times wrong on
every history. The exit code is 1 where the first policy is worse or a budget is off.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from articlebot.recrawl import Kind, policy
from articlebot.recrawl.budgets import Budget
from articlebot.recrawl.params import DAY
from articlebot_lab.recrawl.simulate import Calibrated, Replay, base_params, calibrate
from articlebot_lab.recrawl.tally import summarise
from articlebot_lab.recrawl.traces import Trace
from benchmarks.recrawl_regimes import REGIMES, Regime, made_up

MARGIN = 0.03
RATES = (0.5, 3.0, 10.0)
WRONG = (0.01, 100.0)
# The controller acts on what is fetched in an hour; where that is less than one fetch three days tell nothing.
BUDGET_TOLERANCE = 0.05
UNIFORM = "uniform"
FIGURES = ("delay_mean", "delay_p95", "stale", "others_age")


def cases(names: list[str], policies: list[str], seeds: int, *, other: bool) -> Iterator[dict[str, Any]]:
    """A row for each regime, budget and policy: its figures over uniform's."""
    for name in names:
        worlds = [made_up(name, seed, other=other) for seed in range(seeds)]
        for rate in RATES:
            even = _figures(worlds, REGIMES[name], UNIFORM, rate)
            for one in policies:
                own = _figures(worlds, REGIMES[name], one, rate)
                ratios = {figure: round(own[figure] / even[figure], 3) if even[figure] else None for figure in own}
                yield {"regime": name, "a_page_day": rate, "policy": one, **ratios}


def _figures(worlds: list[Trace], regime: Regime, name: str, rate: float) -> dict[str, float]:
    found, start = [], 1.0 if name == UNIFORM else None
    for seed, world in enumerate(worlds):
        run = calibrate(world, policy(name), base_params(rate), rate, seed, start=start)
        start = run.scale
        found.append(_of_run(run, regime))
    return {figure: fmean(one[figure] for one in found) for figure in found[0]}


def _of_run(run: Calibrated, regime: Regime) -> dict[str, float]:
    result = summarise("", run.tallies.values())
    late = result.delay_p95_s or 0.0
    if regime.kind is not Kind.LIST:
        return {"stale": result.staleness or 0.0, "delay_p95": late}
    # List pages are there for the delay of what is new on them, the others for being right.
    figures = {"delay_mean": result.delay_mean_s or 0.0, "delay_p95": late}
    if regime.busiest:
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
    parser.add_argument("--only", choices=("made-up", "budgets"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    policies = args.policies or ["default"]
    report: dict[str, list[dict[str, Any]]] = {"made_up": [], "budgets": []}
    if args.only != "budgets":
        rows = cases(args.regimes or list(REGIMES), policies, args.seeds, other=args.other)
        report["made_up"] = list(_shown(rows, quiet=args.json))
    if args.only != "made-up":
        traces = [Trace.load(path) for path in sorted(Path(args.corpus, "traces").glob("*.json"))]
        report["budgets"] = list(_shown(budgets(policies[0], traces), quiet=args.json))
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


def _shown(rows: Iterator[dict[str, Any]], *, quiet: bool) -> Iterator[dict[str, Any]]:
    for row in rows:
        print("  ".join(f"{value}" for value in row.values()), file=sys.stderr if quiet else sys.stdout, flush=True)
        yield row


if __name__ == "__main__":
    main()
