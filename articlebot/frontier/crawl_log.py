"""The crawl log: one compact JSON line per download, written by a thread so that the crawl never waits for a disk."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

_FLUSH_S = 0.5


@dataclass(frozen=True, slots=True)
class Download:
    """One download. Times are Redis' clock, so that rows of several workers can be compared.

    Args:
        start: epoch seconds at which the downloader took the request.
        end: when it was done.
        host: the slot's host.
        slot: number of the slot, 0 for a fetch without a lease.
        parent: hash of the parent page, 0 for none.
        url: of the request.
        status: of the answer, 0 for none.
        size: bytes of the answer's body.
        worker: who fetched.
        job: name of its job, "" for none.
        kind: of the page as the job sees it; "robots" for robots.txt, "other" for fetches without a lease.
        least: the shortest delay in seconds that its slot allows.
    """

    start: float
    end: float
    host: str
    slot: int
    parent: int
    url: str
    status: int
    size: int
    worker: str
    job: str
    kind: str
    least: float

    def to_line(self) -> str:
        """The line, without its end."""
        row: dict[str, Any] = {
            "s": round(self.start, 4), "e": round(self.end, 4), "h": self.host, "n": self.slot,
            "p": format(self.parent, "016x") if self.parent else None, "u": self.url, "c": self.status,
            "b": self.size, "w": self.worker, "j": self.job, "k": self.kind, "d": round(self.least, 4),
        }  # fmt: skip
        kept = {name: value for name, value in row.items() if value not in (None, "")}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> Download:
        """The row of a line.

        Raises:
            ValueError: not a line of a crawl log.
        """
        row = json.loads(line)
        try:
            return cls(
                float(row["s"]), float(row["e"]), row["h"], int(row.get("n", 0)), int(row.get("p", "0"), 16),
                row.get("u", ""), int(row.get("c", 0)), int(row.get("b", 0)), row.get("w", ""), row.get("j", ""),
                row.get("k", ""), float(row.get("d", 0)),
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a row of a crawl log: {error!r}") from None


def read_log(paths: Iterable[Path]) -> Iterator[Download]:
    """The rows of crawl log files; a folder stands for all in it. A line cut short by a crash is passed over."""
    for path in paths:
        for file in sorted(path.glob("crawl-*.jsonl")) if path.is_dir() else [path]:
            with file.open(encoding="utf-8") as lines:
                for line in lines:
                    try:
                        yield Download.from_line(line)
                    except ValueError:
                        if line.endswith("\n"):
                            raise


class CrawlLogWriter:
    """Appends lines to files of one worker, a new one each day (UTC) and at each ``size`` bytes.

    Args:
        folder: where the files are; made when missing.
        worker: part of their names.
        size: bytes after which another file is begun.
    """

    def __init__(self, folder: Path, worker: str, size: int) -> None:
        self._folder, self._worker, self._size = folder, worker, size
        self._lines: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
        self._file: IO[str] | None = None
        self._day = ""
        self._number = self._written = 0
        self.failed = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._thread = threading.Thread(target=self._run, name="crawl-log", daemon=True)
        self._thread.start()

    def write(self, download: Download) -> None:
        """Hands a row to the thread."""
        self._lines.put((download.start, download.to_line()))

    def close(self) -> None:
        """Writes what is left."""
        self._lines.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                entry = self._lines.get(timeout=_FLUSH_S)
            except queue.Empty:
                self._flush()
                continue
            if entry is None:
                break
            try:
                self._written += self._open_for(entry[0]).write(entry[1] + "\n")
            except OSError:
                self.failed += 1  # a full disk must not end the crawl; the extension counts it
        self._flush()
        if self._file is not None:
            self._file.close()

    def _flush(self) -> None:
        try:
            if self._file is not None:
                self._file.flush()
        except OSError:
            self.failed += 1

    def _open_for(self, at: float) -> IO[str]:
        day = datetime.fromtimestamp(at, UTC).strftime("%Y%m%d")
        if self._file is not None and day == self._day and self._written < self._size:
            return self._file
        if self._file is not None:
            self._file.close()
        self._number = self._number + 1 if day == self._day else 0
        self._day = day
        name = f"crawl-{day}-{self._worker}-{self._number}.jsonl"
        self._file = (self._folder / name).open("a", encoding="utf-8")
        self._written = 0
        return self._file


def remove_old(folder: Path, before: float) -> int:
    """Removes log files last written before an epoch time; returns how many."""
    removed = 0
    for file in folder.glob("crawl-*.jsonl"):
        if file.stat().st_mtime < before:
            file.unlink(missing_ok=True)
            removed += 1
    return removed
