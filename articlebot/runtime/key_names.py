"""State under the key names of earlier versions, which had no tags for a cluster's slots: noticed, and renamed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import redis

from articlebot.address import parse
from articlebot.connect import tagged
from articlebot.errors import StateError, UnderWay

_OWN_SLOT = ("frontier", "recrawl", "nd")
_BATCH = 500


def refuse_old_names(url: str, prefix: str) -> None:
    """Looks for state that an earlier version left on a server; a server that is away is left to others.

    Args:
        url: the address. A cluster cannot have such state.
        prefix: with its braces.

    Raises:
        StateError: there is some; says what to do.
    """
    if parse(url).kind != "single":
        return
    plain = prefix.strip("{}")
    try:
        with redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5, retry=None) as client:
            found = client.exists(f"{plain}:frontier:layout", f"{plain}:recrawl:meta")
    except redis.RedisError:
        return
    if found:
        raise StateError(
            f"the state below {plain!r} in Redis was written by an earlier version: end all workers, back Redis up and "
            "run `scrapy migrate`, or use another ARTICLEBOT_KEY_PREFIX"
        )


def rename_old(client: Any, prefix: str, silence_s: float) -> tuple[int, int]:
    """Renames the keys of an earlier version; may be repeated. Returns how many were, and how many have a namesake.

    Args:
        client: of the server; not of a cluster, where such keys cannot be.
        prefix: with its braces.
        silence_s: seconds after which a worker is dead.

    Raises:
        UnderWay: a worker of the earlier version was heard of within ``silence_s``.
    """
    plain = prefix.strip("{}")
    seconds, _ = client.time()
    if client.zcount(f"{plain}:frontier:workers", seconds - silence_s, "+inf"):
        raise UnderWay("a worker of the earlier version still works here; end it first")
    renamed = left = 0
    for names in _batches(client.scan_iter(match=f"{plain}:*", count=1000)):
        with client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.renamenx(name, new_name(name, plain))
            done = sum(map(bool, pipe.execute()))
        renamed, left = renamed + done, left + len(names) - done
    return renamed, left


def new_name(name: bytes, plain: str) -> bytes:
    """The name of today for a key of an earlier version."""
    part, _, rest = name.removeprefix(f"{plain}:".encode()).partition(b":")
    if part.decode() in _OWN_SLOT:
        return tagged(f"{{{plain}}}", part.decode()).encode() + b":" + rest
    return f"{{{plain}}}:".encode() + part + (b":" + rest if rest else b"")


def _batches(names: Iterator[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for name in names:
        batch.append(name)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
