"""The Redis of a process: the shared one, or a private server that the first question starts; and its clients."""

from __future__ import annotations

import asyncio
import atexit
from functools import cached_property
from typing import Any

import redis
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff

from articlebot.address import parse
from articlebot.config import General
from articlebot.connect import blocking_client, client, tagged
from articlebot.errors import StateError
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.runtime.throwaway_redis import ThrowawayRedis
from articlebot.shards import key_of, refuse, shard_tag
from articlebot.together import Together

# A cluster's default timeout is 15 s, and then it elects.
_FAIL_OVER_S = 60.0
_OPTIONS: dict[str, Any] = {
    "patience_s": _FAIL_OVER_S, "retry": Retry(ExponentialBackoff(cap=0.5, base=0.02), 3),
    "health_check_interval": 30, "socket_timeout": 30, "socket_connect_timeout": 10,
}  # fmt: skip


class Clients:
    """A client for each store; replies are bytes.

    Short outages are retried here, with Sentinel and Cluster also a fail-over; longer ones by the frontier.

    Args:
        general: of the configuration.
        private: the server that is started where no ``REDIS_URL`` is set.
        shards: number that the stores are cut into, as of the settings.
    """

    def __init__(self, general: General, *, private: type[PrivateRedis | ThrowawayRedis], shards: int = 1) -> None:
        self._general, self._private, self._number = general, private, shards
        self._server: PrivateRedis | ThrowawayRedis | None = None
        self._clients: dict[str, Redis] = {}
        self._together: Together | None = None

    @cached_property
    def url(self) -> str:
        """The address.

        Raises:
            ConfigError: no ``REDIS_URL`` and no Redis binary.
            StoreUnavailable: the private server does not come up.
            StateError: Redis has state of an earlier version, or in another number of shards.
        """
        url = self._general.redis_url
        if not url:
            self._server = self._private(self._general.data_dir / "redis")
            url = self._server.acquire()
            if isinstance(self._server, PrivateRedis):  # a tool's server ends with the process by itself
                # A second Ctrl-C ends the reactor before its engine has stopped.
                atexit.register(self._server.release)
        refuse_old_names(url, self._general.key_prefix, self._number)
        return url

    async def revive(self) -> None:
        """Starts the private server again where it has died; a shared one comes back by itself.

        Raises:
            StoreUnavailable: it does not come up.
        """
        if isinstance(self._server, PrivateRedis):
            await asyncio.to_thread(self._server.revive)

    def of(self, part: str = "") -> Redis:
        """The client of a store whose keys begin with ``connect.tagged(key_prefix, part)``."""
        prefix = self._general.key_prefix
        return self.of_key(tagged(prefix, part) if part else prefix)

    def of_key(self, key: str) -> Redis:
        """The client of a key, or the beginning of keys, that others have named."""
        if key not in self._clients:
            self._clients[key] = client(self.url, key, **_OPTIONS)
        return self._clients[key]

    def shards(self, part: str) -> list[Redis]:
        """The clients of a store that is cut into shards; none where it is one."""
        if (shards := self._number) == 1:
            return []
        self._together = self._together or Together(self.url, **_OPTIONS)
        prefix = self._general.key_prefix
        return [self._together.of(shard_tag(prefix, part, number, shards)) for number in range(shards)]

    def home(self, part: str) -> Redis:
        """The client of what a store in shards keeps in one place; its commands go with those of the shards."""
        if not self.shards(part) or self._together is None:
            return self.of(part)
        return self._together.of(tagged(self._general.key_prefix, part))

    async def time(self) -> float:
        """The server's clock, epoch seconds."""
        seconds, millionths = await self.of().time()
        return float(seconds + millionths / 1e6)

    async def close(self) -> None:
        """Closes the clients; the last user of a private server ends it."""
        for one in self._clients.values():
            await one.aclose()
        if self._together is not None:
            await self._together.close()
        if self._server is not None:
            # Ending the server waits for its last write to disk.
            await asyncio.get_running_loop().run_in_executor(None, self._server.release)
            atexit.unregister(self._server.release)


def refuse_old_names(url: str, prefix: str, shards: int | None = None) -> None:
    """Looks for state that an earlier version left on a server; a server that is away is left to others.

    Args:
        url: the address.
        prefix: with its braces.
        shards: number that the state has to be cut into; None for any.

    Raises:
        StateError: there is some, or the state is cut into another number; says what to do.
    """
    plain, shared = prefix.strip("{}"), tagged(prefix, "frontier")
    old = [f"{shared}:layout"]  # of a queue that all spiders shared
    if parse(url).kind == "single":  # a cluster cannot have keys without tags
        old += [f"{plain}:frontier:layout", f"{plain}:recrawl:meta"]
    try:
        with blocking_client(url, old[0], socket_timeout=5, socket_connect_timeout=5, retry=None) as client:
            found, stored = client.exists(*old), client.get(key_of(shared))
            is_new = stored is None and not client.exists(f"{shared}:spiders")
    except redis.RedisError:
        return
    if found:
        raise StateError(
            f"the state below {plain!r} in Redis was written by an earlier version, and cannot be read any more: name "
            "another ARTICLEBOT_KEY_PREFIX. The archive stays, and takes no article twice"
        )
    if shards is not None and not is_new:
        refuse(stored, shards)
