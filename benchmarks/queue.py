"""Processor time per page when every link of every page is followed: no delays, most links already known.

The same pages, parser and concurrency for each system, in turn. The queue server's time counts for those who have one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from articlebot.runtime.private_redis import PrivateRedis
from benchmarks.crawls import Crawl, System, finish, start
from benchmarks.loopback import Plan, Site

SYSTEMS: tuple[System, ...] = ("articlebot", "scrapy", "scrapy_redis")


def measure(system: System, plan: Plan, concurrency: int, workers: int = 1) -> dict[str, Any]:
    """One crawl of one system by one or more workers."""
    with (
        tempfile.TemporaryDirectory() as name,
        PrivateRedis(Path(name) / "redis") as server,
        Site(plan, Path(name)) as site,
    ):
        crawl = Crawl(
            system, (site.url(0),), name, "" if system == "scrapy" else server.url, concurrency=concurrency,
            per_host=concurrency, idle_wait=1.0,
        )  # fmt: skip
        costs = [finish(process) for process in [start(crawl) for _ in range(workers)]]
        visits = site.visits()
    pages = sum(cost.pages for cost in costs)
    fetched = len({(host, path) for _, _, host, path in visits})
    cpu = sum(cost.cpu_s for cost in costs)
    redis_cpu = max(cost.redis_cpu_s for cost in costs)
    wall = max(end for _, end, _, _ in visits) - min(begin for begin, _, _, _ in visits)
    return {
        "pages": pages,
        "different_pages": fetched,
        "cpu_ms": round(1000 * cpu / pages, 3),
        "redis_cpu_ms": round(1000 * redis_cpu / pages, 3),
        "total_cpu_ms": round(1000 * (cpu + redis_cpu) / pages, 3),
        "pages_per_s": round(pages / wall, 1),
        "rss_mb": round(max(cost.rss_mb for cost in costs)),
    }


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5300)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--body", type=int, default=75_000, help="bytes of a page")
    parser.add_argument("--links", type=int, default=140)
    parser.add_argument("--across", type=float, default=0.3, help="share of the links that lead to other hosts")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=SYSTEMS)
    parser.add_argument("--workers", type=int, default=0, help="also run articlebot with this many workers")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    per_host = max(1, options.pages // options.hosts)
    plan = Plan((per_host,) * options.hosts, options.body, options.links, across=options.across)
    rows = {system: measure(system, plan, options.concurrency) for system in options.systems}
    report: dict[str, Any] = {"pages": per_host * options.hosts}
    for system, row in rows.items():
        report["cpu_ms_per_page" if system == "articlebot" else f"{system}_cpu_ms_per_page"] = row["total_cpu_ms"]
    if {"articlebot", "scrapy"} <= rows.keys():
        report["of_scrapy"] = round(report["cpu_ms_per_page"] / report["scrapy_cpu_ms_per_page"], 3)
    if {"articlebot", "scrapy_redis"} <= rows.keys():
        report["of_scrapy_redis"] = round(report["cpu_ms_per_page"] / report["scrapy_redis_cpu_ms_per_page"], 3)
    if options.workers > 1:
        rows["articlebot, more workers"] = measure("articlebot", plan, options.concurrency, options.workers)
        report["speed_up"] = round(
            rows["articlebot, more workers"]["pages_per_s"] / rows["articlebot"]["pages_per_s"], 2
        )
    report["runs"] = rows
    print(json.dumps(report, indent=1) if options.json else "\n".join(f"{k}: {v}" for k, v in report.items()))


if __name__ == "__main__":
    main()
