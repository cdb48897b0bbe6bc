"""A worker's client of Redis: the commands of redis-py that the frontier uses, over a network that the driver owns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from redis._parsers import BaseParser
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from articlebot_lab.simulation.servers import Refusal


class Wire:
    """Stands where a worker's ``redis.asyncio.Redis`` does.

    Args:
        send: puts a call on the network.
        timeout: seconds after which a call is given up.
    """

    def __init__(self, send: Callable[[list[list[bytes]], asyncio.Future[list[Any]]], None], timeout: float) -> None:
        self._send, self._timeout = send, timeout

    async def ask(self, commands: list[list[Any]]) -> list[Any]:
        """The replies, refusals among them as exceptions.

        Raises:
            redis.ConnectionError, redis.TimeoutError: as redis-py does.
        """
        answer: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._send([[_encode(word) for word in command] for command in commands], answer)
        try:
            async with asyncio.timeout(self._timeout):
                replies = await answer
        except TimeoutError:
            raise RedisTimeoutError("Timeout reading from the network") from None
        return [_refusal(reply) if isinstance(reply, Refusal) else reply for reply in replies]

    async def _one(self, *words: Any) -> Any:
        reply = (await self.ask([list(words)]))[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def pipeline(self, transaction: bool = True) -> Pipeline:
        """Commands that are sent together."""
        return Pipeline(self)

    async def script_load(self, text: str) -> Any:
        return await self._one("SCRIPT", "LOAD", text)

    async def hgetall(self, key: str) -> dict[bytes, bytes]:
        flat = await self._one("HGETALL", key)
        return dict(zip(flat[::2], flat[1::2], strict=True))

    async def hset(self, key: str, mapping: dict[str, Any]) -> Any:
        return await self._one("HSET", key, *[word for pair in mapping.items() for word in pair])

    def __getattr__(self, name: str) -> Any:
        """The other commands, whose answers are taken as they come."""
        return partial(self._one, name.upper())


class Pipeline:
    """Commands that are sent together, by the names of redis-py."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._commands: list[list[Any]] = []

    async def __aenter__(self) -> Pipeline:
        return self

    async def __aexit__(self, *error: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        name = "DEL" if name == "delete" else name.upper()
        return lambda *words: self._commands.append([name, *words])

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        if not self._commands:
            return []
        replies = await self._wire.ask(self._commands)
        for reply in replies:
            if raise_on_error and isinstance(reply, Exception):
                raise reply
        return [
            float(reply) if command[0] == "ZSCORE" and isinstance(reply, bytes) else reply
            for command, reply in zip(self._commands, replies, strict=True)
        ]


def cut_off() -> RedisConnectionError:
    """What a worker meets whose connection is gone."""
    return RedisConnectionError("Connection closed by server.")


def _refusal(text: str) -> Exception:
    error: Exception = BaseParser.parse_error(str(text))  # type: ignore[no-untyped-call]
    return error


def _encode(word: Any) -> bytes:
    return word if isinstance(word, bytes) else (repr(word) if isinstance(word, float) else str(word)).encode()
