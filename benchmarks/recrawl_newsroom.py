"""Recrawl policies in a real crawl of the newsroom, at the same number of fetches.

``python -m benchmarks.recrawl_newsroom [--seconds 40] [--sites 8] [--policy NAME ...] [--json]``: each policy crawls
the same world, in which a publishing day is squeezed into the run, in a process of its own. The first sets the
number of fetches; the scale of every other is turned until its crawl spends as many, within ``TOLERANCE``, in at most
``RUNS`` runs. Printed are the seconds from publication, and from an edit, to the archive.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path
from typing import Any

from articlebot.archive import Selection, open_archive
from articlebot.config import Config
from articlebot_lab.newsroom.process import Newsroom
from articlebot_lab.newsroom.score import score

POLICIES = ("default", "ratio", "additive", "nutch", "uniform")
TOLERANCE = 0.05
RUNS = 4
# Of a day as long as the run: wide enough that a policy shows what it wants.
_SHORTEST_S, _LONGEST_S = 0.5, 20.0
# What a crawl may take to start while the world goes on.
_START_S = 10.0
_FIGURES = (
    "articles_expected", "articles_found", "delays_measured", "delay_p50_s", "delay_p95_s", "changes_caught_share",
    "change_delay_p50_s", "change_delay_p95_s",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--sites", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="of the first policy; how often it fetches")
    parser.add_argument("--fetches", type=int, help="what every policy is to spend; absent: what the first one does")
    parser.add_argument("--policy", action="append", dest="policies")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    wanted, scale, rows = args.fetches, args.scale, []
    for name in args.policies or POLICIES:
        row, scale = _calibrated(name, wanted, scale, args)
        wanted = wanted or row["fetches"]
        rows.append(row)
    report = {"seconds": args.seconds, "sites": args.sites, "seed": args.seed, "tolerance": TOLERANCE, "rows": rows}
    print(json.dumps(report, indent=1) if args.json else _table(rows))


def _calibrated(name: str, wanted: int | None, scale: float, args: argparse.Namespace) -> tuple[dict[str, Any], float]:
    """The policy's run that comes closest to the wanted fetches, and its scale."""
    tried: list[tuple[float, float, dict[str, Any]]] = []
    at = log(scale)
    for run in range(RUNS):
        row = _crawl(name, exp(at), args)
        print(f"{name} run {run + 1}: scale {exp(at):.3g}, {row['fetches']} fetches", file=sys.stderr, flush=True)
        miss = log(row["fetches"] / wanted) if wanted else 0.0
        tried.append((at, miss, row))
        if abs(miss) <= log(1 + TOLERANCE):
            break
        at = _next(tried)
    best = min(tried, key=lambda one: abs(one[1]))
    return best[2], exp(best[0])


def _next(tried: list[tuple[float, float, dict[str, Any]]]) -> float:
    at, miss, _ = tried[-1]
    if len(tried) > 1 and abs(at - tried[-2][0]) > 0.01:
        slope = (miss - tried[-2][1]) / (at - tried[-2][0])
        # First visits are spent whatever the scale: fetches fall more slowly than it grows.
        return at - miss / min(slope, -0.2)
    return at + 2.0 * miss


def _crawl(policy: str, scale: float, args: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="recrawl-newsroom-") as name:
        folder = Path(name)
        with Newsroom(seconds=args.seconds + _START_S, sites=args.sites, seed=args.seed) as room:
            jobs = folder / "jobs.toml"
            jobs.write_text(_widened(room.job_file()), encoding="utf-8")
            _run(["article", "-a", f"jobs={jobs}", "-a", f"seconds={args.seconds}"], folder, {
                "http_proxy": room.proxy,
                "ARTICLEBOT_RECRAWL_POLICY": policy,
                "ARTICLEBOT_RECRAWL_SCALE": str(scale),
                "ARTICLEBOT_RECRAWL_DAY_S": str(args.seconds),
                "ARTICLEBOT_RECRAWL_MIN_INTERVAL": str(_SHORTEST_S),
                "ARTICLEBOT_RECRAWL_MAX_INTERVAL": str(_LONGEST_S),
            })  # fmt: skip
            truth, log_ = room.truth(), room.log()
        with open_archive(f"sqlite:///{folder / 'archive.db'}", Config().archive) as archive:
            told = score(truth, archive.articles(Selection(), versions=True), log_)
    fetches = sum(1 for entry in log_ if entry["path"] != "/robots.txt" and entry["host"] != "newsroom.test")
    return {"policy": policy, "scale": round(scale, 4), "fetches": fetches, **{name: told[name] for name in _FIGURES}}


def _widened(jobs: str) -> str:
    jobs = re.sub(r"(?m)^min_interval = .*$", f"min_interval = {_SHORTEST_S}", jobs)
    return re.sub(r"(?m)^max_interval = .*$", f"max_interval = {_LONGEST_S}", jobs)


def _run(arguments: list[str], folder: Path, environment: dict[str, str]) -> None:
    own = {
        "ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_PROGRESS_S": "0", "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
    }  # fmt: skip
    command = [sys.executable, "-m", "scrapy", "crawl", *arguments, "-s", f"LOG_FILE={folder / 'crawl.log'}"]
    root = Path(__file__).resolve().parent.parent
    subprocess.run(command, cwd=root, env={**os.environ, **own, **environment}, check=True, capture_output=True)


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [f"{'policy':10} fetches     found  p50 s  p95 s  edits  p50 s  p95 s"]
    for row in rows:
        numbers = [row[name] or 0.0 for name in _FIGURES[3:]]
        found = f"{row['articles_found']}/{row['articles_expected']}"
        lines.append(
            f"{row['policy']:10} {row['fetches']:7} {found:>9} " + " ".join(f"{number:6.2f}" for number in numbers)
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
