"""The crawl log: one compact JSON line per download, written by a thread so that the crawl never waits for a disk."""

from __future__ import annotations

import json
import os
import queue
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_FLUSH_S, _FLUSH_LINES = 0.5, 500
# Of a log, to show what failed last: forty thousand rows, a quarter of a second.
_TAIL_BYTES = 8 << 20
_STATUS = re.compile(rb',"c":(\d{1,4}),"b"')


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
    """The rows of crawl log files; a folder stands for all in it.

    Lines that a crash or a full disk cut short are passed over.

    Raises:
        ValueError: a file with lines of which none is a row.
    """
    for path in paths:
        for file in sorted(path.glob("crawl-*.jsonl")) if path.is_dir() else [path]:
            with file.open(encoding="utf-8", errors="replace") as lines:
                rows, fault = 0, None
                for line in lines:
                    try:
                        row = Download.from_line(line)
                    except ValueError as error:
                        fault = error if line.endswith("\n") else fault
                        continue
                    rows += 1
                    yield row
            if fault is not None and not rows:
                raise ValueError(f"{file}: {fault}")


def failed_since(folder: Path, since: float, most: int) -> list[Download]:
    """The newest downloads in a folder's logs without an answer, or with one of 400 and more, newest first.

    Of each file no more than the last ``_TAIL_BYTES`` are read.
    """
    found: list[Download] = []
    for file in folder.glob("crawl-*.jsonl"):
        with suppress(OSError):  # removed meanwhile
            if file.stat().st_mtime >= since:
                found += (row for row in _tail(file) if row.start >= since and (not row.status or row.status >= 400))
    return sorted(found, key=lambda row: -row.start)[:most]


def _tail(file: Path) -> Iterator[Download]:
    with file.open("rb") as lines:
        lines.seek(max(0, file.stat().st_size - _TAIL_BYTES))
        for line in lines:
            if (match := _STATUS.search(line)) is None or not 0 < int(match[1]) < 400:
                with suppress(ValueError):  # cut short, here or by a crash
                    yield Download.from_line(line.decode("utf-8", "surrogatepass"))


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
        self._waiting: list[bytes] = []
        self._file: int | None = None
        self._day = ""
        self._number = self._written = 0
        self._torn = False
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
            day = datetime.fromtimestamp(entry[0], UTC).strftime("%Y%m%d")
            if day != self._day or self._written >= self._size:
                self._next_file(day)
            line = (entry[1] + "\n").encode("utf-8", "surrogatepass")
            self._waiting.append(line)
            self._written += len(line)
            if len(self._waiting) >= _FLUSH_LINES:
                self._flush()
        self._flush()
        self._close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        lines, self._waiting = self._waiting, []
        # A full disk must not end the crawl; what it takes of a line is ended, and the extension counts the loss.
        data = (b"\n" if self._torn else b"") + b"".join(lines)
        try:
            if self._file is None:
                self._file = os.open(self._path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            done = os.write(self._file, data)
        except OSError:
            self.failed += len(lines)
            return
        self._torn = done < len(data) and data[done - 1 : done] != b"\n"
        self.failed += data[done:].count(b"\n")

    def _next_file(self, day: str) -> None:
        self._flush()
        self._close()
        self._number = self._number + 1 if day == self._day else 0
        self._day, self._written, self._torn = day, 0, False

    def _close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None

    def _path(self) -> Path:
        return self._folder / f"crawl-{self._day}-{self._worker}-{self._number}.jsonl"


def remove_old(folder: Path, before: float) -> int:
    """Removes log files last written before an epoch time; returns how many."""
    removed = 0
    for file in folder.glob("crawl-*.jsonl"):
        if file.stat().st_mtime < before:
            file.unlink(missing_ok=True)
            removed += 1
    return removed
