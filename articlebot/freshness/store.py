"""What is known of each job's freshness, in Redis, so that of all workers one tells."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

import redis.asyncio

from articlebot.errors import StateError
from articlebot.freshness.objective import Measured

# How long a worker has for sending; after that another one sends the same message under the same name.
_GIVEN_S = 60.0


@dataclass(frozen=True, slots=True)
class Objective:
    """A job's objective and how it stands.

    Args:
        job: its name.
        at: when it was last looked at, epoch seconds.
        objective_s: what 95% of the articles have to keep.
        p95_s: what they kept; None without articles.
        articles: how many were measured.
        breached: whether it is missed.
        since: since when that is so.
    """

    job: str
    at: float
    objective_s: float
    p95_s: float | None
    articles: int
    breached: bool
    since: float


@dataclass(frozen=True, slots=True)
class Due:
    """A message to send; ``turn`` is its number, so that a repetition is known as one."""

    objective: Objective
    kind: Literal["breached", "recovered"]
    turn: int


class RedisFreshness:
    """One hash, a field a job. All methods raise redis' own errors while it is away.

    Args:
        client: its replies are bytes.
        prefix: first part of the key.
    """

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}") -> None:
        self._redis: Any = client
        self._key = f"{prefix}:freshness"
        folder = files("articlebot.freshness") / "lua"
        self._note, self._sent = (
            client.register_script(folder.joinpath(name).read_text("utf-8")) for name in ("note.lua", "sent.lua")
        )

    async def note(
        self, job: str, measured: Measured, objective_s: float, breached: bool | None, now: float
    ) -> Due | None:
        """Keeps what was measured; a message where this worker is the one to send it.

        Args:
            job: its name.
            measured: of the job.
            objective_s: of the job.
            breached: None leaves it as it was.
            now: epoch seconds.
        """
        found = {
            "objective_s": objective_s,
            "p95_s": measured.p95_s,
            "articles": measured.articles,
            "breached": breached,
        }
        reply = await self._note(keys=[self._key], args=[job, now, json.dumps(found), _GIVEN_S])
        if not reply:
            return None
        record = json.loads(reply)
        return Due(_objective(job, record), record["pending"], int(record["turn"]))

    async def sent(self, due: Due) -> None:
        """The message has been taken."""
        await self._sent(keys=[self._key], args=[due.objective.job, due.turn])

    async def forget(self, jobs: Iterable[str]) -> None:
        """Drops jobs that have no objective any more."""
        if names := list(jobs):
            await self._redis.hdel(self._key, *names)

    async def all(self) -> list[Objective]:
        """Every job's standing, by name.

        Raises:
            StateError: one cannot be read.
        """
        rows = await self._redis.hgetall(self._key)
        try:
            return [_objective(job.decode(), json.loads(rows[job])) for job in sorted(rows)]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"{self._key} cannot be read: {type(error).__name__}; delete the key") from None


def _objective(job: str, record: dict[str, Any]) -> Objective:
    p95_s = record.get("p95_s")
    return Objective(
        job, float(record["at"]), float(record["objective_s"]), None if p95_s is None else float(p95_s),
        int(record["articles"]), bool(record["breached"]), float(record["since"]),
    )  # fmt: skip
