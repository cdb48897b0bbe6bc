"""Every recrawl policy at the same number of fetches, on all change histories.

``python -m benchmarks.recrawl [--json] [--seeds 3] [--corpus FOLDER] [--policy NAME ...] [--stated SECONDS]``: list
pages by the mean delay of new items relative to uniform's (geometric mean over the traces at 6, 24 and 96 fetches a
page and day), articles and documents by staleness, and the mixture under one budget.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import Any

from articlebot.recrawl import policy
from articlebot_lab.recrawl.ceiling import CEILING, KnownRates
from articlebot_lab.recrawl.simulate import base_params, calibrate, fetches_wanted
from articlebot_lab.recrawl.tally import Result, by_kind, summarise
from articlebot_lab.recrawl.traces import Trace

POLICIES = ("uniform", "ratio", "additive", "similarity", "nutch", "default", CEILING)
LIST_RATES = (6.0, 24.0, 96.0)
OTHERS = (("artx", 2.0), ("ota", 1 / 7), ("mix", 2.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parent.parent.parent
    parser.add_argument("--corpus", type=Path, default=os.environ.get("ARTICLEBOT_CORPUS", root / "shared" / "corpus"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--policy", action="append", dest="policies")
    parser.add_argument("--stated", type=float, metavar="SECONDS", help="interval that the job of list pages states")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    traces = [Trace.load(path) for path in sorted(Path(args.corpus, "traces").glob("*.json"))]
    names = args.policies or POLICIES
    if "uniform" not in names:
        names = ["uniform", *names]
    report = {name: _measure(name, traces, args.seeds, args.stated) for name in names}
    for found in report.values():
        _relate(found, report["uniform"])
    if args.json:
        print(json.dumps(report, indent=1))
    else:
        _print(report)


def _measure(name: str, traces: list[Trace], seeds: int, stated: float | None) -> dict[str, Any]:
    began, visits = time.process_time(), 0
    out: dict[str, Any] = {"lists": {}}
    for trace in traces:
        lists = all(page.kind == 0 for page in trace.pages)
        rates = LIST_RATES if lists else [rate for part, rate in OTHERS if part in trace.name]
        for rate in rates:
            found = []
            start: float | None = None
            for seed in range(seeds):
                rule = KnownRates(trace) if name == CEILING else policy(name)
                params = base_params(rate)
                if lists and stated is not None:
                    params = params._replace(initial=stated, stated_at=0.0)
                run = calibrate(trace, rule, params, rate, seed, start=start)
                start, visits = run.scale, visits + run.replayed
                found.append((summarise(name, run.tallies.values()), by_kind(name, run.tallies)))
                miss = run.spent / fetches_wanted(trace, rate) - 1
                if abs(miss) > 0.016:
                    print(f"{trace.name} {name} {rate:g}: fetches off by {miss:+.1%}", file=sys.stderr)
            print(f"{name} {trace.name} {rate:g}: {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)
            if lists:
                out["lists"][f"{trace.name} {rate:g}"] = _delays([result for result, _ in found])
            elif trace.mixed:
                out["mix"] = {
                    "list_delay_h": fmean((kinds["list"].delay_mean_s or 0) / 3600 for _, kinds in found),
                    "article_stale_percent": fmean(100 * (kinds["article"].staleness or 0) for _, kinds in found),
                    "document_stale_percent": fmean(100 * (kinds["document"].staleness or 0) for _, kinds in found),
                }
            else:
                part = next(part for part, _ in OTHERS if part in trace.name)
                out[f"{part}_stale_percent"] = fmean(100 * (result.staleness or 0) for result, _ in found)
    out["cpu_seconds"] = round(time.process_time() - began, 1)
    out["visits"] = visits
    out["visits_per_cpu_second"] = round(visits / (time.process_time() - began))
    return out


def _delays(results: list[Result]) -> dict[str, float]:
    return {
        "mean_h": fmean((r.delay_mean_s or 0) / 3600 for r in results),
        "p95_h": fmean((r.delay_p95_s or 0) / 3600 for r in results),
    }


def _relate(found: dict[str, Any], uniform: dict[str, Any]) -> None:
    for what in ("mean_h", "p95_h"):
        ratios = [log(own[what] / uniform["lists"][case][what]) for case, own in found["lists"].items()]
        found[f"list_{what[:-2]}_ratio"] = exp(fmean(ratios)) if ratios else None


def _print(report: dict[str, dict[str, Any]]) -> None:
    print(f"{'policy':12} {'delay':>6} {'p95':>6} {'artx %':>7} {'ota %':>6}   mix: list h / article % / document %")
    for name, r in report.items():
        mix = r.get("mix", {})
        own = (r["list_mean_ratio"] or 0, r["list_p95_ratio"] or 0, r.get("artx_stale_percent", 0))
        print(
            f"{name:12} {own[0]:6.3f} {own[1]:6.3f} {own[2]:7.2f} {r.get('ota_stale_percent', 0):6.2f}   "
            + " / ".join(f"{value:.2f}" for value in mix.values())
        )


if __name__ == "__main__":
    main()
