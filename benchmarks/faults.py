"""Crawls with real faults: what was fetched, published twice, or fetched in parallel on one host afterwards.

Pages are published through an outbox with a unique key, as the archive has one: a page that is fetched again after a
crash is published once. Fetches are counted by the site, which knows nothing of the crawlers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import redis

from benchmarks.crawls import Crawl, start
from benchmarks.loopback import Plan, Site, overlaps
from benchmarks.outages import Proxy, Server, freeze

# Sizes of ``--small``.
_SMALL = {
    "workers": 2,
    "pages": 36,
    "hosts": 6,
    "delay": 0.3,
    "kills": 3,
    "pause": 1.0,
    "cut_s": 4.0,
    "lease_s": 3.0,
    "timeout": 50.0,
}


class Crawlers:
    """Some workers of one crawl; those that die are started again."""

    def __init__(self, crawl: Crawl, number: int) -> None:
        self.crawl = crawl
        self.processes = [start(crawl) for _ in range(number)]

    def running(self) -> list[subprocess.Popen[bytes]]:
        """Those that have not ended."""
        return [process for process in self.processes if process.poll() is None]

    def kill_one(self, rng: random.Random) -> bool:
        """kill -9 of any worker, and a new one in its place; False when all have ended."""
        running = self.running()
        if not running:
            return False
        victim = rng.choice(running)
        os.kill(victim.pid, signal.SIGKILL)
        victim.communicate()
        self.processes.remove(victim)
        self.processes.append(start(self.crawl))
        return True

    def wait(self, seconds: float) -> bool:
        """Waits until all have ended; False when some had to be killed."""
        deadline = time.monotonic() + seconds
        in_time = True
        for process in self.processes:
            try:
                process.communicate(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                in_time = False
                process.kill()
                process.communicate()
        return in_time


def worker_kills(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """kill -9 of workers at random moments."""
    rng = random.Random(options.seed)
    done = 0
    for _ in range(options.kills):
        time.sleep(rng.uniform(0.3, options.pause))
        done += crawlers.kill_one(rng)
    return done


def redis_kills(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """kill -9 of Redis, started again after a moment."""
    for _ in range(2):
        time.sleep(2.0)
        server.kill()
        time.sleep(1.0)
        server.start()
    return 2


def network_cut(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """Nothing goes through between workers and Redis, longer than the leases last."""
    time.sleep(2.0)
    proxy.cut(options.cut_s)
    return 1


def full_redis(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """Redis is at its memory limit for a while."""
    time.sleep(1.5)
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 1_000_000)
        time.sleep(4.0)
        client.config_set("maxmemory", 0)
    return 1


def clock_jump(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """The wall clock of every worker jumps by an hour, there and back (done inside the workers)."""
    return len(crawlers.processes)


def start_at_once(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """All workers begin at the same moment with the same seeds."""
    return len(crawlers.processes)


def slow_redis(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """Every answer of Redis comes late for a while."""
    proxy.slow(0.3, 6.0)
    return 1


def frozen_redis(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """Redis answers nothing for longer than the leases last, and then to all at once."""
    server.freeze(options.lease_s + 2)
    return 1


def read_only(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """Redis is a replica for a while and refuses every write."""
    with redis.Redis.from_url(server.url) as client:
        client.config_set("replica-serve-stale-data", "yes")
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
        time.sleep(4.0)
        client.execute_command("REPLICAOF", "NO", "ONE")
    return 1


def forgotten_scripts(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """Redis forgets its scripts and drops its connections again and again."""
    with redis.Redis.from_url(server.url) as client:
        for _ in range(10):
            client.script_flush()
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            time.sleep(0.4)
    return 10


def frozen_worker(crawlers: Crawlers, server: Server, proxy: Proxy, options: Any) -> int:
    """A worker does nothing for longer than its lease lasts, then goes on as if nothing had been."""
    frozen = crawlers.running()[:1]
    for process in frozen:
        freeze(process, options.lease_s + 3)
    return len(frozen)


FAULTS = {
    "worker_kills": worker_kills,
    "redis_kills": redis_kills,
    "network_cut": network_cut,
    "full_redis": full_redis,
    "clock_jump": clock_jump,
    "start_at_once": start_at_once,
    "slow_redis": slow_redis,
    "frozen_redis": frozen_redis,
    "read_only": read_only,
    "forgotten_scripts": forgotten_scripts,
    "frozen_worker": frozen_worker,
}


def measure(name: str, options: Any) -> dict[str, Any]:
    """One crawl with one fault."""
    pages = (max(2, options.pages // options.hosts),) * options.hosts
    with (
        tempfile.TemporaryDirectory() as text,
        Server(Path(text) / "redis") as server,
        Proxy(server.port) as proxy,
        Site(Plan(pages, body=1500, links=8, latency=0.02, across=0.3), Path(text)) as site,
    ):
        outbox = Path(text) / "outbox.db"
        with closing(sqlite3.connect(outbox)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE outbox (url TEXT PRIMARY KEY, offered INTEGER NOT NULL)")
            database.execute("CREATE TABLE delivered (url TEXT)")
        settings: dict[str, Any] = {
            "ARTICLEBOT_FRONTIER_LEASE_S": options.lease_s, "RETRY_TIMES": 5, "LOG_LEVEL": options.log_level,
            "ARTICLEBOT_FRONTIER_TRIES": 10, "ARTICLEBOT_FRONTIER_SHARDS": options.shards,
        }  # fmt: skip
        if name == "clock_jump":
            settings["CLOCK_JUMP_S"] = 3600
        crawl = Crawl(
            "articlebot", tuple(site.url(host) for host in range(options.hosts)), text, proxy.url, delay=options.delay,
            click=options.delay / 3, spread=0.5, sink=str(outbox), idle_wait=options.lease_s + 2,
            settings=tuple(settings.items()),
        )  # fmt: skip
        begun = time.monotonic()
        crawlers = Crawlers(crawl, 2 if name == "start_at_once" else options.workers)
        while name != "start_at_once" and len(site.visits()) < sum(pages) // 20 and crawlers.running():
            time.sleep(0.1)  # the first fault strikes a crawl that has begun
        happened = FAULTS[name](crawlers, server, proxy, options)
        before = len(site.visits())
        ended = crawlers.wait(options.timeout)
        visits = [visit for visit in site.visits() if visit[3].startswith("/p/")]
        with closing(sqlite3.connect(outbox)) as database:
            twice = database.execute("SELECT count(*) - count(DISTINCT url) FROM delivered").fetchone()[0]
            published, offered = database.execute("SELECT count(*), coalesce(sum(offered), 0) FROM outbox").fetchone()
    fetched = {(host, path) for _, _, host, path in visits}
    return {
        "faults": happened,
        "fetched_before_the_last": before,
        "pages_expected": sum(pages),
        "fetched": len(fetched),
        "published": published,
        "published_twice": twice,
        "offered_again": offered - published,
        "fetched_again": len(visits) - len(fetched),
        "overlaps": overlaps(visits),
        "ended": ended,
        "seconds": round(time.monotonic() - begun, 1),
    }


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--shards", type=int, default=1, help="the setting ARTICLEBOT_FRONTIER_SHARDS")
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--hosts", type=int, default=12)
    parser.add_argument("--delay", type=float, default=0.3, help="mean seconds between two pages of a host")
    parser.add_argument("--kills", type=int, default=20, help="kills of workers")
    parser.add_argument("--pause", type=float, default=2.5, help="longest seconds between two kills")
    parser.add_argument("--cut-s", type=float, default=10.0, help="seconds without network")
    parser.add_argument("--timeout", type=float, default=180.0, help="seconds to wait for the end of each crawl")
    parser.add_argument("--lease-s", type=float, default=5.0, help="the setting ARTICLEBOT_FRONTIER_LEASE_S")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", nargs="+", default=list(FAULTS), choices=list(FAULTS))
    parser.add_argument("--log-level", default="ERROR")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--small", action="store_true", help="small crawls, two workers, four at once: a minute")
    options = parser.parse_args()
    if options.small:
        vars(options).update(_SMALL)
    with ThreadPoolExecutor(4 if options.small else 1) as pool:
        rows = dict(zip(options.faults, pool.map(lambda name: measure(name, options), options.faults), strict=True))
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for name, row in rows.items():
        print(f"{name:14s}", "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
