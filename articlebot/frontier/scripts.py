"""The Lua scripts of the frontier, loaded once per connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha1
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ClusterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from articlebot.errors import StoreUnavailable, exhausted
from articlebot.files import shipped

Argument = bytes | str | int | float
# redis-py makes classes of some words and takes them out of the text. Redis 6.2 puts them in the middle of a script's
# error, where redis-py does not look; from 7.0 they stand in front there too.
_PASSING_ERRORS = (
    OutOfMemoryError,
    ReadOnlyError,
    ClusterDownError,
    TryAgainError,
    NoScriptError,
)  # a MasterDownError is the third
# What the page states' scripts say of a server that was emptied; it passes, as their store is begun anew then.
LOST = "page states lost"
_PASSING = ("OOM", "READONLY", "MISCONF", "BUSY", "MASTERDOWN", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", LOST)


@cache
def source(name: str) -> str:
    """Text of a script with the shared part in front."""
    return "".join(shipped("articlebot.frontier", f"lua/{one}.lua") for one in ("slots", name))


@cache
def digest(name: str) -> str:
    """The name under which Redis knows a script."""
    return sha1(source(name).encode()).hexdigest()


class Scripts:
    """Runs scripts, one or several in one round trip, in order.

    redis-py's own scripts ask whether they are known before each pipeline: two of them take 490 µs of processor time
    where these take 340.

    Args:
        redis: the client; replies must be bytes.
        prefix: first part of the keys of a spider's queue.
        shared: first part of the keys that all spiders share.
    """

    def __init__(self, redis: Redis, prefix: str, shared: str) -> None:
        self._redis = redis
        self._keys = prefix, shared

    async def run(self, name: str, arguments: Iterable[Argument]) -> Any:
        """The reply of one script."""
        return (await self.run_all([(name, arguments)]))[0]

    async def run_all(self, calls: Sequence[tuple[str, Iterable[Argument]]]) -> list[Any]:
        """The replies of several scripts, sent together; each is atomic by itself.

        A script that the server did not know is given to it and run again, alone: what the others leased stays theirs.

        Raises:
            redis.RedisError: the server cannot be reached or refuses, or does not know what it has just been given.
        """
        calls = [(name, list(arguments)) for name, arguments in calls]
        replies: list[Any] = [NoScriptError()] * len(calls)
        for _ in range(2):
            missing = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
            pipeline = self._redis.pipeline(transaction=False)
            for place in missing:
                name, arguments = calls[place]
                pipeline.evalsha(digest(name), 2, *self._keys, *arguments)
            for place, reply in zip(missing, await pipeline.execute(raise_on_error=False), strict=True):
                replies[place] = reply
            unknown = {calls[place][0] for place in missing if isinstance(replies[place], NoScriptError)}
            if not unknown:
                for reply in replies:
                    if isinstance(reply, Exception):
                        raise reply
                return replies
            await self.load(unknown)
        raise RedisConnectionError("Redis was restarted while it learned a script")

    async def load(self, names: Iterable[str]) -> None:
        """Gives the server the scripts (a restart forgets them)."""
        for name in names:
            await self._redis.script_load(source(name))


def is_full(error: Exception) -> bool:
    """Whether Redis refused a write because it is at its memory limit."""
    return isinstance(error, ResponseError) and (isinstance(error, OutOfMemoryError) or "OOM" in str(error))


def passes(error: Exception) -> bool:
    """Whether the reason of an error ends by itself, so that asking again helps.

    Redis is away or starts, is at its memory limit, cannot write its file (a full disk), runs a long script, forgot the
    scripts between two calls, or is a replica for now.
    """
    if exhausted(error):
        return False
    if isinstance(error, StoreUnavailable | RedisConnectionError | RedisTimeoutError | OSError):
        return True
    if not isinstance(error, ResponseError):
        return False
    return isinstance(error, _PASSING_ERRORS) or any(word in str(error) for word in _PASSING)


def refuses(error: Exception) -> bool:
    """Whether Redis will not have this client at all: its user, its password, a right, a number of a database.

    While a crawl runs a password is waited for, as it may be on its way from one server to the next.
    """
    return isinstance(error, AuthenticationError | AuthorizationError) or not passes(error)


def said(error: Exception) -> str:
    """What an error of Redis says to those who run it, with the setting that names the server."""
    if isinstance(error, AuthenticationError | AuthorizationError):
        how = "refuses this user or password"
    elif isinstance(error, ReadOnlyError) or "READONLY" in str(error):
        return "REDIS_URL: this Redis is a replica for now, and only reads; name its master, or redis+sentinel://…"
    elif isinstance(error, ResponseError):
        how = "refuses for now" if passes(error) else "refuses"
    else:
        how = "does not answer"
    # Of a pipeline redis-py says first which command of it failed, with all that it was given.
    return f"REDIS_URL: Redis {how}: {str(error).rpartition(' of pipeline caused error: ')[2]}"


@contextmanager
def outages() -> Iterator[None]:
    """Turns the errors of a Redis that is away, or refuses for now, into ``StoreUnavailable``."""
    try:
        yield
    except (RedisError, OSError) as error:
        if not passes(error):
            raise
        raise StoreUnavailable(said(error)) from error
