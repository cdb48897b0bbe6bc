"""What signals of changes save the default policy, and what signals that say nothing cost it.

``python -m benchmarks.recrawl_signals [--json] [--seeds 1] [--only traces|made-up] [NAME]...``: on each history of the
corpus and in each regime of ``benchmarks.recrawl_regimes``, the policy without signals against itself

* with signals of precision .8 and recall .6, at three quarters of the fetches (``at_75``) and at as many (``at_100``);
* with noise, at as many fetches: signals at random, one in three days (``seldom``) and five a day (``often``) for each
  page, and true ones of which 19 in 20 are false and of 20 changes one has any (``lies``).

Figures are the staleness, of list pages the mean delay, over that without signals, the mean over the seeds. The exit
code is 1 where noise costs more than ``MARGIN``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from articlebot.recrawl import Kind, policy
from articlebot_lab.recrawl.signals import Quality, Signal, at_random, made
from articlebot_lab.recrawl.simulate import Calibrated, base_params, calibrate
from articlebot_lab.recrawl.tally import summarise
from articlebot_lab.recrawl.traces import Trace
from benchmarks.recrawl_regimes import REGIMES, made_up

MARGIN = 0.01
SHARE = 0.75
GOOD, LIES = Quality(0.8, 0.6), Quality(0.05, 0.05)
RATES = (0.5, 3.0, 10.0)
# Fetches that differ by half a percent are as many; less would hide what noise costs.
TOLERANCE = 0.005
NOISE: dict[str, Callable[[Trace, int], tuple[Signal, ...]]] = {
    "seldom": lambda trace, seed: at_random(trace, 1 / 3, seed),
    "often": lambda trace, seed: at_random(trace, 5.0, seed),
    "lies": lambda trace, seed: made(trace, LIES, seed),
}


def cases(worlds: Sequence[Trace], rates: Sequence[float]) -> Iterator[dict[str, Any]]:
    """A row for each budget, the mean over the worlds; the number of a world is its seed."""
    for rate in rates:
        rows = [_case(world, rate, seed) for seed, world in enumerate(worlds)]
        means = {name: round(fmean(row[name] for row in rows), 3) for name in rows[0]}
        yield {"world": worlds[0].name, "a_page_day": rate, **means}


def _case(trace: Trace, rate: float, seed: int) -> dict[str, float]:
    def run(share: float, start: float | None, signals: tuple[Signal, ...] = ()) -> Calibrated:
        wanted = rate * share
        return calibrate(
            trace, policy("default"), base_params(wanted), wanted, seed, tolerance=TOLERANCE, start=start,
            signals=signals,
        )  # fmt: skip

    without = run(1.0, None)
    good = made(trace, GOOD, seed)
    equal = run(1.0, without.scale, good)
    found = {"at_75": run(SHARE, equal.scale, good), "at_100": equal}
    found |= {name: run(1.0, without.scale, noise(trace, seed)) for name, noise in NOISE.items()}
    base = figure(without)
    return {name: figure(one) / base if base else 1.0 for name, one in found.items()}


def figure(run: Calibrated) -> float:
    """What the policy is there for: staleness, and the delay where all pages are lists."""
    result = summarise("", run.tallies.values())
    lists = not any(any(tally.live) for kind, tally in run.tallies.items() if kind is not Kind.LIST)
    return (result.delay_mean_s if lists else result.staleness) or 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parent.parent.parent
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a history's file or a regime (default: all)")
    parser.add_argument("--corpus", type=Path, default=os.environ.get("ARTICLEBOT_CORPUS", root / "shared" / "corpus"))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", choices=("traces", "made-up"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = list(_shown(_all(args.names, args.corpus, args.seeds, args.only), quiet=args.json))
    worse = [row for row in rows if max(row[name] for name in NOISE) > 1 + MARGIN]
    saved = [row for row in rows if row["at_75"] <= 1.0]
    if args.json:
        print(json.dumps({"rows": rows, "worse_by_noise": worse, "as_good_at_75": len(saved)}, indent=1))
    else:
        print(f"{len(saved)} of {len(rows)} rows as good at 75% of the fetches, {len(worse)} worse by noise")
    sys.exit(1 if worse else 0)


def _all(names: list[str], corpus: Path, seeds: int, only: str | None) -> Iterator[dict[str, Any]]:
    for path in sorted(Path(corpus, "traces").glob("*.json")) if only != "made-up" else ():
        if not names or path.stem in names:
            trace = Trace.load(path)
            yield from cases([trace] * seeds, _rates(trace))
    for name in REGIMES if only != "traces" else ():
        if not names or name in names:
            yield from cases([made_up(name, seed) for seed in range(seeds)], RATES)


def _rates(trace: Trace) -> tuple[float, ...]:
    """Fetches a page and day as benchmarks.recrawl has them."""
    if all(page.kind is Kind.LIST for page in trace.pages):
        return 6.0, 24.0
    return (1 / 7, 1.0) if all(page.kind is Kind.DOCUMENT for page in trace.pages) else (2.0,)


def _shown(rows: Iterator[dict[str, Any]], *, quiet: bool) -> Iterator[dict[str, Any]]:
    for row in rows:
        print("  ".join(f"{value}" for value in row.values()), file=sys.stderr if quiet else sys.stdout, flush=True)
        yield row


if __name__ == "__main__":
    main()
