"""The requests that came back too often: to see them, and to queue them again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from articlebot.errors import RefusedError, StateError
from articlebot.frontier.envelope import Envelope, Stored, load
from articlebot.frontier.queue import Frontier
from articlebot.frontier.sharded import AnyFrontier
from articlebot.frontier.slots import slot_for


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A request that came back too often.

    Args:
        id: its name in hex, for ``requeue``.
        url: of the request.
        job: name of its job.
        at: when it was put away, epoch seconds.
        history: (epoch seconds, worker, reason) of each try.
        again_at: when it is tried again by itself, epoch seconds; None for a request that waits for ``requeue``.
    """

    id: str
    url: str
    job: str
    at: float
    history: tuple[tuple[float, str, str], ...]
    again_at: float | None = None


async def quarantined(frontier: AnyFrontier, limit: int = 1000) -> list[Quarantined]:
    """The requests in quarantine, latest first."""
    found = [one for shard in frontier.shards for one in await _quarantined(shard)]
    return sorted(found, key=lambda one: -one.at)[:limit]


async def _quarantined(frontier: Frontier) -> list[Quarantined]:
    found = []
    async for identity, value in frontier.redis.hscan_iter(f"{frontier.prefix}:dead", count=500):
        head, _, record = value.partition(b"\n")
        fate = json.loads(head)
        fields = fields_of(record)
        meta = fields.get("m", {}).get("articlebot", {})
        history = tuple((float(at), str(who), str(why)) for at, who, why in fate.get("history", []))
        again_at = float(fate["again"]) if "again" in fate else None
        job = meta.get("job", "")
        found.append(Quarantined(identity.hex(), fields.get("u", ""), job, float(fate["at"]), history, again_at))
    return found


async def requeue(frontier: AnyFrontier, ids: Sequence[str] | None = None) -> int:
    """Queues requests of the quarantine again, all of them where ``ids`` is None; returns how many were in it.

    Raises:
        ValueError: an id is not hexadecimal.
    """
    wanted = [_identity(one) for one in ids] if ids is not None else None
    return sum([await _requeue(shard, wanted) for shard in frontier.shards])


async def _requeue(frontier: Frontier, ids: Sequence[bytes] | None) -> int:
    wanted = ids if ids is not None else [
        identity async for identity, _ in frontier.redis.hscan_iter(f"{frontier.prefix}:dead", count=500)
    ]  # fmt: skip
    count = 0
    for identity in wanted:
        value = await frontier.redis.hget(f"{frontier.prefix}:dead", identity)
        if not isinstance(value, bytes):
            continue
        record = value.partition(b"\n")[2]
        fields = fields_of(record)
        try:
            url, stored = fields["u"], Stored.of(record)
            keys = slot_for(url, int.from_bytes(stored.parent, "big"))
        except (KeyError, RefusedError):
            continue
        text = stored.text.decode("utf-8", "surrogatepass")
        # First queued, then taken away: a crash between the two repeats, it does not lose.
        await frontier.push([Envelope(identity, None, keys.host, keys.parent, fields.get("p", 0), text)])
        await frontier.redis.hdel(f"{frontier.prefix}:dead", identity)
        await frontier.redis.zrem(f"{frontier.prefix}:again", identity)
        count += 1
    return count


def _identity(name: str) -> bytes:
    try:
        return bytes.fromhex(name)
    except ValueError:
        raise ValueError(f"{name!r} is no name of a request; `scrapy frontier quarantine` lists them") from None


def fields_of(record: bytes) -> dict[str, Any]:
    """The fields of a record in quarantine; none where it cannot be read, for which it may be there."""
    try:
        return load(Stored.of(record).text)
    except (StateError, ValueError):
        return {}
