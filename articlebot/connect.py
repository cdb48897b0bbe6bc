"""Redis clients from an address: one server, the master that Sentinel names, or a Redis Cluster.

    redis://host:6379/0                     one server; rediss:// with TLS, unix:///path for a socket
    redis+sentinel://h1,h2:26380/service/0  the master of a service; rediss+sentinel:// with TLS
    redis+cluster://h1,h2:7001              a cluster; rediss+cluster:// with TLS

Every store of articlebot keeps its keys in one hash slot (they share a tag, see ``tagged``), because its scripts change
several of them in one step. So a client here is a plain one for one master, which it finds anew whenever it connects:
what asks, what waits and what is retried is then the same for all three. An answer that shows that the master is
another one by now (MOVED, READONLY and the like) ends the connection as an outage would.

With Sentinel and Cluster a change counts as stored when a replica has it too (WAIT), so that a fail-over loses nothing
that was confirmed. While no replica answers, changes are taken without.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import redis
import redis.asyncio
from redis.asyncio import connection as asyncio_connection
from redis.asyncio.client import Pipeline
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from articlebot.address import Master, parse
from articlebot.outage import Outage

logger = logging.getLogger(__name__)

# How long a change waits for a replica, and for how long none is waited for after that was in vain.
_WAIT_MS, _WAIT_PAUSE_S = 200, 2.0
# Masters of which no replica confirms changes.
_alone: defaultdict[str, Outage] = defaultdict(lambda: Outage(logger))
_PAUSE_S = 0.25
# Answers which say that this server is not, or not yet, the one to ask; in a script's error they stand in the middle.
_ELSEWHERE = (AskError, ClusterDownError, MasterDownError, MovedError, ReadOnlyError, TryAgainError)
_SIGNS = ("READONLY", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "non local key")
_READS = frozenset(
    "BITCOUNT DBSIZE EXISTS GET GETBIT GETRANGE HEXISTS HGET HGETALL HKEYS HLEN HMGET HSCAN HVALS INFO MGET PING PTTL "
    "SCAN SCARD SCRIPT SISMEMBER SMEMBERS TIME TTL TYPE UNWATCH WATCH ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZRANK "
    "ZSCORE".split()
)


class RedisStore:
    """Base of the stores below the prefix of all keys. Their methods raise redis' own errors while it is away.

    Args:
        client: its replies are bytes.
        prefix: first part of the keys, in braces.
    """

    below: ClassVar[str] = ""
    """What follows the prefix in the store's keys."""
    part: ClassVar[str] = ""
    """Names the hash slot of the store's own, see ``tagged``; "" for that of all that have none."""

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}") -> None:
        self._redis: Any = client  # its annotations cannot tell text from bytes, nor what a pipeline returns
        self._prefix = tagged(prefix, self.part) if self.part else prefix
        self._key = f"{self._prefix}:{self.below}"


def tagged(prefix: str, part: str) -> str:
    """The first part of the keys of a store of its own hash slot: ``{articlebot}`` and ``frontier`` make
    ``{articlebot:frontier}``. A prefix without braces gives keys without a tag, for one server only."""
    if prefix.startswith("{") and prefix.endswith("}"):
        return f"{{{prefix[1:-1]}:{part}}}"
    return f"{prefix}:{part}"


def literal(text: str) -> str:
    """A text as a pattern of Redis (``SCAN``'s ``MATCH``) that stands for itself."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", text)


def client(url: str, key: str, *, patience_s: float = 0.0, **options: Any) -> redis.asyncio.Redis:
    """A client for the server that has a key; replies are bytes.

    Args:
        url: the address.
        key: of the slot that all keys of this client are in; only a cluster's answer depends on it.
        patience_s: Sentinel and Cluster: seconds for which commands are repeated while no master is to be had.
        options: of redis-py's connections; ``retry`` counts for one server only.

    Raises:
        ConfigError: not an address.
    """
    address = parse(url)
    if address.kind == "single":
        return redis.asyncio.Redis.from_pool(_Pool.from_url(url, **options))
    given = {**options, **address.options, "retry": Patience(patience_s), "still": Master(address, key).find}
    connection = _FoundOverTls if given.pop("tls") else _Found
    return _Replicated.from_pool(_Pool(connection_class=connection, **given))


def node_client(
    url: str, place: tuple[str, int], still: Callable[[], tuple[str, int]], **options: Any
) -> redis.asyncio.Redis:
    """A client for one master of a cluster, whatever slots it has; repeats nothing.

    What is asked of a slot that it has not is an error of that command alone, see ``is_elsewhere``.

    Args:
        url: the address of the cluster.
        place: host and port of the master.
        still: where the others say that its slots are; asked when no replica confirms a change.
        options: of redis-py's connections.
    """
    host, port = place
    given = {**options, **parse(url).options, "retry": Retry(NoBackoff(), 0), "host": host, "port": port}
    connection = _AtNodeOverTls if given.pop("tls") else _AtNode
    return _Replicated.from_pool(_Pool(connection_class=connection, still=still, **given))


def is_elsewhere(error: BaseException) -> bool:
    """Whether an answer says that this server is not, or not yet, the one to ask."""
    return isinstance(error, _ELSEWHERE) or any(sign in str(error) for sign in _SIGNS)


def blocking_client(url: str, key: str, **options: Any) -> redis.Redis:
    """The same for code without an event loop. It is for short uses: the master is found once.

    Raises:
        ConfigError: not an address.
        redis.RedisError: no master is to be found.
    """
    address = parse(url)
    if address.kind == "single":
        return redis.Redis.from_url(url, **options)
    host, port = Master(address, key).find()
    given = dict(address.options)
    return redis.Redis(host=host, port=port, ssl=given.pop("tls"), **{**options, **given})


class Patience(Retry):
    """Repeats for so many seconds; what is repeated inside a repetition is tried once."""

    def __init__(self, seconds: float) -> None:
        super().__init__(NoBackoff(), 0)
        self._seconds = seconds
        self._busy = False

    async def call_with_retry(self, do: Any, fail: Any, *args: Any, **kwargs: Any) -> Any:
        """As redis-py's, which repeats the connecting inside the repeated command."""
        if self._busy:
            return await do()
        self._busy = True
        deadline, failures = time.monotonic() + self._seconds, 0
        try:
            while True:
                try:
                    return await do()
                except (RedisConnectionError, RedisTimeoutError) as error:
                    failures += 1
                    await (fail(error, failures) if kwargs.get("with_failure_count") else fail(error))
                    if time.monotonic() >= deadline:
                        raise
                await asyncio.sleep(_PAUSE_S)
        finally:
            self._busy = False


