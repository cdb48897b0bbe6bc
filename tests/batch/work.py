"""Functions over batches for the tests; a file says when a process is to die."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Numbers:
    """Numbers, and a file whose absence kills the process that has them, once."""

    numbers: tuple[int, ...]
    killed: str = ""


def squares(batch: Numbers) -> list[int]:
    """The square of each."""
    mark = Path(batch.killed) if batch.killed else None
    if mark is not None and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return [number * number for number in batch.numbers]


def deadly(batch: Numbers) -> list[int]:
    """Ends whatever process it runs in."""
    os.kill(os.getpid(), signal.SIGKILL)
    return []
