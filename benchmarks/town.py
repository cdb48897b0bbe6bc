"""What is found of each site of the test town, given nothing but its address.

``python -m benchmarks.town [--sites a,b] [--seconds 120] [--at-once 2] [--seed 7] [--json]``: for each site, in a data
folder of its own, ``scrapy crawl article -a url=http://HOST/ -a until=idle -a seconds=N``, then ``scrapy export
--json``, compared with what the site has. Exit code 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from articlebot_lab.town.score import TARGETS, reached, score, total
from articlebot_lab.town.server import Town

ROOT = Path(__file__).resolve().parent.parent
# As a user would, on a machine of their own: delays meant for other people's sites would only make the run long.
ENVIRONMENT = {
    "ARTICLEBOT_ALLOW_PRIVATE": "1", "ARTICLEBOT_PROGRESS_S": "0", "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
    "ARTICLEBOT_DELAYS_MEAN_S": "0.03", "ARTICLEBOT_DELAYS_BACK_OFF_S": "0.5",
}  # fmt: skip


def crawl(town: Town, name: str, seconds: float, keep: Path | None = None) -> dict[str, Any]:
    """The figures of a site that is crawled alone, with how the crawl ended."""
    site = town.sites[name]
    home = site.home_stories()
    with tempfile.TemporaryDirectory(prefix=f"town-{name}-") as made:
        folder = keep / name if keep else Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        log = f"LOG_FILE={folder / 'crawl.log'}"
        done = _scrapy(
            town, folder, "crawl", "article", "-a", f"url={site.home}", "-a", "until=idle",
            "-a", f"seconds={seconds:g}", "-s", log,
        )  # fmt: skip
        wall = time.monotonic() - begun
        exported = _scrapy(town, folder, "export", "--json")
    said = (done.stdout + done.stderr).strip().splitlines()
    rows = [json.loads(line) for line in exported.stdout.splitlines()]
    ended = {"exit_code": done.returncode, "said": said[-3:], "wall_s": round(wall, 1)}
    return score(site, rows, town.hits_of(site), home) | ended


def _scrapy(town: Town, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARTICLEBOT_", "REDIS_URL"))}
    environment = {**kept, **ENVIRONMENT, "http_proxy": town.proxy, "ARTICLEBOT_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


_HEAD = "site         articles  found   away twice none  title   body   date requests  each robots 429/503     s"


def table(scores: Sequence[Mapping[str, Any]]) -> str:
    """The figures as a table: a line for each site, the totals, the targets."""
    lines = [f"{_HEAD}  exit, said"]
    for one in scores:
        said = one["said"][-1][:90] if one["said"] else ""
        ended = f"{sum(one['refused'].values()):7} {one['wall_s']:5.0f}  {one['exit_code']} {said}"
        lines.append(f"{one['site']:12} {_figures(one)} {ended}")
    whole = total(scores)
    reached_at = f"{whole['sites_reached']} of {whole['sites']} sites have {TARGETS['found']:.0%} or more"
    lines.append(f"{'total':12} {_figures(whole)}          {reached_at}")
    found = f"{TARGETS['found']:6.1%}"
    wanted = f"{TARGETS['twice']:5} {TARGETS['strangers']:4.0%} {'':13} {TARGETS['date']:6.3f}"
    each = f"{TARGETS['requests_each']:5.2f} {TARGETS['disallowed']:6}"
    lines.append(f"{'to reach':12} {'':8} {found} {found} {wanted} {'':8} {each}")
    return "\n".join(lines)


def _figures(one: Mapping[str, Any]) -> str:
    found = _part(one["found"], one["articles"], "6.1%")
    away = _part(one["away_found"], one["away"], "6.1%")
    shares = " ".join(f"{one[name]:6.3f}" if one[name] is not None else "     -" for name in ("title", "body", "date"))
    each = _part(one["requests"], one["pages"], "5.2f")
    counts = f"{one['twice']:5} {one['strangers']:4}"
    return f"{one['articles']:8} {found} {away} {counts} {shares} {one['requests']:8} {each} {one['disallowed']:6}"


def _part(some: int, of: int, form: str) -> str:
    return f"{some / of:{form}}" if of else "-".rjust(int(form[0]))


def main() -> int:
    """The exit code: 0 where every target is reached at every site."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", default="", help="names, separated by commas; all where empty")
    parser.add_argument("--seconds", type=float, default=120.0, help="bound of each crawl")
    parser.add_argument("--at-once", type=int, default=2, help="sites crawled at the same time")
    parser.add_argument("--seed", type=int, default=7, help="decides every word of the town")
    parser.add_argument("--keep", type=Path, help="folder in which each site's data stays")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    names = [name for name in args.sites.split(",") if name]
    with Town(*names, seed=args.seed) as town, ThreadPoolExecutor(args.at_once) as pool:
        running = [pool.submit(crawl, town, name, args.seconds, args.keep) for name in town.sites]
        scores = []
        for one in running:
            scores.append(told := one.result())
            print(f"{told['site']}: {told['found']} of {told['articles']}", file=sys.stderr, flush=True)
    report = {"seed": args.seed, "targets": TARGETS, "sites": scores, "total": total(scores)}
    print(json.dumps(report, indent=1, ensure_ascii=False) if args.json else table(scores))
    return 0 if all(map(reached, scores)) else 1


if __name__ == "__main__":
    sys.exit(main())