class _Pool(asyncio_connection.BlockingConnectionPool):
    """Has a hundred connections at the most; what is asked beyond them waits for one, as long as for an answer.

    redis-py's own refuses from 8 on what is beyond its hundred, as a burst of articles is, as if Redis were away.
    """

    def __init__(self, max_connections: int = 100, **options: Any) -> None:
        super().__init__(max_connections, timeout=options.get("socket_timeout"), **options)


class _AtNode(asyncio_connection.Connection):
    """A connection for several slots of one master: that one of them has moved is no outage of the others."""

    def __init__(self, *, still: Callable[[], tuple[str, int]], **options: Any) -> None:
        super().__init__(**options)
        self._still = still

    async def check(self) -> None:
        """Makes sure that this server is the master still: one that was cut off from the others does not know better.

        Raises:
            redis.exceptions.ConnectionError: it is not, or nobody can say.
        """
        if await asyncio.to_thread(self._still) != (self.host, self.port):
            await self.disconnect()
            raise RedisConnectionError(f"{self.host}:{self.port} is not the master any more")


class _AtNodeOverTls(_AtNode, asyncio_connection.SSLConnection):
    """The same with TLS."""


class _Found(_AtNode):
    """A connection to whoever is the master at the time it is made; answers that it is another one end it."""

    async def _connect(self) -> None:
        self.host, self.port = await asyncio.to_thread(self._still)
        await super()._connect()  # type: ignore[no-untyped-call]

    async def read_response(self, *args: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*args, **options)
        except ResponseError as error:
            if is_elsewhere(error):
                await self.disconnect()
                raise RedisConnectionError(f"the master is another one now: {error}") from error
            raise


class _FoundOverTls(_Found, asyncio_connection.SSLConnection):
    """The same with TLS."""


class _Replicated(redis.asyncio.Redis):
    """Lets no change count before a replica has it."""

    async def _send_command_parse_response(self, conn: Any, command_name: Any, *args: Any, **options: Any) -> Any:
        kept: Any = super()
        reply = await kept._send_command_parse_response(conn, command_name, *args, **options)
        if str(command_name).split(" ")[0].upper() not in _READS:
            await _confirm(conn)
        return reply

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _ReplicatedPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


class _ReplicatedPipeline(Pipeline):
    async def _execute_transaction(self, connection: Any, commands: Any, raise_on_error: Any) -> Any:
        replies = await super()._execute_transaction(connection, commands, raise_on_error)
        await _confirm_some(connection, commands)
        return replies

    async def _execute_pipeline(self, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        replies = await super()._execute_pipeline(connection, commands, raise_on_error)
        await _confirm_some(connection, commands)
        return replies


async def _confirm_some(connection: Any, commands: Iterable[Any]) -> None:
    if any(str(command[0][0]).split(" ")[0].upper() not in _READS for command in commands):
        await _confirm(connection)


async def _confirm(connection: Any) -> None:
    now = time.monotonic()
    if now < getattr(connection, "unconfirmed_until", 0.0):
        return
    await connection.send_command("WAIT", 1, _WAIT_MS)
    place = f"{connection.host}:{connection.port}"
    if await connection.read_response():
        _alone[place].end("A replica of %s confirms changes again", place)
        return
    connection.unconfirmed_until = now + _WAIT_PAUSE_S
    _alone[place].begin("No replica of %s confirms changes", place)
    await connection.check()
