"""The round history: what each visit of an entry page gained. ``archive.rounds`` is the one that machines share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, Protocol

VERSION = 1
_SUFFIX = ".jsonl"


class RoundRecord(NamedTuple):
    """One visit of a list page, feed or sitemap.

    Attributes:
        job: its name.
        at: when, epoch seconds.
        fetched: pages fetched and answered.
        new_items: links that were not there before.
        changed: how many of the pages had gained something.
        failed: how many gave no answer.
        page: key of the page that was visited, 0 where an earlier version wrote the round.
    """

    job: str
    at: float
    fetched: int = 1
    new_items: int = 0
    changed: int = 0
    failed: int = 0
    page: int = 0


class Rounds(Protocol):
    """Keeps what visits of entry pages gained."""

    def write(self, record: RoundRecord) -> None:
        """Keeps a round; must not take longer than a file's write."""

    def rounds(self, since: float = 0.0) -> Iterator[RoundRecord]:
        """The rounds since a time in epoch seconds."""

    def remove_old(self, before: float) -> None:
        """Removes what is older than a time in epoch seconds."""

    def close(self) -> None:
        """Writes what is left, and lets go of what is open."""


class FolderRounds(Rounds):
    """Compact, rotated JSON Lines in a folder, a file for each process.

    A line cut short by a crash, or of a newer version, is left out.

    Args:
        folder: made where it is missing.
        worker: name of the process that writes, part of the file names.
        megabytes: size at which another file is begun, which an editor still opens.
    """

    def __init__(self, folder: Path, worker: str = "", megabytes: int = 32) -> None:
        self._folder, self._worker, self._limit = folder, worker, megabytes * 1024 * 1024
        self._out: IO[str] | None = None
        self._written = self._number = 0

    def write(self, record: RoundRecord) -> None:
        """Appends a round; the line is with the system when this returns."""
        line = json.dumps([VERSION, record.job, round(record.at, 2), *record[2:]], separators=(",", ":")) + "\n"
        if self._out is None or self._written + len(line) > self._limit:
            self._rotate(record.at)
        assert self._out is not None
        self._out.write(line)
        self._out.flush()
        self._written += len(line)

    def close(self) -> None:
        """Closes the file."""
        if self._out is not None:
            self._out.close()
            self._out = None

    def remove_old(self, before: float) -> None:
        """Removes files last written before a time."""
        for path in self._folder.glob(f"*{_SUFFIX}"):
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)

    def rounds(self, since: float = 0.0) -> Iterator[RoundRecord]:
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            with path.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    record = _record(line)
                    if record is not None and record.at >= since:
                        yield record

    def _rotate(self, at: float) -> None:
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._number += 1
        path = self._folder / f"rounds-{int(at)}-{self._worker}-{self._number}{_SUFFIX}"
        self._out = path.open("a", encoding="utf-8")
        self._written = path.stat().st_size


def _record(line: str) -> RoundRecord | None:
    try:
        version, job, at, *counts = json.loads(line)
        if version != VERSION or not isinstance(job, str):
            return None
        return RoundRecord(job, float(at), *(int(count) for count in counts))
    except (ValueError, TypeError):
        return None
