"""Reading job files once, to the first fault."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from articlebot.jobs.files import JobFiles
from articlebot.jobs.model import Job


def load(paths: Sequence[Path]) -> list[Job]:
    """The enabled and disabled jobs of some files; a folder stands for all ``*.toml`` files below it.

    Raises:
        JobFileError: a file is missing or wrong, or a name stands twice; the first fault found.
    """
    return JobFiles(paths).read()
