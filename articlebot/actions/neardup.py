"""``scrapy neardup``: clusters the texts of a file by the rules of the crawl."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import uuid
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import redis.asyncio
from scrapy.exceptions import UsageError

from articlebot import connect
from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.config import Config, Dedup
from articlebot.dedup import Arrival, Assignments, NearDuplicates, Sketch, sketches_of
from articlebot.runtime import clock
from articlebot.runtime.children import end_with_parent
from articlebot.runtime.private_redis import PrivateRedis

_BATCH = 128
_PROGRESS_S = 2.0


@dataclass(frozen=True, slots=True)
class _Row:
    id: str | int
    text: str
    source: str


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints the clusters."""
    if not opts.docs:
        raise UsageError("name the texts with --docs FILE")
    config = command.config()
    if config.dedup.method == "off":
        raise UsageError("ARTICLEBOT_DEDUP_METHOD is off: set it to shingles, simhash3 or simhash5", print_help=False)
    # Ended by a supervisor, it takes its server along as it does when interrupted.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    rows = _Rows(opts.docs)
    found = asyncio.run(_cluster(rows, config))
    (_print_rows if opts.json else _print_table)(found)
    command.exitcode = 1 if rows.bad else 0


class _Rows:
    """The usable rows of a file; the others are named on standard error and counted as ``bad``."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.bad = 0
        self.read = 0

    def __iter__(self) -> Iterator[_Row]:
        if self._path == "-":
            yield from self._parsed(sys.stdin.buffer)
            return
        with Path(self._path).open("rb") as file:
            yield from self._parsed(file)

    def _parsed(self, lines: Any) -> Iterator[_Row]:
        seen: dict[str | int, int] = {}
        for number, line in enumerate(lines, 1):
            self.read = number
            if not line.strip():
                continue
            try:
                row = _row(line)
                if row.id in seen:
                    raise ValueError(f"the id {row.id!r} stands on line {seen[row.id]} already")
            except ValueError as error:
                self.bad += 1
                print(f"{self._path}:{number}: {error}", file=sys.stderr)
                continue
            seen[row.id] = number
            yield row


def _row(line: bytes) -> _Row:
    """One row.

    Raises:
        ValueError: says what is wrong with it.
    """
    try:
        row = json.loads(line)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(row, dict):
        raise ValueError("not an object")
    for name, kinds, wanted in (("id", (str, int), "a string or whole number"), ("text", (str,), "a string")):
        if name not in row:
            raise ValueError(f"no {name!r}")
        if not isinstance(row[name], kinds) or isinstance(row[name], bool):
            raise ValueError(f"{name!r} is not {wanted}")
    source = row.get("source")
    return _Row(row["id"], row["text"], source if isinstance(source, str) else "")


async def _cluster(rows: _Rows, config: Config) -> dict[str | int, str]:
    """Each row's cluster, in the order of the rows."""
    ids: list[str | int] = []
    assignments, now = Assignments(), clock.now()
    progress = _Progress(rows)
    async with AsyncExitStack() as stack:
        client = await _client(stack, config)
        prefix = f"{config.general.key_prefix}:neardup-{uuid.uuid4().hex[:12]}"
        stack.push_async_callback(_clean, client, prefix)
        near_duplicates = NearDuplicates(client, prefix, config.dedup)
        async for batch, sketches in _sketched(rows, config.dedup):
            arrivals = [
                Arrival(_page_key(key), sketch, now, row.source)
                for key, (row, sketch) in enumerate(zip(batch, sketches, strict=True), len(ids) + 1)
            ]
            for arrival, placement in zip(arrivals, await near_duplicates.place_many(arrivals), strict=True):
                assignments.note(arrival.key, placement)
            ids += [row.id for row in batch]
            progress.show(len(ids))
    return {name: assignments.cluster(_page_key(number)) for number, name in enumerate(ids, 1)}


def _page_key(number: int) -> int:
    """A key for a row, spread over 64 bits as page keys are."""
    return number * 0x9E37_79B9_7F4A_7C15 & 0xFFFF_FFFF_FFFF_FFFF


async def _client(stack: AsyncExitStack, config: Config) -> redis.asyncio.Redis:
    url = config.general.redis_url
    if url is None:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="articlebot-neardup-"))
        url = stack.enter_context(PrivateRedis(Path(folder), ("--appendonly", "no"))).url
    client = connect.client(url, config.general.key_prefix)
    stack.push_async_callback(client.aclose)
    return client


async def _clean(client: Any, prefix: str) -> None:
    cursor = None
    while cursor != 0:
        cursor, keys = await client.scan(cursor or 0, match=f"{prefix}:*", count=1000)
        if keys:
            await client.unlink(*keys)


async def _sketched(rows: _Rows, params: Dedup) -> AsyncIterator[tuple[list[_Row], list[Sketch]]]:
    """Rows with their sketches; the sketches are made in other processes, since they are most of the work."""
    unread = iter(rows)
    read = list(islice(unread, _BATCH))
    if len(read) < _BATCH:
        yield read, sketches_of([row.text for row in read], params)
        return
    waiting: deque[tuple[list[_Row], Future[list[Sketch]]]] = deque()
    # Placing takes a fifth of the time: a process for each processor leaves none idle.
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        while read or waiting:
            if read:
                waiting.append((read, pool.submit(sketches_of, [row.text for row in read], params)))
            if not read or len(waiting) > 4 * workers:
                batch, future = waiting.popleft()
                yield batch, await asyncio.wrap_future(future)
            read = list(islice(unread, _BATCH))


class _Progress:
    def __init__(self, rows: _Rows) -> None:
        self._rows, self._shown_at, self._begun_at = rows, clock.now(), clock.now()

    def show(self, done: int) -> None:
        now = clock.now()
        if now - self._shown_at >= _PROGRESS_S:
            self._shown_at = now
            rate = done / (now - self._begun_at)
            print(
                f"{done:,} of {self._rows.read:,} rows read so far, {rate:,.0f} a second", file=sys.stderr, flush=True
            )


def _print_rows(found: dict[str | int, str]) -> None:
    for name, cluster in found.items():
        print(json.dumps({"id": name, "cluster": cluster}, ensure_ascii=False))


def _print_table(found: dict[str | int, str]) -> None:
    clusters: dict[str, list[str]] = {}
    for name, cluster in found.items():
        clusters.setdefault(cluster, []).append(str(name))
    several = [(cluster, members) for cluster, members in clusters.items() if len(members) > 1]
    rows = [
        {
            "cluster": cluster,
            "texts": len(members),
            "ids": ", ".join(members[:8]) + (" ..." if len(members) > 8 else ""),
        }
        for cluster, members in sorted(several, key=lambda item: -len(item[1]))
    ]
    if rows:
        print(table(rows, ["cluster", "texts", "ids"]))
    print(f"{len(found):,} texts, {len(clusters):,} stories, {len(several):,} of them more than once")
