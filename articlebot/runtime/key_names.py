"""State under the key names of earlier versions: noticed, and renamed.

The first names had no tags for a cluster's slots. The second ones had one queue for all spiders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import redis

from articlebot.address import parse
from articlebot.connect import blocking_client, tagged
from articlebot.errors import StateError, UnderWay
from articlebot.frontier.queue import LAYOUT_VERSION
from articlebot.frontier.shard_number import key_of, refuse

_OWN_SLOT = ("frontier", "recrawl", "nd")
# Of the frontier's keys these belong to hosts, and so to all spiders.
_OF_HOSTS = ("until", "backoff", "silent", "held", "slot", "spiders")
_BATCH = 500


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
    old = [f"{shared}:layout"]
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
            f"the state below {plain!r} in Redis was written by an earlier version: end all workers, back Redis up and "
            "run `scrapy frontier migrate`, or use another ARTICLEBOT_KEY_PREFIX"
        )
    if shards is not None and not is_new:
        refuse(stored, shards)


def rename_old(client: Any, prefix: str, silence_s: float) -> tuple[int, int]:
    """Gives the keys without tags their tags; may be repeated. Returns how many, and how many have a namesake.

    Args:
        client: of the server; not of a cluster, where such keys cannot be.
        prefix: with its braces.
        silence_s: seconds after which a worker is dead.

    Raises:
        UnderWay: a worker of the earlier version was heard of within ``silence_s``.
    """
    plain = prefix.strip("{}")
    _refuse_workers(client, f"{plain}:frontier:workers", silence_s)
    return _rename(client, f"{plain}:*", lambda name: new_name(name, plain))


def give_to_spider(client: Any, prefix: str, spider: str, silence_s: float) -> tuple[int, int]:
    """Makes a queue of all spiders that of one; may be repeated. Returns how many keys, and how many have a namesake.

    Args:
        client: of the server that has the frontier.
        prefix: with its braces.
        spider: its name.
        silence_s: seconds after which a worker is dead.

    Raises:
        UnderWay: a worker of the earlier version was heard of within ``silence_s``.
    """
    shared = tagged(prefix, "frontier")
    layout, queue = f"{shared}:layout", f"{shared}:{spider}"
    if not client.exists(layout):
        return 0, 0
    _refuse_workers(client, f"{shared}:workers", silence_s)
    others = tuple(f"{shared}:{name.decode()}:".encode() for name in client.hkeys(f"{shared}:spiders"))
    kept = {f"{shared}:{name}".encode() for name in _OF_HOSTS}

    def renamed(name: bytes) -> bytes | None:
        if name in kept or name == layout.encode() or name.startswith((f"{queue}:".encode(), *others)):
            return None
        return queue.encode() + name.removeprefix(shared.encode())

    counts = _rename(client, f"{shared}:*", renamed)
    for member, at in list(client.zscan_iter(f"{shared}:until", match="p*")):
        client.zadd(f"{queue}:until", {member: at})
        client.zrem(f"{shared}:until", member)
    client.hsetnx(f"{shared}:spiders", spider, client.hlen(f"{shared}:spiders") + 1)
    client.hset(layout, "version", LAYOUT_VERSION)
    last = client.renamenx(layout, f"{queue}:layout")  # the last, so that a run that broke off is taken up again
    return counts[0] + int(last), counts[1] + int(not last)


def new_name(name: bytes, plain: str) -> bytes:
    """The name with tags for a key without."""
    part, _, rest = name.removeprefix(f"{plain}:".encode()).partition(b":")
    if part.decode() in _OWN_SLOT:
        return tagged(f"{{{plain}}}", part.decode()).encode() + b":" + rest
    return f"{{{plain}}}:".encode() + part + (b":" + rest if rest else b"")


def _refuse_workers(client: Any, workers: str, silence_s: float) -> None:
    seconds, _ = client.time()
    if client.zcount(workers, seconds - silence_s, "+inf"):
        raise UnderWay("a worker of the earlier version still works here; end it first")


def _rename(client: Any, pattern: str, new: Callable[[bytes], bytes | None]) -> tuple[int, int]:
    renamed = left = 0
    for names in _batches(client.scan_iter(match=pattern, count=1000)):
        pairs = [(name, wanted) for name in names if (wanted := new(name)) is not None]
        with client.pipeline(transaction=False) as pipe:
            for name, wanted in pairs:
                pipe.renamenx(name, wanted)
            done = sum(map(bool, pipe.execute()))
        renamed, left = renamed + done, left + len(pairs) - done
    return renamed, left


def _batches(names: Iterator[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for name in names:
        batch.append(name)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
