"""What each reading of "adjacent pages one after the other" costs, on a link graph with the out-links of real pages.

The real frontier on a real server, with a clock of its own: 20,000 due pages of a crawl of 525 hosts and 60,000 pages
whose out-links are those of the corpus' pages (without the corpus, of such a shape); with ``--graph corpus`` drawn from
all that the corpus' pages link to, of which few are parents. The share is the pages started per mean delay
over those that are started when only pages of one host are adjacent; ``matching`` is how many of the queued pages could
be in flight together, for comparison. The audit of the log that the run would have written counts what came too close.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urljoin, urlsplit

import lxml.html
import redis.asyncio
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from articlebot.errors import RefusedError
from articlebot.frontier import Candidate, DelayPolicy, Frontier, Settlement
from articlebot.frontier.audit import audit
from articlebot.frontier.crawl_log import Download, read_log
from articlebot.frontier.delays import Schedule, Times
from articlebot.frontier.envelope import load
from articlebot.frontier.slots import Adjacency
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.urls import canonical_url, parent_hash, site
from articlebot_lab.leasing import settle, take
from articlebot_lab.newsroom.process import Newsroom

Graph = dict[str, list[str]]
Profile = tuple[int, int]
_NOW = 1_700_000_000.0


def corpus_graph(folder: Path, pages: int, rng: random.Random) -> Graph:
    """Parent URL to the distinct addresses it links to on followed sites, of a sample of the corpus' article pages.

    Links that lead away from the sites of the corpus are not followed, as in a crawl of these sites.
    """
    rows = []
    for table in sorted(folder.glob("pages/*/pages.jsonl")):
        with table.open(encoding="utf-8") as lines:
            rows += [(table.parent, row) for row in map(json.loads, lines)]
    graph: Graph = {}
    followed = {site(row["url"]) for _, row in rows if row["url"].startswith("http")}
    for base, row in rng.sample(rows, min(pages, len(rows))):
        try:
            tree = lxml.html.fromstring((base / row["html_path"]).read_bytes())
        except (OSError, ValueError, lxml.etree.LxmlError):
            continue
        found: dict[str, None] = {}
        for anchor in tree.iter("a"):
            try:
                url = canonical_url(urljoin(row["url"], anchor.get("href") or ""))
                if site(url) in followed:
                    found[url] = None
            except (RefusedError, ValueError):
                continue
        graph[row["url"]] = list(found)
    return graph


def profiles_of(graph: Graph) -> list[Profile]:
    """Of each page of a graph, how many distinct pages it links to and how many of them are on its own host."""
    return [
        (len(links), sum(1 for link in links if urlsplit(link).hostname == urlsplit(page).hostname))
        for page, links in graph.items()
        if links
    ]


def made_profiles(rng: random.Random) -> list[Profile]:
    """The same without a corpus: mean out-degree about 140, most links on the own host."""
    degrees = [max(5, min(600, round(rng.lognormvariate(4.6, 0.8)))) for _ in range(500)]
    return [(degree, round(degree * min(1.0, rng.betavariate(6, 1)))) for degree in degrees]


def crawled_graph(profiles: list[Profile], options: Any, rng: random.Random) -> Graph:
    """Which page led to which in a crawl of ``options.hosts`` hosts of uneven size with ``options.urls`` pages.

    Each page has the out-links of a real one: as many, and as many of them on its own host. A page's parent is the one
    on which it was found first, as in the frontier.
    """
    weights = [1 / (number + 1) ** 0.5 for number in range(options.hosts)]
    sizes = [max(5, round(options.urls * weight / sum(weights))) for weight in weights]
    # Every host has a front page to begin with; links of front pages are those of lists, and mostly have no parent.
    known = {(host, 0) for host in range(options.hosts)}
    waiting = sorted(known)
    graph: Graph = {}
    while waiting and len(known) < 0.95 * sum(sizes):
        place = rng.randrange(len(waiting))
        waiting[place], waiting[-1] = waiting[-1], waiting[place]
        host, number = waiting.pop()
        degree, own = rng.choice(profiles)
        others = rng.choices(range(options.hosts), sizes, k=degree - own)
        targets = [(host, rng.randrange(sizes[host])) for _ in range(own)]
        targets += [(other, rng.randrange(sizes[other])) for other in others]
        found = [target for target in dict.fromkeys(targets) if target not in known]
        known.update(found)
        waiting += found
        if (number or options.lists) and found:
            graph[f"http://h{host}.test/{number}"] = [f"http://h{host}.test/{page}" for host, page in found]
    return graph


async def run(
    client: redis.asyncio.Redis, graph: Graph, adjacency: Adjacency, workers: int, options: Any
) -> dict[str, Any]:
    """One run of ``options.delays`` mean delays; the queue is kept at ``options.due`` while the graph lasts."""
    await client.flushall()
    rng = random.Random(options.seed)
    frontier = Frontier(client, adjacency=adjacency, known=0)
    policy, schedule = DelayPolicy(click_interval=0.5, mean=1.0, spread=0.6), Schedule()
    names = [f"worker-{number}" for number in range(workers)]
    pool = [(parent, url) for parent, links in graph.items() for url in links]
    rng.shuffle(pool)
    now, end = _NOW, _NOW + options.delays
    flying: list[tuple[float, int, str, Any]] = []
    held: defaultdict[str, int] = defaultdict(int)
    rows: list[Download] = []
    parents: dict[str, int] = {}
    queued = order = 0
    possible: list[int] = []
    while now < end:
        while queued < options.due and pool:
            pool, drawn = pool[:-500], pool[-500:]
            found: defaultdict[str, list[Candidate]] = defaultdict(list)
            for parent, url in drawn:
                found[parent].append(Candidate(url))
                parents.setdefault(url, parent_hash(parent))
            for parent, links in found.items():
                queued += await frontier.links.admit(links, job="j", parent_url=parent, now=now)
        if adjacency != "slot" and (now - _NOW) >= len(possible) + (1 if possible else 0):
            possible.append(await most_at_once(frontier, options.lines, adjacency == "keys"))
        reports: defaultdict[str, list[Settlement]] = defaultdict(list)
        while flying and flying[0][0] <= now:
            ended_at, _, name, leased = heapq.heappop(flying)
            held[name] -= 1
            times = Times(leased.start_at, leased.start_at, leased.start_at + 0.02, ended_at)
            free_at = schedule.next_start(leased.slot, times, policy.sample(rng), policy.click_interval)
            reports[name] += [Settlement("release", leased.member, free_at - now), Settlement("ack", leased.member)]
            found_on = parents[load(leased.record)["u"]]
            rows.append(
                Download(leased.start_at, ended_at, leased.host, leased.slot, found_on, "", 200, 0, name, "", "", 0.5)
            )
        for name in rng.sample(names, len(names)):
            await settle(frontier, name, reports[name], now=now)
            room = options.lines // workers - held[name]
            taken = await take(frontier, room, name, look_ahead=options.step, now=now) if room > 0 else None
            for leased in taken.requests if taken else ():
                order += 1
                held[name] += 1
                queued -= 1
                heapq.heappush(flying, (leased.start_at + rng.uniform(0.03, 0.3), order, name, leased))
        now += options.step
    rows.sort(key=lambda row: row.start)
    steady = sum(1 for row in rows if row.start >= _NOW + 1.0) / (options.delays - 1.0 - 0.3)
    report = audit(rows, parents=adjacency != "host")
    by_parent = audit(rows, parents=True)
    return {
        "pages_per_delay": round(steady, 1),
        "matching": round(sum(possible[1:]) / len(possible[1:]), 1) if possible[1:] else None,
        "hosts": len(report.hosts),
        "host_overlaps": report.overlaps,
        "host_too_close": report.too_close,
        "parent_too_close": by_parent.parents_too_close,
        "queued_at_the_end": queued,
    }


async def most_at_once(frontier: Frontier, lines: int, parents: bool) -> int:
    """The most of the queued pages that can be in flight without two adjacent ones: a maximum matching."""
    hosts: dict[str, int] = {}
    families: dict[object, int] = {}
    pairs = []
    async for key in frontier.redis.scan_iter(f"{frontier.prefix}:q:*", count=1000):
        host = hosts.setdefault(key.decode(), len(hosts))
        for member in await frontier.redis.zrange(key, 0, -1):
            family = member[-8:] if parents and len(member) in (16, 22) else member
            pairs.append((host, families.setdefault(family, len(families))))
    matrix = csr_matrix(([1] * len(pairs), tuple(zip(*pairs, strict=True))), shape=(len(hosts), len(families)))
    matched = sum(1 for host in maximum_bipartite_matching(matrix, perm_type="row") if host >= 0)
    return min(lines, matched)


async def measure(url: str, graph: Graph, options: Any) -> dict[str, Any]:
    """Every reading with one worker and the default with more."""
    async with redis.asyncio.Redis.from_url(url) as client:
        runs = {name: await run(client, graph, name, 1, options) for name in get_args(Adjacency)}
        runs[f"keys, {options.workers} workers"] = await run(client, graph, "keys", options.workers, options)
    for row in runs.values():
        row["share"] = round(row["pages_per_delay"] / runs["host"]["pages_per_delay"], 4)
    default, more = runs["keys"], runs[f"keys, {options.workers} workers"]
    return {
        "share": min(default["share"], more["share"]),
        "too_close": sum(row["host_too_close"] + row["parent_too_close"] for row in (default, more)),
        "parents": len(graph),
        "links": sum(map(len, graph.values())),
        "runs": runs,
    }


def crawl_newsroom(seconds: float, *, lists: bool, seed: int) -> dict[str, Any]:
    """What the article job downloads of the newsroom in so many seconds, and how close pages of a parent came."""
    with tempfile.TemporaryDirectory() as name, Newsroom(seconds=seconds + 15, sites=12, seed=seed) as room:
        folder = Path(name)
        (folder / "jobs.toml").write_text(room.job_file(), encoding="utf-8")
        own = {
            "http_proxy": room.proxy, "ARTICLEBOT_DATA_DIR": name, "ARTICLEBOT_PROGRESS_S": "0",
            "ARTICLEBOT_FRONTIER_LIST_PARENTS": str(int(lists)),
        }  # fmt: skip
        command = [sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"jobs={folder / 'jobs.toml'}"]
        command += ["-a", f"seconds={seconds}", "-s", f"LOG_FILE={folder / 'crawl.log'}"]
        subprocess.run(command, env={**os.environ, **own}, check=True, capture_output=True)
        rows = list(read_log([folder / "logs"]))
    report = audit(rows, parents=True)
    return {
        "list_parents": lists, "downloads": report.downloads, "hosts": len(report.hosts),
        "with_parent": sum(1 for row in rows if row.parent), "too_close": report.too_close,
        "parents_too_close": report.parents_too_close,
    }  # fmt: skip


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--due", type=int, default=20_000, help="pages in the queue")
    parser.add_argument("--lines", type=int, default=1000, help="requests at once")
    parser.add_argument("--delays", type=float, default=10.0, help="length of a run in mean delays")
    parser.add_argument("--step", type=float, default=0.02, help="seconds of simulated time between two questions")
    parser.add_argument("--pages", type=int, default=3000, help="pages of the corpus to read")
    parser.add_argument("--graph", choices=["crawled", "corpus"], default="crawled")
    parser.add_argument("--hosts", type=int, default=525, help="crawled: hosts")
    parser.add_argument("--urls", type=int, default=60_000, help="crawled: pages")
    parser.add_argument("--lists", action="store_true", help="crawled: links of front pages have these as parents")
    parser.add_argument("--newsroom", type=float, help="seconds: crawl the newsroom instead, with and without parents")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, default=os.environ.get("ARTICLEBOT_CORPUS", "../shared/corpus"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.newsroom:
        for lists in (False, True):
            print(json.dumps(crawl_newsroom(options.newsroom, lists=lists, seed=options.seed)))
        return
    rng = random.Random(options.seed)
    real = (Path(options.corpus) / "pages").is_dir()
    if options.graph == "corpus" and not real:
        parser.error(f"no corpus at {options.corpus}")
    graph = corpus_graph(Path(options.corpus), options.pages, rng) if real else {}
    if options.graph == "crawled":
        graph = crawled_graph(profiles_of(graph) if real else made_profiles(rng), options, rng)
    with tempfile.TemporaryDirectory() as folder, PrivateRedis(Path(folder)) as server:
        report = {
            "graph": options.graph,
            "out_links": "corpus" if real else "made",
            **asyncio.run(measure(server.url, graph, options)),
        }
    if options.json:
        print(json.dumps(report, indent=1))
        return
    print(f"{report['graph']}: {report['parents']} parents, {report['links']} links")
    for name, row in report["runs"].items():
        print(f"{name:16s}", "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
