"""Site profiles, validator trust and budgets in Redis: versioned JSON, a field per job or site."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

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
