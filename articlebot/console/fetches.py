"""The last hour's fetches by minute, followed in the crawl log while it grows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from articlebot.frontier.crawl_log import Download

WINDOW_S = 3600
# What of a file is read when it is first seen: beyond that the hour begins later.
_FIRST = 16 * 1024 * 1024


class Fetches:
    """Counts of downloads by minute and outcome: ``answered``, ``not_modified`` or ``failed``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read_to: dict[Path, int] = {}
        self._minutes: dict[int, Counter[str]] = {}

    def by_minute(self, now: float) -> list[Counter[str]]:
        """Sixty counts, the minute before the running one last; reads what was written since the last call."""
        for file in self._folder.glob("crawl-*.jsonl"):
            try:
                if file in self._read_to or file.stat().st_mtime >= now - WINDOW_S:
                    self._follow(file)
            except FileNotFoundError:
                self._read_to.pop(file, None)
        running = int(now // 60)
        self._minutes = {minute: counts for minute, counts in self._minutes.items() if minute >= running - 60}
        return [self._minutes.get(minute, Counter()) for minute in range(running - 60, running)]

    def _follow(self, file: Path) -> None:
        size = file.stat().st_size
        begin = self._read_to.get(file, max(0, size - _FIRST))
        if size <= begin:
            return
        with file.open("rb") as lines:
            lines.seek(begin)
            data = lines.read(size - begin)
        end = data.rfind(b"\n") + 1
        self._read_to[file] = begin + end
        for line in data[:end].split(b"\n"):
            try:
                row = Download.from_line(line.decode())
            except ValueError:
                continue  # the first one may be cut
            self._minutes.setdefault(int(row.end // 60), Counter())[_outcome(row.status)] += 1


def _outcome(status: int) -> str:
    if status == 304:
        return "not_modified"
    return "failed" if status == 0 or status >= 400 else "answered"
