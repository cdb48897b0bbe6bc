"""Learned windows and base intervals in a file: written by `scrapy jobs intervals`, read at the start of a crawl."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from articlebot import files
from articlebot.errors import StateError
from articlebot.jobs.hours import Window, next_opening
from articlebot.jobs.model import Job

VERSION = 1
FILE_NAME = "learned-jobs.json"
# One visit in ten outside a learned window is made all the same, so that a site that changes its hours is noticed.
PROBE_SHARE = 0.1
# A page that is no probe is asked about again after this, seconds, or when the learned window opens.
_ASK_AGAIN = 600.0


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of one job; None and empty where nothing was.

    Attributes:
        interval: base interval, seconds.
        interval_at: when it was learned: later rounds are judged by it.
        stated: what the job itself stated at that time, 0 for nothing, None where unknown: what it states anew wins.
    """

    windows: tuple[Window, ...] = ()
    confidence: float = 1.0
    interval: float | None = None
    interval_at: float = 0.0
    stated: float | None = None

    def interval_of(self, job: Job) -> float | None:
        """The job's base interval in seconds: learned, else stated; None where it is neither."""
        if self.interval is None or self.stated not in (None, job.interval or 0.0):
            return job.interval
        return self.interval

    def closed_for(self, job: Job, now: float, rng: random.Random) -> float:
        """Seconds for which the list pages of a job wait; 0 where they may be visited.

        Outside its own windows they wait until one opens; outside the learned ones some are visited as probes.
        """
        if closed := job.closed_for(now):
            return closed
        at = datetime.fromtimestamp(now, job.zone)
        if not self.windows or any(window.opens(at) for window in self.windows) or rng.random() < PROBE_SHARE:
            return 0.0
        return min(_ASK_AGAIN, next_opening(self.windows, job.zone, now) - now)


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
            return cls.from_json(json.loads(path.read_text("utf-8")), str(path))
        except FileNotFoundError:
            return cls()
        except ValueError as error:
            raise StateError(f"{path} is damaged: {error}") from None

    @classmethod
    def from_json(cls, raw: Any, where: str) -> LearnedJobs:
        """What ``to_json`` gave.

        Raises:
            StateError: it is damaged or of another version; says where it was.
        """
        try:
            if raw["version"] != VERSION:
                raise StateError(f"{where}: version {raw['version']!r}; this articlebot reads {VERSION}")
            return cls({name: _read(kept) for name, kept in raw["jobs"].items()})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"{where} is damaged: {error}") from None

    def save(self, folder: Path) -> Path:
        """Writes the file in one step; a crash leaves the old one."""
        path = folder / FILE_NAME
        files.replace(path, json.dumps(self.to_json(), indent=1))
        return path

    def to_json(self) -> dict[str, Any]:
        """As JSON, versioned."""
        jobs: dict[str, Any] = {
            name: {
                "windows": [window.model_dump(mode="json") for window in known.windows],
                "confidence": known.confidence, "interval": known.interval, "interval_at": known.interval_at,
                "stated": known.stated,
            }
            for name, known in sorted(self.jobs.items())
        }  # fmt: skip
        return {"version": VERSION, "jobs": jobs}


def _read(kept: dict[str, Any]) -> Learned:
    interval, stated = kept["interval"], kept.get("stated")
    return Learned(
        tuple(Window.model_validate(window) for window in kept["windows"]), float(kept["confidence"]),
        None if interval is None else float(interval), float(kept["interval_at"]),
        None if stated is None else float(stated),
    )  # fmt: skip
