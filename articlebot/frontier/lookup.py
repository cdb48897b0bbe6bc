"""Where one page stands in the frontier: never seen, queued, leased, put into quarantine, or done with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from articlebot.frontier.breaker import Silence
from articlebot.frontier.envelope import Stored, split
from articlebot.frontier.inspect import SlotView
from articlebot.frontier.pace import Pace
from articlebot.frontier.quarantine import Quarantined, fields_of, quarantined
from articlebot.frontier.queue import Frontier
from articlebot.frontier.scripts import outages
from articlebot.frontier.servers import SERVER
from articlebot.frontier.sharded import AnyFrontier
from articlebot.frontier.slots import slot_for
from articlebot.frontier.wire import priority_of
from articlebot.urls import page_key, subdomain

# Slots passed over that are looked at, and requests of each: mostly the first tells. Where jobs may share a slot, as
# many as a worker looks at (``FOREIGN_LOOK`` of ``lua/take.lua``).
_PASSED, _FIRST, _OF_SEVERAL = 200, 4, 300
# Slots with a start soon that are looked at in one call.
_SLOTS = 500
# How the names of slots begin that hosts of several sites share (``lua/slots.lua``, ``servers``).
_SHARED = ("#", SERVER)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request for the page.

    Args:
        state: whether it is queued or leased.
        priority: the higher is fetched first; None while it is leased.
        before: requests of the same slot that come before it; None while it is leased.
        worker: who has leased it.
        tries: (epoch seconds, worker, reason) of each time it came back.
    """

    state: Literal["queued", "leased"]
    priority: int | None
    before: int | None
    worker: str | None
    tries: tuple[tuple[float, str, str], ...]


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What the frontier knows of a page.

    Args:
        seen: whether it was ever admitted (with a Bloom filter: very likely).
        waiting: its requests that are not done.
        quarantined: its requests that came back too often.
        slot: the slot of its host; None where it has none yet.
        silence: of its host; None where that answers.
    """

    seen: bool
    waiting: tuple[Waiting, ...]
    quarantined: tuple[Quarantined, ...]
    slot: SlotView | None
    silence: Silence | None = None


async def look_up(whole: AnyFrontier, url: str) -> Whereabouts:
    """Everything the frontier knows of a canonical URL.

    Raises:
        RefusedError: the URL is no page's.
        StoreUnavailable: Redis is away.
    """
    key, host = page_key(url), slot_for(url).host
    frontier = whole.of_host(host)
    identity = key.to_bytes(8, "big")
    redis: Any = frontier.redis
    with outages():
        slot = host
        if frontier.adjacency == "slot":
            owner = await redis.hget(f"{frontier.prefix}:own", f"h{host}")
            slot = owner.decode() if isinstance(owner, bytes) else ""
        waiting = []
        bucket = f"{frontier.prefix}:r:{identity[:2].hex()}"
        for name, record in (await redis.hgetall(bucket)).items():
            if name.startswith(identity):
                found = await _waiting(frontier, slot, name, name + Stored.of(record).parent)
                waiting += [found] if found is not None else []
        dead = tuple(one for one in await quarantined(frontier) if bytes.fromhex(one.id).startswith(identity))
        silence = Silence.load(await redis.hget(f"{frontier.shared}:silent", slot))
        view = await _slot(frontier, slot, host)
        return Whereabouts(await _seen(frontier, key), tuple(waiting), dead, view, silence)


async def _waiting(frontier: Frontier, slot: str, name: bytes, member: bytes) -> Waiting | None:
    redis: Any = frontier.redis
    prefix = frontier.prefix
    stored = await redis.hget(f"{prefix}:tries", name)
    tries = tuple((float(at), str(who), str(why)) for at, who, why in json.loads(stored or b"[]"))
    rank = await redis.zscore(f"{prefix}:q:{slot}", member)
    if rank is not None:
        before = await redis.zrank(f"{prefix}:q:{slot}", member)
        return Waiting("queued", priority_of(rank), int(before or 0), None, tries)
    for worker in await frontier.workers():
        if await redis.hexists(f"{prefix}:w:{worker}", member):
            return Waiting("leased", None, None, worker, tries)
    return None


async def is_seen(whole: AnyFrontier, key: int, url: str) -> bool:
    """Whether a page was ever admitted (with a Bloom filter: very likely).

    Args:
        key: its page key.
        url: its canonical URL, whose host tells the shard.

    Raises:
        StoreUnavailable: Redis is away.
    """
    with outages():
        return await _seen(whole.of_host(subdomain(url)), key)


async def _seen(frontier: Frontier, key: int) -> bool:
    redis: Any = frontier.redis
    place, value = frontier.seen.layout.place(key)
    for name in await frontier.seen.keys(place):
        if frontier.seen.layout.name == "exact":
            found = await redis.sismember(name, value)
        else:
            found = all([await redis.getbit(name, int(bit)) for bit in value.split()])
        if found:
            return True
    return False


async def _slot(frontier: Frontier, slot: str, host: str) -> SlotView | None:
    redis: Any = frontier.redis
    prefix = frontier.prefix
    number = slot[1:] if slot.startswith("#") else await redis.hget(f"{prefix}:number", host)
    if not number:
        return None
    until = await redis.zscore(f"{frontier.shared}:until", f"h{slot}")
    pace, queued = await redis.hget(f"{frontier.shared}:backoff", slot), await redis.zcard(f"{prefix}:q:{slot}")
    return SlotView.of(frontier, slot, int(number), queued, until=until, pace=pace)


async def is_passed_over(whole: AnyFrontier, worker: str, follows: Callable[[str], bool], by: float) -> bool:
    """Whether workers of other jobs have passed over what this one can begin by then, epoch seconds.

    Args:
        follows: whether it runs the requests of a job.

    Raises:
        StoreUnavailable: Redis is away.
    """
    for frontier in whole.shards:
        redis: Any = frontier.redis
        with outages():
            slots = [slot.decode() for slot in await redis.zrange(f"{frontier.prefix}:passed", 0, _PASSED - 1)]
            strange = await redis.smembers(f"{frontier.prefix}:strange:{worker}") if slots else ()
            asked = redis.pipeline(transaction=False)
            for slot in slots:
                asked.zscore(f"{frontier.shared}:until", f"h{slot}")
                asked.zrange(f"{frontier.prefix}:q:{slot}", 0, _FIRST - 1)
            answers = await asked.execute()
            for until, members in zip(answers[::2], answers[1::2], strict=True):
                for name, _ in map(split, members if (until or 0.0) <= by else ()):
                    asked.hget(f"{frontier.prefix}:r:{name[:2].hex()}", name)
            records = [one for one in await asked.execute() if one and not any(text in one for text in strange)]
        if any(follows(_job_of(one)) for one in records):
            return True
    return False


def _job_of(record: bytes) -> str:
    return str(fields_of(record).get("m", {}).get("articlebot", {}).get("job", ""))


async def is_at_work(
    whole: AnyFrontier, jobs: Callable[[str], bool], has: Callable[[str], bool], by: float, later: float
) -> bool:
    """Whether requests of some jobs are in a worker's hands, stand behind one that is, or may start soon.

    Args:
        jobs: whether a job is one of them.
        has: whether one of them has a host: only there their requests may stand behind many of others.
        by: when soon ends, epoch seconds.
        later: the same where a site has refused for haste.

    Raises:
        StoreUnavailable: Redis is away.
    """
    for frontier in whole.shards:
        with outages():
            is_in_hand, slots = await _in_hand(frontier, jobs, has, later)
            if is_in_hand:
                return True
            start = 0
            while slots:
                paces = await frontier.redis.hmget(f"{frontier.shared}:backoff", [slot for slot, _ in slots])
                found = zip(slots, paces, strict=True)
                mine = [slot for (slot, at), pace in found if at <= by or Pace.load(pace).back_off]
                for shared in (False, True):
                    names = [f"q:{slot}" for slot in mine if shared == (slot.startswith(_SHARED) or has(slot))]
                    if await _any_of(frontier, jobs, names, most=_OF_SEVERAL if shared else _FIRST):
                        return True
                start += _SLOTS
                slots = _named(await _soon(frontier.redis, frontier, start, later)) if len(slots) == _SLOTS else []
            if (await _in_hand(frontier, jobs, has, later))[0]:  # handed out since
                return True
    return False


async def _in_hand(
    frontier: Frontier, jobs: Callable[[str], bool], has: Callable[[str], bool], later: float
) -> tuple[bool, list[tuple[str, float]]]:
    """Whether a request of the jobs is in hand, or in a slot of theirs where a page of other jobs is in flight; and the
    first slots with a start soon.

    Both are read at one moment: a slot is either free or not.
    """
    names = [f"w:{name}" for name in await frontier.workers()]
    async with frontier.redis.pipeline(transaction=True) as asked:
        _soon(asked, frontier, 0, later)
        asked.hkeys(f"{frontier.shared}:held")
        for name in names:
            asked.hvals(f"{frontier.prefix}:{name}")
        ready, held, *leases = await asked.execute()
    busy = {slot.decode() for slot in held}
    busy |= {one.decode().split(" ", 2)[2] for some in leases for one in some if one.startswith(b"0")}  # not released
    behind = [f"q:{slot}" for slot in busy if slot.startswith(_SHARED) or has(slot)]
    is_any = await _any_of(frontier, jobs, names, leased=True) or await _any_of(
        frontier, jobs, behind, most=_OF_SEVERAL
    )
    return is_any, _named(ready)


def _soon(redis: Any, frontier: Frontier, start: int, by: float) -> Any:
    return redis.zrangebyscore(f"{frontier.prefix}:ready", "-inf", by, start=start, num=_SLOTS, withscores=True)


def _named(slots: Sequence[tuple[bytes, float]]) -> list[tuple[str, float]]:
    return [(slot.decode(), at) for slot, at in slots]


async def _any_of(
    frontier: Frontier, jobs: Callable[[str], bool], names: list[str], *, most: int = 0, leased: bool = False
) -> bool:
    """Whether a request of the jobs is among the leases of workers, or the first of queues."""
    asked: Any = frontier.redis.pipeline(transaction=False)
    for name in names:
        if leased:
            asked.hkeys(f"{frontier.prefix}:{name}")
        else:
            asked.zrange(f"{frontier.prefix}:{name}", 0, most - 1)
    for members in await asked.execute():
        for one, _ in map(split, members):
            asked.hget(f"{frontier.prefix}:r:{one[:2].hex()}", one)
    return any(jobs(_job_of(record)) for record in await asked.execute() if record)
