"""The candidates in Redis: a max-priority queue, those on probation, and those decided; shared by all servers."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

import redis.asyncio

from articlebot.connect import RedisStore
from articlebot.errors import StateError
from articlebot.seeds.candidates import Candidate, Offer, State, load

MOST_SOURCES = 32
STATES: tuple[State, ...] = ("waiting", "probation", "promoted", "dropped")
_MOST_DROPPED = 50_000
_BATCH = 200
_MOST_TEXT = 200
# Each is looked at four times a day: eighty looks a day.
PROBATION_SIZE = 20
# A quarter, in which sites change hands and designs.
_DROPPED_S = 90 * 86_400.0


class RedisCandidates(RedisStore):
    """The candidates. ``offer`` inserts or increases a key, ``best`` is max, ``take`` extracts it.

    What is taken is leased: the candidate of a worker that dies comes again when its lease has ended.

    Args:
        most: candidates that wait at most; the least goes when a better one comes.
    """

    below = "seeds"

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}", *, most: int = 10_000) -> None:
        super().__init__(client, prefix)
        self._most = most

    async def offer(self, offers: Iterable[Offer], now: float, *, dropped_s: float = _DROPPED_S) -> tuple[int, int]:
        """Inserts candidates that are not known and raises those that wait; returns how many of each.

        One on probation or promoted stays as it is, and so does one that was dropped in the last ``dropped_s`` seconds.
        """
        rows = [(one.key, _fresh(one, now), one.source[:_MOST_TEXT], max(0.0, min(0.99, one.weight))) for one in offers]
        new = raised = 0
        for start in range(0, len(rows), _BATCH):
            flat = [part for row in rows[start : start + _BATCH] for part in row]
            reply = await self._run("offer", self._most, now - dropped_s, MOST_SOURCES, *flat)
            new, raised = new + int(reply[0]), raised + int(reply[1])
        return new, raised

    async def best(self, count: int = 1) -> list[tuple[Candidate, float]]:
        """The candidates of the highest priority with it; they stay."""
        return await self._ranked("queue", count)

    async def due(self, now: float, count: int) -> list[tuple[Candidate, float]]:
        """The candidates on probation whose next look is due; they stay."""
        found = await self._ranked("probation", -1)
        return [row for row in reversed(found) if row[1] <= now][:count]

    async def take(self, count: int, now: float, *, lease_s: float, room: int) -> tuple[list[Candidate], str]:
        """Leases candidates: those due on probation, then the best of the queue while probation has room.

        Returns:
            The candidates, and the token of their leases.
        """
        token = uuid.uuid4().hex
        rows = await self._run("take", now, lease_s, count, room, token)
        taken = []
        for row in rows:
            with suppress(StateError):
                taken.append(load(row or b""))
        return taken, token

    async def settle(self, candidate: Candidate, state: State, at: float, lease: str = "*") -> bool:
        """Writes what was decided; False where another worker has the candidate by now, or nobody knows it.

        Args:
            at: probation: when the next look is due; else when it was decided.
            lease: its token; without it the decision is a person's and goes before any lease.
        """
        place = "queue" if state == "waiting" else state
        reply = await self._run("settle", candidate.key, lease, place, at, candidate.dump(), _MOST_DROPPED)
        return bool(int(reply))

    async def get(self, key: str) -> tuple[Candidate, State] | None:
        """A candidate with its state, None where it is not known."""
        row = await self._redis.hget(f"{self._key}:records", key)
        if row is None:
            return None
        for state in STATES:
            if await self._redis.zscore(self._place(state), key) is not None:
                return load(row), state
        return None

    async def of_state(self, state: State, count: int = -1) -> list[tuple[Candidate, float]]:
        """The candidates of a state with their score, the highest first: priority, or epoch seconds."""
        return await self._ranked("queue" if state == "waiting" else state, count)

    async def counts(self) -> dict[State, int]:
        """How many candidates are in each state."""
        return {state: int(await self._redis.zcard(self._place(state))) for state in STATES}

    async def _ranked(self, place: str, count: int) -> list[tuple[Candidate, float]]:
        pairs = await self._redis.zrevrange(f"{self._key}:{place}", 0, count - 1 if count > 0 else -1, True)
        found = []
        for start in range(0, len(pairs), _BATCH):
            some: Sequence[tuple[bytes, float]] = pairs[start : start + _BATCH]
            rows = await self._redis.hmget(f"{self._key}:records", [key for key, _ in some])
            for (_, score), row in zip(some, rows, strict=True):
                with suppress(StateError):  # a damaged record hides no other
                    found.append((load(row or b""), float(score)))
        return found

    def _place(self, state: State) -> str:
        return f"{self._key}:{'queue' if state == 'waiting' else state}"

    async def _run(self, name: str, *arguments: Any) -> Any:
        return await self._redis.eval(_source(name), 1, self._key, *arguments)


@cache
def _source(name: str) -> str:
    return (files("articlebot.seeds") / "lua" / f"{name}.lua").read_text("utf-8")


def _fresh(offer: Offer, now: float) -> str:
    return Candidate(
        key=offer.key, url=offer.url, kind=offer.kind, found_on=offer.found_on, text=offer.text[:_MOST_TEXT],
        first_at=now,
    ).dump()  # fmt: skip
