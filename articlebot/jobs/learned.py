"""Learned windows and base intervals in a file: written by `scrapy discover`, read at the start of a crawl."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from articlebot import files
from articlebot.errors import StateError
from articlebot.jobs.model import Job, Window

VERSION = 1
FILE_NAME = "learned-jobs.json"
# One visit in ten outside a learned window is made all the same, so that a site that changes its hours is noticed.
PROBE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of one job; None and empty where nothing was.

    Attributes:
        interval: base interval, seconds.
        interval_at: when it was learned: later rounds are judged by it.
    """

    windows: tuple[Window, ...] = ()
    confidence: float = 1.0
    interval: float | None = None
    interval_at: float = 0.0

    def opens(self, job: Job, now: float, rng: random.Random) -> bool:
        """Whether a job may be visited: inside its own windows always judged first, outside learned ones as a probe."""
        if not job.opens(now):
            return False
        if not self.windows:
            return True
        at = datetime.fromtimestamp(now, ZoneInfo(job.timezone))
        return any(window.opens(at) for window in self.windows) or rng.random() < PROBE_SHARE


@dataclass(slots=True)
class LearnedJobs:
    """What was learned of all jobs, by name."""

    jobs: dict[str, Learned] = field(default_factory=dict)

    def get(self, name: str) -> Learned:
        """What was learned of a job."""
        return self.jobs.get(name, Learned())

    @classmethod
    def load(cls, folder: Path) -> LearnedJobs:
        """What is in the data folder; nothing where no file is.

        Raises:
            StateError: the file is damaged or of another version.
        """
        path = folder / FILE_NAME
        try:
            raw = json.loads(path.read_text("utf-8"))
            if raw["version"] != VERSION:
                raise StateError(f"{path}: version {raw['version']!r}; this articlebot reads {VERSION}")
            return cls({name: _read(kept) for name, kept in raw["jobs"].items()})
        except FileNotFoundError:
            return cls()
        except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
            raise StateError(f"{path} is damaged: {error}") from None

    def save(self, folder: Path) -> Path:
        """Writes the file in one step; a crash leaves the old one."""
        path = folder / FILE_NAME
        jobs: dict[str, Any] = {
            name: {
                "windows": [window.model_dump(mode="json") for window in known.windows],
                "confidence": known.confidence, "interval": known.interval, "interval_at": known.interval_at,
            }
            for name, known in sorted(self.jobs.items())
        }  # fmt: skip
        files.replace(path, json.dumps({"version": VERSION, "jobs": jobs}, indent=1))
        return path


def _read(kept: dict[str, Any]) -> Learned:
    interval = kept["interval"]
    return Learned(
        tuple(Window.model_validate(window) for window in kept["windows"]), float(kept["confidence"]),
        None if interval is None else float(interval), float(kept["interval_at"]),
    )  # fmt: skip
