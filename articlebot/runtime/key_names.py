"""State that this version cannot read is refused before work begins."""

from __future__ import annotations

import redis

from articlebot.address import parse
from articlebot.connect import blocking_client, tagged
from articlebot.errors import StateError
from articlebot.frontier.shard_number import key_of, refuse


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
