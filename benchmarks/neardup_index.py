"""The near-duplicate index at size: time of a lookup, bytes of an article, and whether anything is missed.

    python -m benchmarks.neardup_index [--method simhash3] [--sizes 10000 100000 1000000] [--lookups 2000] [--url URL]
                                       [--peer 1000000]

Articles are placed by the same script and into the same keys as in a crawl, as new ones that nobody looks up first.
Their fingerprints are made as real ones are, by votes of words: each is the sum of the votes of two articles of the
corpus with some noise, so that they crowd as fingerprints of real texts do (without a corpus: at random). Shingles are
random, 2% of them from a few thousand stock phrases. Of the looked-up texts half are near-duplicates of one that is
indexed; the answers are compared with a search through all. Prints JSON, a row for each size. With ``--url`` the
articles stay in that Redis, and another run measures them again without placing them. With ``--peer N`` the first N
fingerprints go into the index of the ``simhash`` package as well, in memory, and the same texts are looked up there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import redis.asyncio

from articlebot.config import Dedup
from articlebot.dedup import NearDuplicates, Sketch
from articlebot.dedup.index import CROWDED, ShingleIndex, search
from articlebot.dedup.records import tail
from articlebot.dedup.sketch import BODY_BYTES, ITEMS
from articlebot.dedup.store import Coming, Step
from articlebot.runtime.throwaway_redis import throwaway
from articlebot.text import fold, segment_folded, shingles, simhash

Hashes = npt.NDArray[np.uint64]
_BATCH = 128
_FAR = 2**32 - 3


def real_votes(limit: int = 1_000) -> npt.NDArray[np.float32] | None:
    """For each of some articles, the 64 sums that decide the bits of its fingerprint; None without a corpus."""
    folder = Path(os.environ.get("ARTICLEBOT_CORPUS", Path(__file__).resolve().parents[2] / "shared" / "corpus"))
    files = sorted((folder / "texts").glob("reprints.*.jsonl"))
    if not files:
        return None
    votes = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines()[: limit // len(files)]:
            words = {*segment_folded(fold(json.loads(line)["text"]))} - simhash.common_words()
            hashes = shingles.hashes(sorted(words)).astype(">u8").view(np.uint8).reshape(-1, 8)
            votes.append(np.unpackbits(hashes, axis=1).astype(np.float32).mean(axis=0) - 0.5)
    return np.array(votes)


def fingerprints(count: int, rng: np.random.Generator) -> Hashes:
    """Fingerprints that are spread as those of real texts."""
    votes = real_votes()
    if votes is None:
        return rng.integers(1, 1 << 64, count, dtype=np.uint64)
    parts = []
    for start in range(0, count, 100_000):
        size = min(100_000, count - start)
        pick = rng.integers(0, len(votes), (2, size))
        sums = votes[pick[0]] + votes[pick[1]] + rng.normal(0, votes.std(), (size, 64))
        parts.append(np.packbits(sums > 0, axis=1).view(">u8").ravel().astype(np.uint64))
    return np.concatenate(parts)


class Simhashes:
    """Sketches that are fingerprints, and the search through all of them."""

    def __init__(self, k: int, count: int, rng: np.random.Generator) -> None:
        self.k, self._rng, self.all = k, rng, fingerprints(count, rng)

    def sketch(self, number: int) -> Sketch:
        value = int(self.all[number])
        return Sketch("simhash", 1, (value,), value.to_bytes(8, "big"))

    def near(self, number: int) -> Sketch:
        value = int(self.all[number])
        for bit in self._rng.choice(64, self._rng.integers(0, self.k + 1), replace=False).tolist():
            value ^= 1 << int(bit)
        return Sketch("simhash", 1, (value,), value.to_bytes(8, "big"))

    def fresh(self, count: int) -> list[Sketch]:
        return [Sketch("simhash", 1, (v,), v.to_bytes(8, "big")) for v in fingerprints(count, self._rng).tolist()]

    def wrong(self, sketch: Sketch, found: list[int], size: int) -> int:
        near = np.flatnonzero(np.bitwise_count(self.all[:size] ^ np.uint64(sketch.items[0])) <= self.k)
        return len(set((near + 1).tolist()) ^ set(found))


class Shingles:
    """Sketches of random items, some of them stock phrases, and the nearest by shared items."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._stock = rng.integers(0, 1 << 64, 4_000, dtype=np.uint64)
        self.all = self._items(count)

    def _items(self, count: int) -> Hashes:
        items = self._rng.integers(0, 1 << 64, (count, ITEMS), dtype=np.uint64)
        stock = self._rng.random((count, ITEMS)) < 0.02
        items[stock] = self._rng.choice(self._stock, int(stock.sum()))
        return items

    def sketch(self, number: int) -> Sketch:
        return Sketch("words", 400, tuple(self.all[number].tolist()), self._rng.bytes(BODY_BYTES))

    def near(self, number: int) -> Sketch:
        items = self.all[number].copy()
        changed = self._rng.choice(ITEMS, ITEMS // 2, replace=False)
        items[changed] = self._rng.integers(0, 1 << 64, len(changed), dtype=np.uint64)
        return Sketch("words", 400, tuple(items.tolist()), b"")

    def fresh(self, count: int) -> list[Sketch]:
        return [Sketch("words", 400, tuple(items.tolist()), b"") for items in self._items(count)]

    def wrong(self, sketch: Sketch, found: list[int], size: int) -> int:
        shared = np.isin(self.all[:size], np.array(sketch.items, dtype=np.uint64)).sum(axis=1)
        best = int(shared.argmax())
        return int(shared[best] >= 3 and best + 1 not in found)


async def fill(index: NearDuplicates, source: Simhashes | Shingles, start: int, stop: int) -> float:
    """Places articles ``start`` to ``stop``; seconds."""
    begun = time.perf_counter()
    limit = 20 * CROWDED * max(1, stop // 65_536)
    crowds = np.zeros(1 << 16 if isinstance(source, Shingles) else 0, dtype=np.int64)
    for first in range(start, stop, _BATCH):
        numbers = range(first, min(first + _BATCH, stop))
        sketches = [source.sketch(number) for number in numbers]
        asked = index._index.ask([sketch.items for sketch in sketches])
        crowded = np.zeros(len(asked.spots), dtype=np.bool_)
        if isinstance(source, Shingles):
            np.add.at(crowds, asked.buckets, 1)
            crowded = crowds[asked.buckets] > limit
        coming = [
            Coming(
                (number + 1) * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF, 1_700_000_000 + number // 100,
                f"site{number % 500}.test", tail(sketch),
            )
            for number, sketch in zip(numbers, sketches, strict=True)
        ]  # fmt: skip
        await index._store.place(Step(_FAR, asked, coming, crowded), index.params.window)
        if first // _BATCH % 1_000 == 0:
            print(f"{first:,} placed", file=sys.stderr, flush=True)
    return time.perf_counter() - begun


async def _candidates(index: NearDuplicates, query: Sketch) -> list[int]:
    asked = index._index.ask([query.items])
    reading = await index._store.read([], asked)
    limit = 1 << 30 if index.params.method.startswith("simhash") else index.params.candidates
    numbers: list[int] = search(index._index, asked, reading.lengths, reading.buckets, limit).numbers.tolist()
    return numbers


async def look_up(
    index: NearDuplicates, client: Any, source: Simhashes | Shingles, size: int, lookups: int
) -> dict[str, Any]:
    """Times of single lookups, one after the other, and how many answers differ from those of a full search.

    A PING goes before each, and shows how busy the machine was.
    """
    times, spent, pings, wrong, found = [], [], [], 0, 0
    queries = _queries(source, size, lookups)
    for number, query in enumerate(queries):
        begun = time.perf_counter()
        await client.ping()
        pings.append(time.perf_counter() - begun)
        begun, begun_cpu = time.perf_counter(), time.process_time()
        answer = await _candidates(index, query)
        times.append(time.perf_counter() - begun)
        spent.append(time.process_time() - begun_cpu)
        found += len(answer)
        if number % 10 == 0:
            wrong += source.wrong(query, answer, size)
    ping50, ping95 = np.percentile(np.array(pings) * 1e3, [50, 95]).round(3).tolist()
    p10, p50, p95, p99 = np.percentile(np.array(times) * 1e3, [10, 50, 95, 99]).round(3).tolist()
    cpu50, cpu95 = np.percentile(np.array(spent) * 1e3, [50, 95]).round(3).tolist()
    return {
        "ping_p50_ms": ping50, "ping_p95_ms": ping95, "p10_ms": p10, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99,
        "client_cpu_p50_ms": cpu50, "client_cpu_p95_ms": cpu95,
        "candidates_per_lookup": round(found / lookups, 2),
        "checked_against_full_search": len(queries[::10]), "wrong_answers": wrong,
    }  # fmt: skip


def peer(k: int, count: int, lookups: int) -> dict[str, Any]:
    """The index of the ``simhash`` package over the same fingerprints; in a process of its own for its memory."""
    # Only the peer needs it.
    import simhash as package  # noqa: PLC0415

    source = Simhashes(k, count, np.random.default_rng(1))
    values = source.all.tolist()
    logging.getLogger("simhash").setLevel(logging.ERROR)
    before, begun = _resident(), time.perf_counter()
    index = package.SimhashIndex([(str(n), package.Simhash(value)) for n, value in enumerate(values, 1)], k=k)
    built, after = time.perf_counter() - begun, _resident()
    times, wrong = [], 0
    for query in _queries(source, count, lookups):
        asked = package.Simhash(query.items[0])
        begun = time.perf_counter()
        found = index.get_near_dups(asked)
        times.append(time.perf_counter() - begun)
        wrong += source.wrong(query, [int(name) for name in found], count)
    p50, p95 = np.percentile(np.array(times) * 1e3, [50, 95]).round(3).tolist()
    return {
        "method": f"simhash package, k={k}", "articles": count, "p50_ms": p50, "p95_ms": p95,
        "bytes_per_article": round((after - before) / count, 1), "placed_per_s": round(count / built),
        "checked_against_full_search": lookups, "wrong_answers": wrong,
    }  # fmt: skip


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _queries(source: Simhashes | Shingles, size: int, lookups: int) -> list[Sketch]:
    rng = np.random.default_rng(5)
    queries = [source.near(int(n)) for n in rng.integers(0, size, lookups // 2)] + source.fresh(lookups // 2)
    rng.shuffle(queries)
    return queries


async def memory(client: Any, prefix: str) -> dict[str, int]:
    """Bytes by kind of key, as Redis counts them, samples of many keys of a kind taken for all."""
    keys: dict[str, list[bytes]] = {}
    async for key in client.scan_iter(match=f"{prefix}:*", count=5_000):
        keys.setdefault(key.rsplit(b":", 1)[1][:1].decode(), []).append(key)
    sums = {}
    for kind, names in keys.items():
        sample = names[:: max(1, len(names) // 2_000)]
        pipe = client.pipeline(transaction=False)
        for name in sample:
            pipe.memory_usage(name, samples=0)
        sums[kind] = int(sum(await pipe.execute()) * len(names) / len(sample))
    return sums


async def measure(url: str, method: str, sizes: list[int], lookups: int) -> list[dict[str, Any]]:
    """A row for each size."""
    rng = np.random.default_rng(1)
    rows = []
    async with redis.asyncio.Redis.from_url(url) as client:
        params = Dedup.model_validate({"method": method})
        index = NearDuplicates(client, "bench", params)
        shingled = isinstance(index._index, ShingleIndex)
        source = Shingles(sizes[-1], rng) if shingled else Simhashes(int(method[7:]), sizes[-1], rng)
        before = (await client.info("memory"))["used_memory"]
        done, seconds = int(await client.get(f"{index._store.base}n") or 0), 0.0
        before = 0 if done else before
        for size in sizes:
            if size < done:
                continue
            seconds += await fill(index, source, done, size)
            done = size
            used = (await client.info("memory"))["used_memory"] - before
            kinds = await memory(client, "bench")
            sketch_bytes = BODY_BYTES * size if shingled else 0
            rows.append(
                {
                    "method": method, "articles": size,
                    **await look_up(index, client, source, size, lookups),
                    "bytes_per_article": round(used / size, 1),
                    "bytes_of_index_and_ids": round((used - sketch_bytes) / size, 1),
                    "bytes_of_sketches": round(sketch_bytes / size, 1),
                    "by_key": {_KINDS.get(kind, kind): round(n / size, 1) for kind, n in sorted(kinds.items())},
                    "placed_per_s": round(size / seconds) if seconds > 1 else None,
                }
            )  # fmt: skip
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows


_KINDS = {
    "b": "buckets",
    "k": "key_map",
    "r": "records",
    "c": "clusters",
    "m": "members",
    "s": "sources",
    "S": "sources_back",
}


def main() -> None:
    """Runs the measurement and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="simhash3", choices=["simhash3", "simhash5", "shingles"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--lookups", type=int, default=2_000)
    parser.add_argument("--url", help="a Redis of its own for this, instead of a private server")
    parser.add_argument("--peer", type=int, default=0, metavar="N", help="look up in the simhash package's index, too")
    parser.add_argument("--json", action="store_true", help="taken as by all benchmarks; this one prints nothing else")
    options = parser.parse_args()
    with ExitStack() as stack:
        url = options.url
        if not url:
            url = stack.enter_context(throwaway("neardup"))
        rows = asyncio.run(measure(url, options.method, sorted(options.sizes), options.lookups))
    if options.peer and options.method.startswith("simhash"):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            rows.append(pool.submit(peer, int(options.method[7:]), options.peer, 200).result())
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
