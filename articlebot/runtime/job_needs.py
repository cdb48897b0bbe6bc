"""What a job names outside of its file: sinks of the settings, a topic file, a dictionary."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from articlebot.errors import ConfigError
from articlebot.jobs import Job
from articlebot.relevance import load_topic
from articlebot.text import Names


def lacking(job: Job, sinks: Collection[str]) -> tuple[str, str] | None:
    """The key of a job whose sink is not configured or whose file cannot be read, and why; None where all is there.

    Args:
        job: of a job file.
        sinks: the names of those that are configured.
    """
    for name in job.sinks:
        if name not in sinks:
            there = ", ".join(sinks) or "none"
            return "sinks", f"no sink {name!r} is configured (ARTICLEBOT_PUBLISHING_SINKS); there are: {there}"
    try:
        if job.topic:
            load_topic(Path(job.topic))
    except ConfigError as error:
        return "topic", str(error)
    try:
        names_of(job)
    except ConfigError as error:
        return "dictionary", str(error)
    return None


def names_of(job: Job | None) -> Names | None:
    """The names of a job's dictionary, which stay whole words; None where it has none.

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
