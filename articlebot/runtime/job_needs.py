"""What a job names outside of its file: sinks of the settings, a topic file, a dictionary."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from articlebot.errors import ConfigError
from articlebot.jobs import Job
from articlebot.relevance import load_topic
from articlebot.runtime.names import names_of


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
