"""Share of the possible rate when many sites of very uneven size each want a delay between their pages.

Possible is, at each moment, the sum over the sites that still have pages of 1 / mean delay; the share is the pages
fetched over that sum's integral, from the moment all addresses are known. Every system crawls the same pages, in turn.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import redis

from articlebot.runtime.private_redis import PrivateRedis
from benchmarks.crawls import Crawl, System, run
from benchmarks.loopback import Plan, Site, host_name, overlaps

Visit = tuple[float, float, str, str]


def uneven(sites: int, largest: int) -> tuple[int, ...]:
    """Page counts that fall with the rank, as sizes of sites do."""
    return tuple(max(3, round(largest / (rank + 1) ** 0.7)) for rank in range(sites))


def share_of_possible(visits: list[Visit], pages: tuple[int, ...], delay: float, cut_s: float) -> float:
    """The share, over the crawl or its first ``cut_s`` seconds.

    A site is busy from the moment its addresses are known until a mean delay after its last page; the site of the page
    with all addresses has been busy with that one before.
    """
    begun, hub, own, _ = next(visit for visit in visits if visit[3] == "/all")
    starts: dict[str, list[float]] = defaultdict(list)
    for start, _, host, path in sorted(visits):
        if path.startswith("/p/") and start <= hub + cut_s:
            starts[host].append(start)
    possible = 0.0
    fetched = 0
    for number, expected in enumerate(pages):
        mine = starts[host_name(number)]
        until = mine[-1] if len(mine) >= expected else hub + cut_s
        if host_name(number) == own:
            possible += (until - begun) / delay
        else:
            possible += (until - hub) / delay + 1
        fetched += len(mine)
    return fetched / possible


def measure(system: System, pages: tuple[int, ...], delay: float, spread: float, cut_s: float) -> dict[str, Any]:
    """One crawl of one system."""
    with tempfile.TemporaryDirectory() as name, PrivateRedis(Path(name) / "redis") as server:
        with redis.Redis.from_url(server.url) as client:
            client.flushall()
        with Site(Plan(pages, links=2, body=1500), Path(name)) as site:
            crawl = Crawl(
                system, (site.hub,), name, server.url, follow=False, delay=delay, click=delay / 2, spread=spread,
                concurrency=64, per_host=1, seconds=cut_s + 2, idle_wait=5.0,
            )  # fmt: skip
            cost = run(crawl)
            visits = [visit for visit in site.visits() if visit[3] != "/robots.txt"]
    starts: dict[str, list[float]] = defaultdict(list)
    for start, _, host, path in sorted(visits):
        if path != "/all":
            starts[host].append(start)
    gaps = [b - a for mine in starts.values() for a, b in pairwise(mine)]
    return {
        "share": round(share_of_possible(visits, pages, delay, cut_s), 4),
        "pages": cost.pages,
        "overlaps": overlaps(visits),
        "smallest_gap_s": round(min(gaps), 4) if gaps else None,
        "mean_gap_s": round(sum(gaps) / len(gaps), 4) if gaps else None,
        "wall_s": round(cost.wall_s, 2),
        "cpu_ms_per_page": round(1000 * cost.cpu_s / max(1, cost.pages), 2),
    }


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=50)
    parser.add_argument("--largest", type=int, default=120, help="pages of the largest site")
    parser.add_argument("--delays", type=float, nargs="+", default=[0.2, 0.5], help="seconds")
    parser.add_argument("--spread", type=float, nargs="+", default=[0.0, 0.6], help="sigma of the random delays")
    parser.add_argument("--systems", nargs="+", default=list(get_args(System)), choices=get_args(System))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pages = uneven(options.sites, options.largest)
    rows: dict[str, dict[str, Any]] = {}
    for system in options.systems:
        for delay in options.delays:
            for spread in options.spread:
                cut_s = 1.3 * options.largest * delay + 3
                rows[f"{system} delay={delay} spread={spread}"] = measure(system, pages, delay, spread, cut_s)
    shares = {
        system: round(min(row["share"] for name, row in rows.items() if name.split()[0] == system), 4)
        for system in options.systems
    }
    report = {"share_of_possible": shares.get("articlebot"), "least_share": shares, "pages": sum(pages), "runs": rows}
    if options.json:
        print(json.dumps(report, indent=1))
        return
    for name, row in rows.items():
        print(f"{name:45s}", "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
