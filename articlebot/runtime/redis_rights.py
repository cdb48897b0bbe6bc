"""What the user of a Redis may do, asked before a crawl begins: later each lack would show in another place.

Within ``MULTI`` a server checks each command's rights and runs none. So the user needs no right to ask for rights.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from redis.exceptions import NoPermissionError, ResponseError

# What the scripts and stores of a crawl use; INFO is missed by `scrapy status` and `backup` alone.
NEEDED = (
    "APPEND DECR DEL EVAL EVALSHA EXISTS EXPIRE GET GETBIT GETRANGE HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN "
    "HMGET HSCAN HSET HSETNX HVALS INCR INCRBY LINDEX LPOP LRANGE MGET MSET PEXPIRE RPUSH SADD SCARD SCRIPT SET "
    "SETNX SETRANGE SISMEMBER SMEMBERS SMISMEMBER SREM STRLEN TIME TYPE UNLINK XADD XRANGE XREVRANGE ZADD ZCARD "
    "ZCOUNT ZMSCORE ZPOPMAX ZPOPMIN ZRANGE ZRANGEBYSCORE ZRANK ZREM ZREMRANGEBYSCORE ZREVRANGEBYSCORE ZSCORE"
).split()
# A server looks at rights where the number of arguments is right, which it knows itself: all are tried.
_ARGUMENTS = range(5)


def missing_rights(client: Any, keys: Iterable[str]) -> list[str]:
    """What a server refuses to a crawl, as ``ACL SETUSER`` grants it: ``+zrem``, ``~{articlebot*``.

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
