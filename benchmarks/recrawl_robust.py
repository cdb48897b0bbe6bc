"""The default against a fixed interval where nothing is as in the change histories.

``python -m benchmarks.recrawl_robust [--json] [--seeds 2] [--policy NAME]``: made-up pages of every kind and habit at
budgets from 0.1 to 200 fetches a page and day, and the budget controller started 100 times wrong on every history.
A case is worse where the policy's figure is above uniform's by more than ``MARGIN``, which equal fetches within 1.5%
leave to chance; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from articlebot.recrawl import Kind, policy
from articlebot.recrawl.budget import Budget
from articlebot.recrawl.params import DAY
from articlebot_lab.recrawl.simulate import Replay, base_params, calibrate
from articlebot_lab.recrawl.tally import Result, summarise
from articlebot_lab.recrawl.traces import Trace, TracePage

MARGIN = 0.03
DAYS = 28
PAGES = 40
RATES = (0.1, 2.0, 24.0, 200.0)
WRONG = (0.01, 100.0)
# The controller acts on what is fetched in an hour; where that is less than one fetch three days tell nothing.
BUDGET_TOLERANCE = 0.05
MOST_VISITS = 60_000

Habit = Callable[[random.Random, int], list[float]]


def _poisson(rng: random.Random, a_day: float, start: float = 0.0, end: float = DAYS) -> list[float]:
    found, at = [], start
    while a_day > 0.0 and (at := at + rng.expovariate(a_day)) < end:
        found.append(at)
    return found


def _periodic(rng: random.Random, number: int) -> list[float]:
    period = (0.1, 0.5, 1.0, 3.0)[number % 4]
    first = rng.random() * period
    return [first + period * turn for turn in range(int(DAYS / period))]


def _burst(rng: random.Random, number: int) -> list[float]:
    start = rng.uniform(0, DAYS - 3)
    return _poisson(rng, 20.0, start, start + 3) + _poisson(rng, 0.05, start + 3)


HABITS: dict[str, Habit] = {
    "poisson, alike": lambda rng, number: _poisson(rng, 2.0),
    "poisson, 0.01 to 30 a day": lambda rng, number: _poisson(rng, 0.01 * 3000 ** (number / PAGES)),
    "heavy tail": lambda rng, number: _poisson(rng, min(0.05 * rng.paretovariate(0.7), 100.0)),
    "periodic": _periodic,
    "static but one": lambda rng, number: _poisson(rng, 3.0) if number == 0 else [],
    "bursts, then silence": _burst,
    "wakes up": lambda rng, number: _poisson(rng, 3.0, DAYS / 2),
    "weekends only": lambda rng, number: [at for at in _poisson(rng, 3.0) if 2 <= at % 7 < 4],
}


def made_up(name: str, kind: Kind, seed: int, pages: int = PAGES) -> Trace:
    """A trace of pages of one habit, on four sites."""
    rng = random.Random(f"{name} {kind} {seed}")
    made = []
    for number in range(pages):
        changes = tuple(at * DAY for at in sorted(HABITS[name](rng, number)))
        made.append(
            TracePage(
                f"{number % 4}/{number}", str(number % 4), kind, 0.0, DAYS * DAY, changes, (1,) * len(changes), None
            )
        )
    return Trace(name, 0.0, DAYS * DAY, 0.0, False, tuple(made))


def cases(name: str, seeds: int) -> Iterator[dict[str, Any]]:
    """A row for each habit, kind and budget: the policy's figure over uniform's."""
    for habit in HABITS:
        for kind in Kind:
            for pages, rate in [(PAGES, rate) for rate in RATES] + [(10, 2.0)]:
                if rate * pages * DAYS > MOST_VISITS:
                    pages = max(4, int(MOST_VISITS / rate / DAYS))  # noqa: PLW2901 - fewer pages at the largest budget
                own, even = [], []
                for seed in range(seeds):
                    trace = made_up(habit, kind, seed, pages)
                    own.append(_figures(trace, name, rate, seed))
                    even.append(_figures(trace, "uniform", rate, seed))
                row: dict[str, Any] = {"pages": habit, "kind": kind.name.lower(), "number": pages, "a_day": rate}
                # List pages are there for the delay of what is new on them, the others for being right.
                for figure in ("delay_mean_s", "delay_p95_s") if kind is Kind.LIST else ("staleness",):
                    mine, theirs = (fmean(getattr(one, figure) or 0.0 for one in some) for some in (own, even))
                    row[figure] = round(mine / theirs, 3) if theirs else None
                yield row


def _figures(trace: Trace, name: str, rate: float, seed: int) -> Result:
    return summarise(name, calibrate(trace, policy(name), base_params(rate), rate, seed).tallies.values())


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
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--policy", default="default")
    parser.add_argument("--only", choices=("made-up", "budgets"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    report: dict[str, list[dict[str, Any]]] = {"made_up": [], "budgets": []}
    if args.only != "budgets":
        report["made_up"] = list(_shown(cases(args.policy, args.seeds), quiet=args.json))
    if args.only != "made-up":
        traces = [Trace.load(path) for path in sorted(Path(args.corpus, "traces").glob("*.json"))]
        report["budgets"] = list(_shown(budgets(args.policy, traces), quiet=args.json))
    worse = [
        row for row in report["made_up"]
        if any((row.get(figure) or 0.0) > 1 + MARGIN for figure in ("delay_mean_s", "delay_p95_s", "staleness"))
    ]  # fmt: skip
    off = [row for row in report["budgets"] if abs(row["over"]) > BUDGET_TOLERANCE]
    if args.json:
        print(json.dumps({**report, "worse": worse, "off": off}, indent=1))
    else:
        print(
            f"{len(worse)} of {len(report['made_up'])} cases worse, {len(off)} of {len(report['budgets'])} budgets off"
        )
        for row in worse + off:
            print("  ", row)
    sys.exit(1 if worse or off else 0)


def _shown(rows: Iterator[dict[str, Any]], *, quiet: bool) -> Iterator[dict[str, Any]]:
    for row in rows:
        print("  ".join(f"{value}" for value in row.values()), file=sys.stderr if quiet else sys.stdout, flush=True)
        yield row


if __name__ == "__main__":
    main()
