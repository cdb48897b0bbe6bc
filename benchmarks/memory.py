"""Redis' memory per URL with state, due time and seen mark, and how long its scripts hold it.

URLs have 75 characters in the mean. Also the frontier's own queue at the same number of URLs, and its scripts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import redis.asyncio

from articlebot.frontier import Candidate, Envelope, Frontier, Settlement
from articlebot.frontier.seen import BloomSeen, ExactSeen
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.record import PageRecord
from articlebot.recrawl.state import PageState
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.urls import page_key
from articlebot_lab.leasing import settle, take

_CHUNK = 500
_NOW = 1_700_000_000.0


def urls(number: int, rng: random.Random) -> Iterator[str]:
    """Addresses of articles on 1,000 hosts, 75 characters in the mean."""
    letters = "abcdefghijklmnopqrstuvwxyz-"
    for n in range(number):
        slug = "".join(rng.choices(letters, k=rng.randint(13, 29)))
        yield f"https://www.site{n % 1000:04d}.example.com/2026/{rng.randint(1, 12):02d}/{slug}-{n:07d}.html"


async def used(client: redis.asyncio.Redis) -> int:
    """Bytes that the server's data take."""
    return int((await client.info("memory"))["used_memory"])


def longest_ms(entries: list[dict[str, Any]]) -> float:
    """The longest entry of the server's slow log that is a script."""
    scripts = [entry["duration"] for entry in entries if entry["command"][:4].upper() == b"EVAL"]
    return max(scripts, default=0) / 1000


async def server_cpu_ms(client: redis.asyncio.Redis) -> float:
    """Processor milliseconds that the server has used; on a busy machine they say more than the clock."""
    info = await client.info("cpu")
    return 1000 * (float(info["used_cpu_user"]) + float(info["used_cpu_sys"]))


