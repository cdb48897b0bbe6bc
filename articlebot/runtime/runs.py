"""What the crawls that run on a data folder have counted so far: a small file for each, for those who look on."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from articlebot import files

Counts = dict[str, int | float | str]
# A crawl that has written nothing for so long has died or is stopped.
STALE_S = 60.0
_OLD_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl: its worker's name, when it began, when it wrote this, and Scrapy's stats then."""

    worker: str
    spider: str
    started_at: float
    at: float
    stats: Counts


def total(counts: Counts, prefix: str) -> int:
    """The sum of all counts below a prefix; what is no number there is left out."""
    return sum(int(n) for name, n in counts.items() if name.startswith(prefix) and isinstance(n, int | float))


def note(data_dir: Path, run: Run) -> None:
    """Replaces the file of a run.

    Raises:
        OSError: the folder cannot be written to.
    """
    files.replace(_path(data_dir, run.worker), json.dumps(asdict(run), ensure_ascii=False))


def forget(data_dir: Path, worker: str, now: float) -> None:
    """Removes the file of a run that has ended, and those of the dead."""
    _path(data_dir, worker).unlink(missing_ok=True)
    for path in _path(data_dir, worker).parent.glob("*"):
        with suppress(OSError):
            if path.stat().st_mtime < now - _OLD_S:
                path.unlink()


def running(data_dir: Path, now: float) -> list[Run]:
    """The runs that are alive, the oldest first; what cannot be read is left out."""
    found = []
    for path in (data_dir / "running").glob("*.json"):
        with suppress(OSError, ValueError, TypeError):
            run = Run(**json.loads(path.read_text("utf-8")))
            if run.at > now - STALE_S:
                found.append(run)
    return sorted(found, key=lambda run: (run.started_at, run.worker))


def _path(data_dir: Path, worker: str) -> Path:
    return data_dir / "running" / f"{worker}.json"
