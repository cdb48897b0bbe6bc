"""The dictionaries of the jobs: names that stay whole words."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from articlebot.jobs import Job
from articlebot.text import Names


def names_of(job: Job | None) -> Names | None:
    """The names of a job's dictionary; None where it has none.

    Raises:
        ConfigError: the file cannot be read.
    """
    if job is None or job.dictionary is None:
        return None
    path = Path(job.dictionary)
    return _load(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=256)
def _load(path: Path, written: int) -> Names:
    return Names.load(path)