async def timed(call: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """Milliseconds that a call takes, and its answer."""
    begun = time.perf_counter()
    answer = await call()
    return 1000 * (time.perf_counter() - begun), answer


async def write(store: RedisPageStates, frontier: Frontier, batch: list[PageRecord]) -> float:
    """Milliseconds that writing the states took; also marks the pages as seen."""
    took, _ = await timed(lambda: store.put_many(batch))
    await frontier.seen.mark([record.key for record in batch])
    return took


async def page_states(client: redis.asyncio.Redis, number: int, seed: int) -> dict[str, Any]:
    """Page states with due times and seen marks of ``number`` URLs."""
    rng = random.Random(seed)
    store = RedisPageStates(client, "memory")
    frontier = Frontier(client, prefix="memory", seen=ExactSeen(max(10_000, number)))
    await frontier.open()
    before = await used(client)
    await client.config_set("slowlog-log-slower-than", 1000)
    await client.config_set("slowlog-max-len", 5000)
    await client.slowlog_reset()
    length = 0
    write_ms = 0.0
    batch: list[PageRecord] = []
    for url in urls(number, rng):
        length += len(url)
        first_at = _NOW - rng.uniform(0, 1e6)
        state = PageState(
            Kind.ARTICLE, rng.randint(1, 50), 0, first_at, _NOW - rng.uniform(0, 1e5), _NOW + rng.uniform(-1e4, 1e5),
            rng.uniform(0, 1e6), rng.uniform(1, 50), rng.uniform(600, 1e5), _NOW - rng.uniform(0, 1e6),
            rng.getrandbits(64), rng.getrandbits(64),
        )  # fmt: skip
        batch.append(PageRecord(page_key(url), url, f"job{rng.randint(0, 999)}", state))
        if len(batch) == _CHUNK:
            write_ms += await write(store, frontier, batch)
            batch = []
    write_ms += await write(store, frontier, batch)
    longest = longest_ms(await client.slowlog_get(5000))
    await client.slowlog_reset()  # its entries take memory too
    bytes_per_url = (await used(client) - before) / number
    polls, cpu = [], []
    for poll in range(5):
        server, own = await server_cpu_ms(client), 1000 * time.process_time()
        took, due = await timed(lambda poll=poll: store.lease_due(_NOW + poll, 5000, 300.0))  # type: ignore[misc]
        if due:
            polls.append(took / len(due) * 5000)
            used_ms = await server_cpu_ms(client) - server + 1000 * time.process_time() - own
            cpu.append(used_ms / len(due) * 5000)
    return {
        "bytes_per_url": round(bytes_per_url, 1),
        "url_length": round(length / number, 1),
        "due_poll_5000_ms": round(min(polls), 1) if polls else None,
        "due_poll_5000_cpu_ms": round(min(cpu), 1) if cpu else None,
        "written_per_s": round(1000 * number / write_ms) if write_ms else None,
        "longest_script_ms": max(longest, longest_ms(await client.slowlog_get(5000))),
    }


async def queue(client: redis.asyncio.Redis, number: int, seed: int) -> dict[str, Any]:
    """The frontier's queue with ``number`` requests, its scripts in large batches."""
    rng = random.Random(seed + 1)
    frontier = Frontier(client, prefix="queue", known=0, seen=ExactSeen(max(10_000, number)))
    await frontier.open()
    await client.slowlog_reset()
    before = await used(client)
    links = []
    for n, url in enumerate(urls(number, rng)):
        links.append(Candidate(url, meta={"kind": "article"}))
        if len(links) == 140 or n == number - 1:
            await frontier.links.admit(
                links, job="job", parent_url=f"https://parent.test/{n}", depth=1, from_list=n % 3 > 0
            )
            links = []
    longest = longest_ms(await client.slowlog_get(5000))
    await client.slowlog_reset()
    bytes_per_request = (await used(client) - before) / number
    took, taken = await timed(lambda: take(frontier, 1000, "w", look_ahead=1.0))
    ends = [Settlement(o, one.member, 1.0) for one in taken.requests for o in ("release", "ack")]
    settle_ms, _ = await timed(lambda: settle(frontier, "w", ends[:400]))
    await take(frontier, 0, "lost")
    lost = await take(frontier, 300, "lost", look_ahead=5.0)
    reap_ms, _ = await timed(lambda: frontier.reap("w", dead=["lost"], silent=False))
    return {
        "bytes_per_queued_request": round(bytes_per_request, 1),
        "take_ms": round(took, 1),
        "taken": len(taken.requests),
        "settle_400_ms": round(settle_ms, 1),
        "reap_ms": round(reap_ms, 1),
        "reaped": len(lost.requests),
        "longest_script_ms": max(longest, longest_ms(await client.slowlog_get(5000))),
    }


async def seen_only(client: redis.asyncio.Redis, number: int, seed: int) -> dict[str, Any]:
    """Bytes a page of the two layouts of the seen set, and the filter's measured error."""
    rng = random.Random(seed + 2)
    keys = [rng.getrandbits(64) for _ in range(number)]
    report: dict[str, Any] = {}
    for name, layout in (("exact", ExactSeen(number)), ("bloom", BloomSeen(number, 0.001))):
        frontier = Frontier(client, prefix=f"seen-{name}", seen=layout)
        before = await used(client)
        new = 0
        for i in range(0, number, _CHUNK):
            new += await frontier.seen.mark(keys[i : i + _CHUNK])
        report[f"{name}_bytes"] = round((await used(client) - before) / number, 2)
        strangers = [rng.getrandbits(64) for _ in range(min(20_000, number))]
        probe = [Envelope(key.to_bytes(8, "big"), key, "x.test", 0, 0, "{}") for key in strangers]
        known = len(probe) - sum([await frontier.seen.mark([one.key or 0 for one in probe])])
        report[f"{name}_error"] = known / len(probe)
    return report


def on_a_server(part: Callable[[redis.asyncio.Redis], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    """The result of a part on a new, empty server."""

    async def call(url: str) -> dict[str, Any]:
        async with redis.asyncio.Redis.from_url(url, socket_timeout=120) as client:
            return await part(client)

    with tempfile.TemporaryDirectory() as folder, PrivateRedis(Path(folder)) as server:
        return asyncio.run(call(server.url))


def measure(number: int, seed: int) -> dict[str, Any]:
    """Everything."""
    states = on_a_server(lambda client: page_states(client, number, seed))
    queued = on_a_server(lambda client: queue(client, min(number, 200_000), seed))
    seen = on_a_server(lambda client: seen_only(client, min(number, 200_000), seed))
    longest = max(states["longest_script_ms"], queued["longest_script_ms"])
    return {
        "urls": number,
        **states,
        "longest_script_ms": longest,
        "page_states": states,
        "queue": queued,
        "seen": seen,
    }


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = measure(options.urls, options.seed)
    print(json.dumps(report, indent=1) if options.json else "\n".join(f"{k}: {v}" for k, v in report.items()))


if __name__ == "__main__":
    main()
