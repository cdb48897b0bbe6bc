"""How the frontier's scripts are asked and what they answer: arguments and replies as Python's values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from articlebot.frontier.breaker import Silence
from articlebot.frontier.envelope import Envelope, Stored
from articlebot.frontier.leases import Leased, Settled, Settlement, Taken
from articlebot.frontier.pace import Pace
from articlebot.frontier.scripts import Argument
from articlebot.frontier.seen import SeenLayout
from articlebot.frontier.slots import Adjacency

MAX_PRIORITY = 65535
# From one priority to the next in a queue's ranks; ``lua/slots.lua`` has the same.
_STEP = 1 << 36
# So many pages never read go before each that takes turns with them: the older ones of a site keep most of its turns.
_OTHERS = 3
# Requests of a slot that are looked at to find one whose parent is free.
_SCAN = 48


def time_argument(now: float | None) -> str:
    """A time, or that the server's own is meant."""
    return "" if now is None else f"{now:.6f}"


def admit_arguments(
    envelopes: Iterable[Envelope], seen: SeenLayout, adjacency: Adjacency, now: float | None
) -> list[Argument]:
    """What ``admit`` is asked."""
    arguments: list[Argument] = [time_argument(now), adjacency, seen.name]
    for envelope in envelopes:
        key, value = ("", "") if envelope.key is None else seen.place(envelope.key)
        parent = envelope.parent.to_bytes(8, "big") if envelope.parent else b""
        header = (b"+" + parent if parent else b"-") + (envelope.host.encode() if adjacency == "slot" else b"")
        priority = max(-MAX_PRIORITY, min(MAX_PRIORITY, envelope.priority))
        rank = priority if envelope.turns is None else turns(priority, envelope.turns)
        record = header + b"\n" + envelope.record.encode("utf-8", "surrogatepass")
        arguments += (envelope.id, key, value, envelope.host, parent, rank, record)
    return arguments


def take_arguments(
    worker: str,
    adjacency: Adjacency,
    limit: int,
    *,
    look_ahead: float,
    left_out: Collection[str] = (),
    anew: bool = False,
    begun: float | None = None,
    stay: float = 0.0,
    now: float | None = None,
) -> list[Argument]:
    """What ``take`` is asked."""
    return [
        time_argument(now), adjacency, worker, limit, look_ahead, _SCAN, "1" if anew else "", time_argument(begun),
        stay, *left_out,
    ]  # fmt: skip


def settle_arguments(
    worker: str,
    adjacency: Adjacency,
    settlements: Iterable[Settlement],
    *,
    tries: int,
    server: bytes = b"",
    number: int | None = None,
    now: float | None = None,
    said_at: float | None = None,
) -> list[Argument]:
    """What ``settle`` is asked."""
    arguments: list[Argument] = [time_argument(now), adjacency, worker, tries, time_argument(said_at), server]
    arguments.append("" if number is None else number)
    for one in settlements:
        arguments += (one.operation, one.member, f"{max(0.0, one.free_in):.6f}", one.text)
    return arguments


def turns(priority: int, least: int) -> str:
    """How a page of a priority takes turns with those of a higher one, up to the one that it lets pass at least."""
    return f"{priority} {least} {_OTHERS}"


def priority_of(rank: float) -> int:
    """The priority of a request by its rank in a queue."""
    return -int(rank // _STEP)


def slot_number(counted: int, place: tuple[int, int]) -> int:
    """The number of a slot; each shard counts its own from one."""
    number, shards = place
    return counted * shards + number


def read_taken(reply: Sequence[Any], place: tuple[int, int] = (0, 1)) -> Taken:
    """The answer of the script ``take`` of a shard; ``place`` as of ``Frontier``."""
    at, epoch, ready, queued, leased, own, passed, rows = reply
    next_ready_at = float(ready) if ready else None
    requests = tuple([read_leased(row, place) for row in rows])
    return Taken(requests, float(at), epoch, next_ready_at, int(queued), int(leased), int(own), int(passed))


def read_leased(row: Sequence[Any], place: tuple[int, int] = (0, 1)) -> Leased:
    """A lease as the script ``take`` writes it."""
    member, record, start_at, pace, number, tries, slot, silence = row
    history = tuple((float(at), str(who), str(why)) for at, who, why in json.loads(tries)) if tries else ()
    stored = Stored.of(record)
    host, text = (stored.host or slot).decode(), stored.text.decode("utf-8", "surrogatepass")
    return Leased(
        member, text, float(start_at), Pace.load(pace), slot_number(int(number), place), host, history,
        Silence.load(silence), place[0],
    )  # fmt: skip


def read_settled(reply: Sequence[Any]) -> Settled:
    """The answer of the script ``settle``."""
    return Settled(int(reply[0]), tuple(reply[1]), int(reply[2]))
