"""One run at a time: a lock per spider and arguments, in the data folder or in Redis.

A crawl started by cron while the last one still works would only get in its way. The folder's lock is an advisory
file lock, which ends with its process however that dies (5 µs; filelock's 143 µs: docs/decisions/0004). The one in
Redis is for several machines with one crontab: a key with a time to live, renewed while its holder lives.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import redis
from redis.exceptions import NoPermissionError, ResponseError

from articlebot.connect import blocking_client, tagged
from articlebot.errors import ConfigError, StoreUnavailable, UnderWay, exhausted, reason
from articlebot.frontier.scripts import refuses, said
from articlebot.times import iso

logger = logging.getLogger(__name__)

LOCK_TTL_S = 60.0
_PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
# How long a run lasts and who started it do not make it another run.
_NOT_IDENTITY = frozenset({"until", "seconds", "_job"})
_RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
# What the scripts and stores of a crawl use; INFO is missed by `scrapy status` and `backup` alone.
NEEDED = (
    "APPEND DECR DEL EVAL EVALSHA EXISTS EXPIRE GET GETBIT GETEX GETRANGE HDEL HEXISTS HGET HGETALL HINCRBY "
    "HINCRBYFLOAT HKEYS HLEN HMGET HSCAN HSET HSETNX HVALS INCR INCRBY LINDEX LPOP LRANGE MGET MSET PEXPIRE PTTL "
    "RPUSH SADD SCAN SCARD SCRIPT SET SETNX SETRANGE SISMEMBER SMEMBERS SMISMEMBER SREM STRLEN TIME TYPE UNLINK "
    "XADD XRANGE XREAD XREVRANGE ZADD ZCARD ZCOUNT ZMSCORE ZPOPMAX ZPOPMIN ZRANGE ZRANGEBYSCORE ZRANK ZREM "
    "ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE ZSCAN ZSCORE"
).split()
# A server looks at rights where the number of arguments is right, which it knows itself: all are tried.
_ARGUMENTS = range(5)


def lock_name(spider: str, arguments: Mapping[str, str]) -> str:
    """The lock's name: the same for the same spider and arguments, in whatever order or way job files are named."""
    told = {name: value for name, value in arguments.items() if name not in _NOT_IDENTITY}
    if "jobs" in told:
        told["jobs"] = ",".join(sorted(str(Path(part).resolve()) for part in told["jobs"].split(",") if part))
    digest = hashlib.sha256(json.dumps([spider, sorted(told.items())]).encode()).hexdigest()
    return f"{spider}-{digest[:16]}"


