"""What pages and what was learned have in Redis beside the page states: versioned JSON, a field per job or site."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar

import redis.asyncio
from redis.exceptions import RedisError

from articlebot.connect import RedisStore
from articlebot.errors import StateError, StoreUnavailable
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.signals import FADE, FADE_ALL, Heard, Record, Signals, Worth

# Where the counts of all sites lie: no site has this name.
_ALL = "*"
_CHUNK = 500


class RedisLearned(RedisStore):
    """What was learned beside the page states."""

    part = "recrawl"

    async def read(self, part: str, name: str) -> dict[str, Any] | None:
        """What was written under a part (``profile``, ``trust``, ``budget``) and name; None where nothing was.

        Raises:
            StateError: what is there is not JSON.
            StoreUnavailable: Redis cannot be reached.
        """
        (kept,) = await self.read_many(part, [name])
        if isinstance(kept, StateError):
            raise kept
        return kept

    async def read_many(self, part: str, names: Sequence[str]) -> list[dict[str, Any] | StateError | None]:
        """What was written under a part and each of these names, as ``read`` has it: 500 names a question.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        found: list[dict[str, Any] | StateError | None] = []
        for start in range(0, len(names), _CHUNK):
            some = list(names[start : start + _CHUNK])
            try:
                packed = await self._redis.hmget(f"{self._prefix}:{part}", some)
            except RedisError as error:
                raise StoreUnavailable(f"{part} of {some[0]}: {error}") from error
            found += (_unpacked(part, *pair) for pair in zip(some, packed, strict=True))
        return found

    async def write(self, part: str, values: dict[str, dict[str, Any]]) -> None:
        """Writes values by name in one command.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        if not values:
            return
        packed: Any = {name: json.dumps(value, separators=(",", ":")) for name, value in values.items()}
        try:
            await self._redis.hset(f"{self._prefix}:{part}", mapping=packed)
        except RedisError as error:
            raise StoreUnavailable(f"{part}: {error}") from error

    async def fold(self, part: str, name: str, change: Callable[[dict[str, Any] | None], dict[str, Any]]) -> None:
        """Replaces a value by what ``change`` makes of it, whoever else writes; what is no JSON object counts as empty.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        key = f"{self._prefix}:{part}"

        async def replace(pipe: redis.asyncio.client.Pipeline) -> None:
            found = await pipe.hget(key, name)
            try:
                kept = json.loads(found) if found is not None else None
            except ValueError:
                kept = {}
            made = json.dumps(change(kept), separators=(",", ":"))
            pipe.multi()  # type: ignore[no-untyped-call]
            pipe.hset(key, name, made)

        try:
            await self._redis.transaction(replace, key)
        except RedisError as error:
            raise StoreUnavailable(f"{part} of {name}: {error}") from error


def _unpacked(part: str, name: str, packed: bytes | None) -> dict[str, Any] | StateError | None:
    try:
        kept = json.loads(packed) if packed is not None else None
    except ValueError as error:
        return StateError(f"{part} of {name} is damaged: {error}")
    return kept if kept is None or isinstance(kept, dict) else StateError(f"{part} of {name} is damaged")


class _Kept(Protocol):
    """What ``Shared`` keeps; made without arguments, it knows nothing yet."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self: ...

    def to_json(self) -> dict[str, Any]: ...


_K = TypeVar("_K", bound=_Kept)


class Shared(Generic[_K]):
    """What all workers learn together, by name.

    Args:
        learned: where it is kept.
        part: under which, as for ``RedisLearned.read``.
        form: what is kept under a name.
        refused: called where that is damaged, or newer; it is learned anew.

    Attributes:
        known: by name, what this worker goes by until the next ``save``; None where nothing is kept.
    """

    def __init__(self, learned: RedisLearned, part: str, form: type[_K], refused: Callable[[], None]) -> None:
        self._learned, self._part, self._form, self._refused = learned, part, form, refused
        self.known: dict[str, _K | None] = {}
        self._changes: dict[str, list[Callable[[_K], _K]]] = {}

    async def of(self, name: str) -> _K | None:
        """What is known; what other workers have learned is there after their next ``save``.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        if name not in self.known:
            try:
                kept: Any = await self._learned.read(self._part, name)
            except StateError:
                kept = {}
            self.known.setdefault(name, self._read(kept))
        return self.known[name]

    def note(self, name: str, change: Callable[[_K], _K]) -> None:
        """Has a change made to what all workers have at the next ``save``."""
        self._changes.setdefault(name, []).append(change)

    async def save(self) -> None:
        """Adds what was learned to what all workers have, and forgets what they may have changed meanwhile.

        Raises:
            StoreUnavailable: Redis cannot be reached; what was learned is kept for the next time.
        """
        while self._changes:
            name, changes = self._changes.popitem()
            try:
                await self._learned.fold(self._part, name, partial(self._with, changes))
            except StoreUnavailable:
                self._changes[name] = changes + self._changes.get(name, [])
                raise
        self.known.clear()

    def _with(self, changes: Sequence[Callable[[_K], _K]], kept: Any) -> dict[str, Any]:
        value = self._read(kept) or self._form()
        for change in changes:
            value = change(value)
        return value.to_json()

    def _read(self, kept: Any) -> _K | None:
        try:
            return None if kept is None else self._form.from_json(kept)
        except StateError:
            self._refused()
            return self._form()


class SharedSignals:
    """The worth of each site's signals; arguments as of ``Shared``. Methods raise ``StoreUnavailable``."""

    def __init__(self, learned: RedisLearned, refused: Callable[[], None]) -> None:
        self._records = Shared(learned, "signals", Record, refused)
        self._signals = Signals()

    async def worth(self, site: str, kind: Kind) -> tuple[Worth, ...] | None:
        """As ``Signals.worth``; what other workers have learned is there after their next ``save``."""
        await self._open(site)
        return self._signals.worth(site, kind)

    async def note(self, site: str, heard: Heard) -> None:
        """Learns from a visit."""
        await self._open(site)
        if heard.signals or site in self._signals.sites:
            self._signals.note(site, heard)
            for name, fade in ((site, FADE), (_ALL, FADE_ALL)):
                self._records.note(name, partial(Record.note, heard=heard, fade=fade))

    async def save(self) -> None:
        """As ``Shared.save``."""
        await self._records.save()
        self._signals = Signals()

    async def _open(self, site: str) -> None:
        for name in (_ALL, site):
            if name not in self._records.known and (record := await self._records.of(name)) is not None:
                self._signals.take(None if name == _ALL else name, record)
