"""``scrapy neardup``: clusters the texts of a file by the rules of the crawl."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.engaged import engaged
from articlebot.actions.output import Progress, table
from articlebot.batch.clusters import clusters
from articlebot.batch.texts import SketchBatch, sketched, sketches_in
from articlebot.config import Config
from articlebot.dedup import Sketch
from articlebot.runtime import clock

_BATCH = 128


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
    # Ended by a supervisor, it takes what it keeps in Redis along as it does when interrupted.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    rows = _Rows(opts.docs)
    found = _clusters(rows, config, opts)
    (_print_rows if opts.json else _print_table)(found)
    command.exitcode = 1 if rows.bad else 0


class _Rows:
    """The usable rows of a file; the others are named on standard error and counted as ``bad``."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.bad = 0
        self._read_bytes = 0

    def share(self) -> float | None:
        """How much of the file has been read, 0 to 1; None of a stream."""
        file = Path(self._path)
        return self._read_bytes / max(1, file.stat().st_size) if file.is_file() else None

    def __iter__(self) -> Iterator[_Row]:
        if self._path == "-":
            yield from self._parsed(sys.stdin.buffer)
            return
        with Path(self._path).open("rb") as file:
            yield from self._parsed(file)

    def _parsed(self, lines: Any) -> Iterator[_Row]:
        seen: dict[str | int, int] = {}
        for number, line in enumerate(lines, 1):
            self._read_bytes += len(line)
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


def _clusters(rows: _Rows, config: Config, opts: argparse.Namespace) -> dict[str | int, str]:
    """Each row's cluster, in the order of the rows."""
    ids: list[str | int] = []
    waiting: deque[list[_Row]] = deque()

    def batches() -> Iterator[SketchBatch]:
        unread = iter(rows)
        while read := list(islice(unread, _BATCH)):
            waiting.append(read)
            yield SketchBatch(tuple(row.text for row in read), config.dedup.method)

    with engaged(opts, config, "neardup", Progress("rows", rows.share)) as run:

        def steps() -> Iterator[list[tuple[Sketch, str]]]:
            for _, found in run(sketched, batches(), _BATCH):
                read = waiting.popleft()
                ids.extend(row.id for row in read)
                yield [(sketch, row.source) for sketch, row in zip(sketches_in(found), read, strict=True)]

        general = config.general
        placing = clusters(
            steps(), config.dedup, clock.now(), redis_url=general.redis_url, key_prefix=general.key_prefix
        )
        found = asyncio.run(placing)
    return dict(zip(ids, found, strict=True))


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
