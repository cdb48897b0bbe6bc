"""What is asked of several hash slots at the same moment goes out in one round trip for each master that has them.

A store that is cut into shards has a hash slot for each, and a process asks many of them at once. Each shard's client
is one of here: its commands wait for the others that the event loop has ready, and go with them. A shard that has moved
to another master, or whose master is away, fails alone.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Coroutine, Mapping
from functools import partial
from typing import Any, NamedTuple

import redis.asyncio
from redis.asyncio.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from articlebot.address import Address, Master, parse
from articlebot.connect import client, is_elsewhere, node_client

_PAUSE_S = 0.25

_Place = tuple[str, int]


class _Asked(NamedTuple):
    key: str
    words: tuple[Any, ...]
    options: Mapping[str, Any]
    answer: asyncio.Future[Any]


class Together:
    """Makes clients whose commands go together.

    Args:
        url: the address, of one server too.
        patience_s: as of ``connect.client``.
        options: of redis-py's connections; ``retry`` counts for one server only.

    Raises:
        ConfigError: not an address.
    """

    def __init__(self, url: str, *, patience_s: float = 0.0, **options: Any) -> None:
        self._url, self._options = url, options
        self._address: Address = parse(url)
        self._client_patience_s = patience_s
        # The client of one server repeats by itself.
        self.patience_s = patience_s if self._is_cluster else 0.0
        self._plain: dict[str, redis.asyncio.Redis] = {}
        # Where keys are, and the clients of those masters; a cluster's only, and as long as nothing there goes wrong.
        self._owners: dict[str, _Place] = {}
        self._nodes: dict[_Place, redis.asyncio.Redis] = {}
        self._waiting: list[_Asked] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def of(self, key: str) -> redis.asyncio.Redis:
        """A client for the slot of a key, or of a beginning of keys that has a tag; replies are bytes."""
        name = key if self._is_cluster else ""
        if name not in self._plain:
            self._plain[name] = client(self._url, key, patience_s=self._client_patience_s, **self._options)
        return _OneOfMany(self, key, self._plain[name])

    @property
    def _is_cluster(self) -> bool:
        return self._address.kind == "cluster"

    async def close(self) -> None:
        """Closes all connections."""
        for one in [*self._plain.values(), *self._nodes.values()]:
            await one.aclose()

    def ask(self, key: str, words: tuple[Any, ...], options: Mapping[str, Any]) -> asyncio.Future[Any]:
        """The answer of a command, as it will come."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        answer: asyncio.Future[Any] = loop.create_future()
        self._waiting.append(_Asked(key, words, options, answer))
        return answer

    async def ask_patiently(self, key: str, words: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """The answer of a command; repeated as long as the patience lasts.

        Raises:
            redis.RedisError: as of ``connect.client``.
        """
        deadline = time.monotonic() + self.patience_s
        while True:
            try:
                return await self.ask(key, words, options)
            except (RedisConnectionError, RedisTimeoutError):
                if time.monotonic() >= deadline:
                    raise
            await asyncio.sleep(_PAUSE_S)

    def _send(self) -> None:
        asked, self._waiting = self._waiting, []
        by_place: dict[_Place | None, list[_Asked]] = defaultdict(list)
        for one in asked:
            by_place[self._owners.get(one.key)].append(one)
        for place, some in by_place.items():
            self._begin(self._find(some) if place is None and self._is_cluster else self._deliver(place, some))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _find(self, asked: list[_Asked]) -> None:
        """Looks up whose the keys are, and sends what waited for that."""
        keys = list({one.key for one in asked})
        found = await asyncio.gather(
            *(asyncio.to_thread(Master(self._address, key).find) for key in keys), return_exceptions=True
        )
        by_place: dict[_Place, list[_Asked]] = defaultdict(list)
        for key, place in zip(keys, found, strict=True):
            of_key = [one for one in asked if one.key == key]
            if isinstance(place, BaseException):
                _fail(of_key, place)
                continue
            self._owners[key] = place
            if place not in self._nodes:
                self._nodes[place] = node_client(self._url, place, partial(self._still, place), **self._options)
            by_place[place] += of_key
        for place, some in by_place.items():
            self._begin(self._deliver(place, some))

    async def _deliver(self, place: _Place | None, asked: list[_Asked]) -> None:
        server = self._nodes.get(place) if place is not None else self._plain[""]
        if server is None:  # it went away since
            await self._find(asked)
            return
        pipeline = server.pipeline(transaction=False)
        for one in asked:
            pipeline.execute_command(*one.words, **one.options)
        try:
            replies = await pipeline.execute(raise_on_error=False)
        except (RedisError, OSError) as error:
            self._leave(place)
            _fail(asked, error)
            return
        except BaseException as error:
            _fail(asked, error)
            raise
        for one, reply in zip(asked, replies, strict=True):
            self._answer(one, reply)

    def _answer(self, one: _Asked, reply: Any) -> None:
        if one.answer.done():
            return  # nobody waits any more
        if not isinstance(reply, Exception):
            one.answer.set_result(reply)
        elif self._is_cluster and is_elsewhere(reply):
            self._owners.pop(one.key, None)
            one.answer.set_exception(RedisConnectionError(f"the master is another one now: {reply}"))
        else:
            one.answer.set_exception(reply)

    def _still(self, place: _Place) -> _Place:
        """Where the slots are that this master was known for."""
        # In a thread, while the others go on.
        key = next((key for key, other in list(self._owners.items()) if other == place), None)
        return place if key is None else Master(self._address, key).find()

    def _leave(self, place: _Place | None) -> None:
        """Forgets a master: what it had is looked up anew."""
        if place is not None and (node := self._nodes.pop(place, None)) is not None:
            self._owners = {key: other for key, other in self._owners.items() if other != place}
            self._begin(node.aclose())


def _fail(asked: list[_Asked], error: BaseException) -> None:
    for one in asked:
        if not one.answer.done():
            one.answer.set_exception(error)


class _OneOfMany(redis.asyncio.Redis):
    """The client of one slot."""

    def __init__(self, together: Together, key: str, plain: redis.asyncio.Redis) -> None:
        super().__init__(connection_pool=plain.connection_pool)
        self._together, self._key, self._own = together, key, plain

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        return await self._together.ask_patiently(self._key, args, options)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        """Commands in order; those of a transaction go by themselves."""
        if transaction:
            return self._own.pipeline(True, shard_hint)
        return _Some(self._together, self._key, self._own)

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await self._together.close()


class _Some(Pipeline):
    """Commands of one slot that go with those of others."""

    def __init__(self, together: Together, key: str, plain: redis.asyncio.Redis) -> None:
        super().__init__(plain.connection_pool, plain.response_callbacks, False, None)
        self._together, self._key = together, key

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        commands, self.command_stack = self.command_stack, []
        answers = [self._together.ask(self._key, words, options) for words, options in commands]
        replies: list[Any] = await asyncio.gather(*answers, return_exceptions=True)
        for place, (words, options) in enumerate(commands):
            if isinstance(replies[place], BaseException):
                if _is_outage(replies[place]):
                    if not self._together.patience_s:
                        raise replies[place]
                    replies[place] = await self._together.ask_patiently(self._key, words, options)
                elif raise_on_error:
                    raise replies[place]
        return replies


def _is_outage(error: BaseException) -> bool:
    return isinstance(error, RedisConnectionError | RedisTimeoutError | OSError) or not isinstance(error, RedisError)
