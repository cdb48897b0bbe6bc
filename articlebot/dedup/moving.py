"""Moves an index of near-duplicates to another number of shards while nobody works on it.

All is copied first; then one write says where the index lies, and what lay elsewhere goes. A move that is killed before
begins anew, one that is killed after only tidies up.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from articlebot.config import Dedup
from articlebot.connect import tagged
from articlebot.dedup.near_duplicates import NearDuplicates
from articlebot.dedup.records import HEAD, Rows, in_chunk
from articlebot.dedup.sharded import ShardedClusters
from articlebot.dedup.store import RedisClusters
from articlebot.shards import shard_tag
from articlebot.together import Together

METHODS = ("shingles", "simhash3", "simhash5")
_AT_ONCE = 2_000


class _Chunks(NamedTuple):
    """Where some bytes of each record lie: in which places by chunk, under which letter, from where to where in it."""

    places: Sequence[tuple[Any, str]]
    letter: str
    start: int
    stop: int

    def split(self, first: int, last: int) -> Iterator[tuple[Any, str, int, int, int]]:
        """Client and key of each chunk with records of two numbers and between, and these; where the first lies."""
        size = self.stop - self.start
        slots = in_chunk(size)
        for chunk in range(first // slots, last // slots + 1):
            client, base = self.places[chunk % len(self.places)]
            a, b = max(first, chunk * slots), min(last, chunk * slots + slots - 1)
            yield client, f"{base}{self.letter}{chunk}", a, b, (a - chunk * slots) * size


class _Lying:
    """An index as it lies, or will lie, in a number of shards."""

    def __init__(self, together: Together, prefix: str, method: Any, shards: int) -> None:
        clients = [together.of(shard_tag(prefix, "nd", n, shards)) for n in range(shards)] if shards > 1 else []
        index = NearDuplicates(together.of(tagged(prefix, "nd")), prefix, Dedup(method=method), clients)
        self.store: RedisClusters = index._store
        self.home: Any = together.of(tagged(prefix, "nd"))
        store, size = self.store, self.store._layout.dtype.itemsize
        self.places: Sequence[tuple[Any, str]] = [(self.home, store.base)]
        self.parts = [_Chunks(self.places, "r", 0, size)]
        self.bucket = "b{:05x}" if store._simhash else "b{:04x}"
        self.buckets = 4 << 16 if store._simhash else 1 << 16  # a table for each block of a fingerprint
        if isinstance(store, ShardedClusters):
            self.parts = [_Chunks(self.places, "h", 0, HEAD), _Chunks(store.shards, "r", HEAD, size)]
            self.places, self.bucket = store.shards, "b{:x}"

    def names(self) -> Iterator[tuple[Any, list[tuple[int, str]]]]:
        """For each place its client and the keys of its buckets, some at a time."""
        for number, (client, base) in enumerate(self.places):
            own = range(number, self.buckets, len(self.places))
            for start in range(0, len(own), _AT_ONCE):
                yield client, [(n, base + self.bucket.format(n)) for n in own[start : start + _AT_ONCE]]


async def lies_in(together: Together, prefix: str, method: Any) -> int | None:
    """The number of shards that an index lies in; None where there is none."""
    one = _Lying(together, prefix, method, 1)
    last, number = await one.home.mget([f"{one.store.base}n", f"{one.store.base}cut"])
    return None if last is None else int(number or 1)


async def move(together: Together, prefix: str, method: Any, after: int, told: Callable[[int], None]) -> int:
    """Moves an index, or tidies up after one that was moved; returns how many placements it has.

    Args:
        together: clients.
        prefix: of all keys, with its braces.
        method: of the index.
        after: the number of shards.
        told: is called with how many pieces were moved.
    """
    before = await lies_in(together, prefix, method)
    if before is None:
        return 0
    new = _Lying(together, prefix, method, after)
    base, home = new.store.base, new.home
    if before != after:
        old = _Lying(together, prefix, method, before)
        if isinstance(old.store, ShardedClusters):
            await old.store.write_all()
        await _copy_buckets(old, new, told)
        await _copy_records(old, new, told)
        last, floor = await home.mget([f"{base}n", f"{base}f"])
        for client, place in new.places if after > 1 else ():
            await client.mset({f"{place}n": last, f"{place}f": floor or 0})
        await home.mset({f"{base}cut": after, f"{base}left": before, f"{base}t": last})
    left = await home.get(f"{base}left")
    if left is not None:
        await _tidy(_Lying(together, prefix, method, int(left)), is_cut=after > 1)
        await home.delete(f"{base}left")
    return int(await home.get(f"{base}n"))


async def _copy_buckets(old: _Lying, new: _Lying, told: Callable[[int], None]) -> None:
    for client, names in old.names():
        found = await client.mget([key for _, key in names])
        pipelines: dict[int, Any] = {}
        for (bucket, _), text in zip(names, found, strict=True):
            if text:
                place = bucket % len(new.places)
                target, base = new.places[place]
                pipeline = pipelines.setdefault(place, target.pipeline(transaction=False))
                pipeline.set(base + new.bucket.format(bucket), text)
        for pipeline in pipelines.values():
            told(len(await pipeline.execute()))


async def _copy_records(old: _Lying, new: _Lying, told: Callable[[int], None]) -> None:
    base = old.store.base
    last, floor = (int(number or 0) for number in await old.home.mget([f"{base}n", f"{base}f"]))
    for first in range(floor, last + 1, _AT_ONCE):
        numbers = np.arange(first, min(first + _AT_ONCE, last + 1))
        rows: Rows = await old.store.rows(numbers)
        table = rows.view(np.uint8).reshape(len(rows), -1)
        await asyncio.gather(
            *(
                client.setrange(key, offset, table[a - first : b - first + 1, part.start : part.stop].tobytes())
                for part in new.parts
                for client, key, a, b, offset in part.split(first, int(numbers[-1]))
            )
        )
        told(len(rows))


async def _tidy(old: _Lying, *, is_cut: bool) -> None:
    """Removes an index as it lay before; ``is_cut``: it lies in shards now, and the heads of records stay."""
    base, was_cut = old.store.base, isinstance(old.store, ShardedClusters)
    last, floor = (int(number or 0) for number in await old.home.mget([f"{base}n", f"{base}f"]))
    gone: dict[Any, list[str]] = defaultdict(list)
    for client, names in old.names():
        await client.unlink(*(key for _, key in names))
    for part in old.parts:
        if part.letter != "h" or not is_cut:
            for client, key, *_ in part.split(floor, last):
                gone[client].append(key)
    for client, place in old.places if was_cut else ():
        gone[client] += [f"{place}n", f"{place}f"]
    gone[old.home] += [f"{base}l"]
    for client, keys in gone.items():
        for start in range(0, len(keys), _AT_ONCE):
            await client.unlink(*keys[start : start + _AT_ONCE])
