"""What is open, in Redis, so that of all workers one tells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import redis.asyncio

from articlebot.connect import RedisStore
from articlebot.errors import StateError
from articlebot.files import shipped

Kind = Literal["freshness", "drift", "walls", "ailing", "dead_letters", "quiet", "quarantine", "breaker"]
OF_JOBS: tuple[Kind, ...] = ("freshness", "walls", "ailing", "quiet")
# How long a worker has for sending, more than both channels may take; after that another one sends the same message
# under the same name.
_GIVEN_S = 60.0
_TURN = b"#turn"


@dataclass(frozen=True, slots=True)
class Standing:
    """How something stands, as one worker sees it.

    Attributes:
        about: the name of the job, site, sink or host.
        holds: whether the alert is due; None leaves it as it was.
        data: what was seen, JSON-able; part of the message.
        keep: remember it while it is well too, for those who look.
    """

    kind: Kind
    about: str
    holds: bool | None
    data: Mapping[str, Any] = field(default_factory=dict)
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Alert:
    """What is known of one thing that is watched, from its last ``Standing``.

    Attributes:
        at: when it was last looked at, epoch seconds.
        open: whether it holds, ``since`` when (epoch seconds).
        pending: whether its message has not been taken yet.
    """

    kind: Kind
    about: str
    data: Mapping[str, Any]
    at: float
    open: bool
    since: float
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """A message to send; ``turn`` is its number, so that a repetition is known as one."""

    alert: Alert
    event: Literal["begun", "over"]
    turn: int


class RedisAlerts(RedisStore):
    """One hash, a field for each thing."""

    below = "alerts"

    def __init__(self, client: redis.asyncio.Redis, prefix: str) -> None:
        super().__init__(client, prefix)
        self._note, self._sent = (
            client.register_script(shipped("articlebot.alerts", f"lua/{name}.lua")) for name in ("note", "sent")
        )

    async def note(self, standing: Standing, now: float) -> Due | None:
        """Keeps how something stands; a message where this worker is the one to send it."""
        name = _field(standing.kind, standing.about)
        holds = {True: "1", False: "0", None: ""}[standing.holds]
        data = json.dumps(dict(standing.data), ensure_ascii=False)
        arguments: list[str | float] = [name, now, data, holds, _GIVEN_S, "1" if standing.keep else "0"]
        reply = await self._note(keys=[self._key], args=arguments)
        if not reply:
            return None
        record = json.loads(reply)
        return Due(_alert(name, record), record["pending"], int(record["turn"]))

    async def sent(self, due: Due) -> None:
        """The message has been taken."""
        await self._sent(keys=[self._key], args=[_field(due.alert.kind, due.alert.about), due.turn])

    async def forget(self, kind: Kind, names: Iterable[str]) -> None:
        """Drops what is watched no more."""
        if fields := [_field(kind, name) for name in names]:
            await self._redis.hdel(self._key, *fields)

    async def all(self) -> list[Alert]:
        """Everything that is open or kept, by kind and name.

        Raises:
            StateError: one cannot be read.
        """
        rows = await self._redis.hgetall(self._key)
        try:
            return [_alert(name.decode(), json.loads(rows[name])) for name in sorted(rows) if name != _TURN]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"{self._key} cannot be read: {type(error).__name__}; delete the key") from None

    async def is_turn(self, what: str, seconds: float) -> bool:
        """Whether this worker is to look at something that all of them together look at once in so many seconds."""
        return bool(await self._redis.set(f"{self._key}:looked:{what}", b"1", nx=True, px=max(1, int(seconds * 1000))))


def _field(kind: str, about: str) -> str:
    return f"{kind} {about}"


def _alert(name: str, record: dict[str, Any]) -> Alert:
    kind, _, about = name.partition(" ")
    data = json.loads(record["data"])
    if not isinstance(data, dict):
        raise TypeError("data is no object")
    at, since = float(record["at"]), float(record["since"])
    return Alert(cast("Kind", kind), about, data, at, bool(record["open"]), since, bool(record.get("pending")))
