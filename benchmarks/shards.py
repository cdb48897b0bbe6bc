"""A frontier in shards against one in one piece: what a page costs, and how even its masters' loads are.

One worker drains the queue as fast as it can (``flat out``), then serves many hosts at a mean delay (``polite``), on
one server in one piece and in shards, and on a Redis Cluster on this machine. Only the frontier works: nothing is
fetched. The scripts a second say what the machine's cores allow, since worker and servers share them; what can be told
apart is the processor time of each. A round trip is a read of the server's, as ``INFO stats`` counts them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import redis

from articlebot.config import Config
from articlebot.frontier import Candidate, Settlement
from articlebot.frontier.build import frontier_of
from articlebot.frontier.leases import Leased
from articlebot.frontier.sessions import Sessions
from articlebot.runtime.private_redis import PrivateRedis
from tests.runtime.fleet import Cluster

_ROOM = 64
_CHUNK = 500


class Drain:
    """Stands where ``InHand`` does: each request is done as soon as it may start."""

    def __init__(self, delay: float) -> None:
        self._delay, self.pages, self.late_s = delay, 0, 0.0
        self._rng = random.Random(1)
        self.session: Any = None

    def room(self) -> int:
        return _ROOM

    def members(self, begun: bool, shard: int | None = None) -> Mapping[bytes, str]:
        return {}

    def lose(self, member: bytes) -> None:
        raise AssertionError("nobody else works")

    def fetch_again(self) -> None:
        raise AssertionError("no server was restarted")

    def wake(self) -> None:
        while (due := self.session.next_due()) is not None:
            self._done(*due)

    def _done(self, leased: Leased, planned: float) -> None:
        now = asyncio.get_running_loop().time()
        self.pages += 1
        self.late_s += max(0.0, now - planned)
        talk = self.session.holder(leased)
        talk.report(Settlement("release", leased.member), now + self._delay * self._rng.uniform(0.5, 1.5))
        talk.report(Settlement("ack", leased.member), 0.0)


def _figures(servers: list[redis.Redis]) -> list[dict[str, float]]:
    found = []
    for server in servers:
        info: Any = server.info()
        calls: Any = server.info("commandstats")
        found.append(
            {
                "cpu_s": info["used_cpu_user"] + info["used_cpu_sys"],
                "round_trips": info["total_reads_processed"],
                "scripts": calls.get("cmdstat_evalsha", {}).get("calls", 0),
            }
        )
    return found


async def _run(url: str, servers: list[redis.Redis], shards: int, sizes: argparse.Namespace, delay: float) -> Any:
    hosts, each = (sizes.polite_hosts, 1 + int(2 * sizes.seconds / delay)) if delay else (sizes.hosts, sizes.pages)
    config = Config.model_validate({"frontier": {"shards": shards}})
    frontier = frontier_of(config, url, f"delay{delay:g}".replace(".", "-"))
    await frontier.open()
    for page in range(each):
        links = [Candidate(f"http://www.site{host}.test/{page}") for host in range(hosts)]
        await frontier.links.admit(links, job="j", from_list=True)
    pages, worker = each * hosts, Drain(delay)
    worker.session = Sessions(frontier, "w", look_ahead=0.5, count=lambda what, number: None)
    before, own, began = _figures(servers), time.process_time(), time.perf_counter()
    await worker.session.start(worker)
    while worker.pages < pages and (not delay or time.perf_counter() < began + sizes.seconds):
        worker.wake()
        await asyncio.sleep(0.02)
    took, own = time.perf_counter() - began, time.process_time() - own
    spent = [{name: b[name] - a[name] for name in a} for a, b in zip(before, _figures(servers), strict=True)]
    await worker.session.close()
    await frontier.close()
    total = {name: sum(one[name] for one in spent) for name in spent[0]}
    mean = total["scripts"] / len(spent)
    return {
        "pages": worker.pages,
        "pages_per_s": round(worker.pages / took),
        "scripts_per_s": round(total["scripts"] / took),
        "worker_cpu_ms": round(1000 * own / worker.pages, 3),
        "servers_cpu_ms": round(1000 * total["cpu_s"] / worker.pages, 3),
        "round_trips_per_page": round(total["round_trips"] / worker.pages, 2),
        "scripts_per_page": round(total["scripts"] / worker.pages, 2),
        "late_ms": round(1000 * worker.late_s / worker.pages, 1),
        "busiest_master_of_mean": round(max(one["scripts"] for one in spent) / mean, 2),
        "fewest_of_mean": round(min(one["scripts"] for one in spent) / mean, 2),
    }


def _both(url: str, servers: list[redis.Redis], shards: int, sizes: argparse.Namespace) -> dict[str, Any]:
    flat_out = asyncio.run(_run(url, servers, shards, sizes, 0.0))
    return {"flat out": flat_out, "polite": asyncio.run(_run(url, servers, shards, sizes, sizes.delay))}


def _on_one(shards: int, sizes: argparse.Namespace) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        PrivateRedis(Path(folder)) as server,
        redis.Redis.from_url(server.url) as client,
    ):
        return _both(server.url, [client], shards, sizes)


def _on_cluster(shards: int, sizes: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, Cluster(Path(folder) / "c", sizes.masters, replicas=False) as cluster:
        servers = [redis.Redis(port=node.port) for node in cluster.nodes]
        found = _both(cluster.url, servers, shards, sizes)
        for one in servers:
            one.close()
        return found


def _bytes_per_mark(shards: int, marks: int) -> float:
    """Bytes that a mark takes in a seen set laid out for so many."""

    async def call(url: str) -> float:
        config = Config.model_validate({"frontier": {"shards": shards, "seen_expected": marks}})
        frontier, rng = frontier_of(config, url), random.Random(1)
        before = (await frontier.redis.info("memory"))["used_memory"]
        for start in range(0, marks, _CHUNK):
            shard = frontier.shards[start // _CHUNK % shards]
            await shard.seen.mark([rng.getrandbits(64) for _ in range(_CHUNK)])
        used = (await frontier.redis.info("memory"))["used_memory"] - before
        await frontier.close()
        return float(round(used / marks, 1))

    with tempfile.TemporaryDirectory() as folder, PrivateRedis(Path(folder)) as server:
        return asyncio.run(call(server.url))


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--pages", type=int, default=10, help="of each host")
    parser.add_argument("--polite-hosts", type=int, default=200)
    parser.add_argument("--delay", type=float, default=2.0, help="polite: seconds between two pages of a host")
    parser.add_argument("--seconds", type=float, default=15.0, help="polite: how long")
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--masters", type=int, default=4)
    parser.add_argument("--marks", type=int, default=1_000_000, help="seen marks of which the memory is told")
    parser.add_argument("--json", action="store_true")
    sizes = parser.parse_args()
    report = {
        "cores": os.cpu_count(),
        "bytes_per_seen_mark": {shards: _bytes_per_mark(shards, sizes.marks) for shards in (1, sizes.shards)},
        "one server, one piece": _on_one(1, sizes),
        f"one server, {sizes.shards} shards": _on_one(sizes.shards, sizes),
        f"{sizes.masters} masters, {sizes.shards} shards": _on_cluster(sizes.shards, sizes),
    }
    print(json.dumps(report, indent=1) if sizes.json else "\n".join(f"{name}: {row}" for name, row in report.items()))


if __name__ == "__main__":
    main()