def check_folder(folder: Path) -> None:
    """Looks whether the data folder can be written to, before anything is begun; a full disk is left to others.

    Raises:
        ConfigError: it cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        if exhausted(error):
            raise
        if error.errno not in _PASSING:
            raise ConfigError(f"ARTICLEBOT_DATA_DIR: {folder} cannot be written to: {reason(error)}") from error


@contextmanager
def folder_lock(folder: Path, name: str, now: float) -> Iterator[None]:
    """Holds a lock file in ``folder`` while the block runs.

    Raises:
        UnderWay: another process holds it; says which.
        ConfigError: the folder cannot be written, or has no locks.
        StoreUnavailable: the disk is full.
    """
    path = folder / f"{name}.lock"
    with ExitStack() as opened:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Without a buffer: what a full disk did not take would be written once more at the end, which raises again.
            file = opened.enter_context(path.open("a+b", buffering=0))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(0)
            file.write(_about(now))
        except BlockingIOError:
            file.seek(0)
            raise UnderWay(_who(file.read())) from None
        except OSError as error:
            if exhausted(error):
                raise
            said = f"ARTICLEBOT_DATA_DIR: the lock {path} cannot be made: {reason(error)}"
            raise (StoreUnavailable if error.errno in _PASSING else ConfigError)(said) from error
        yield  # the file stays: removing it would let two processes lock two files of one name


@contextmanager
def redis_lock(url: str, key: str, now: float, ttl_s: float = LOCK_TTL_S) -> Iterator[None]:
    """Holds a key in Redis while the block runs, and renews it each third of ``ttl_s`` seconds.

    Raises:
        UnderWay: another process holds it; says which.
        StoreUnavailable: Redis does not answer.
    """
    holder, ttl_ms = _about(now), int(ttl_s * 1000)
    with _asking(url, key) as client:
        if not client.set(key, holder, nx=True, px=ttl_ms):
            raise UnderWay(_who(client.get(key)))
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(url, key, holder, ttl_ms, ended), daemon=True)
    renewing.start()
    try:
        yield
    finally:
        ended.set()
        renewing.join()
        try:
            with _asking(url, key) as client:
                client.eval(_RELEASE, 1, key, holder)
        except (ConfigError, StoreUnavailable) as error:
            logger.warning("The run's lock ends by itself in %.0f s: %s", ttl_s, error)


def check_redis(url: str, key: str = "{articlebot}") -> None:
    """Asks Redis whether it is there and lets its user do all that is needed, before anything is begun.

    Raises:
        ConfigError: it refuses the user, a right, the password or the database, for good.
        StoreUnavailable: it does not answer.
    """
    with _asking(url, key) as client:
        client.ping()
        missing = missing_rights(client, (key, tagged(key, "frontier")))
        user = client.get_connection_kwargs().get("username") or "default"
    if missing:
        raise ConfigError(f"REDIS_URL: Redis lets its user do too little: ACL SETUSER {user} {' '.join(missing)}")


@contextmanager
def _asking(url: str, key: str) -> Iterator[Any]:
    # A client for each question: with Sentinel and Cluster the master may be another one since the last.
    try:
        with blocking_client(url, key, socket_timeout=10, socket_connect_timeout=10) as client:
            yield client
    except redis.RedisError as error:
        raise (ConfigError if refuses(error) else StoreUnavailable)(said(error)) from error


def _renew(url: str, key: str, holder: bytes, ttl_ms: int, ended: threading.Event) -> None:
    while not ended.wait(ttl_ms / 3000):
        try:
            with _asking(url, key) as client:
                kept = client.eval(_RENEW, 1, key, holder, ttl_ms)
        except (ConfigError, StoreUnavailable) as error:
            logger.warning("The run's lock could not be renewed: %s", error)
            continue
        if not kept:
            # What it guards against costs double work, not data: pages are leased one by one.
            logger.warning("The run's lock was lost while Redis was away; another run may begin")
            return


def _about(now: float) -> bytes:
    told = {"host": socket.gethostname(), "pid": os.getpid(), "since": iso(now), "token": secrets.token_hex(8)}
    return json.dumps(told).encode()


def _who(held: Any) -> str:
    try:
        told = json.loads(held)
        return f"the same run is under way since {told['since']}, process {told['pid']} on {told['host']}"
    except (ValueError, TypeError, KeyError):
        return "the same run is under way"


def missing_rights(client: Any, keys: Iterable[str]) -> list[str]:
    """What a server refuses to a crawl, as ``ACL SETUSER`` grants it: ``+zrem``, ``~{articlebot*``.

    Asked before a crawl begins: later each lack would show in another place. Within ``MULTI`` a server checks each
    command's rights and runs none, so that the user needs no right to ask for rights.

    Args:
        client: a blocking one.
        keys: first parts of the keys.

    Raises:
        redis.RedisError: the server is away, or refuses for another reason.
    """
    link = client.connection_pool.get_connection()
    try:
        link.send_command("MULTI")
        if _refusal(link):
            return ["+multi"]
        calls = [(f"+{name.lower()}", "'", (name, *["LOAD"] * number)) for name in NEEDED for number in _ARGUMENTS]
        calls += [(f"~{key}*", "access", ("GET", f"{key}:")) for key in keys]
        link.send_packed_command(link.pack_commands([call for _, _, call in calls]))
        return list(dict.fromkeys(right for right, word, _ in calls if word in _refusal(link)))
    finally:
        link.disconnect()  # which forgets what is queued
        client.connection_pool.release(link)


def _refusal(link: Any) -> str:
    """Of the next answer what it says where a right lacks: `'zrem' command`, `access a key`; else ""."""
    try:
        link.read_response()
    except NoPermissionError as error:
        return str(error)
    except ResponseError:
        pass
    return ""
