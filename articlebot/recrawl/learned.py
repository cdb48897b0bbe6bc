"""Site profiles, validator trust and budgets in Redis: versioned JSON, a field per job or site."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar

import redis.asyncio
from redis.exceptions import RedisError

from articlebot.connect import RedisStore
from articlebot.errors import StateError, StoreUnavailable


class RedisLearned(RedisStore):
    """What was learned beside the page states."""

    part = "recrawl"

    async def read(self, part: str, name: str) -> dict[str, Any] | None:
        """What was written under a part (``profile``, ``trust``, ``budget``) and name; None where nothing was.

        Raises:
            StateError: what is there is not JSON.
            StoreUnavailable: Redis cannot be reached.
        """
        try:
            found = await self._redis.hget(f"{self._prefix}:{part}", name)
        except RedisError as error:
            raise StoreUnavailable(f"{part} of {name}: {error}") from error
        if found is None:
            return None
        try:
            kept = json.loads(found)
        except ValueError as error:
            raise StateError(f"{part} of {name} is damaged: {error}") from None
        if not isinstance(kept, dict):
            raise StateError(f"{part} of {name} is damaged")
        return kept

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
