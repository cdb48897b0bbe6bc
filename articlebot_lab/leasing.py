"""A frontier asked step by step, at times that are handed in: for tests and benchmarks.

A worker tells and asks in one round trip (``Frontier.exchange``), a bounded part at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from articlebot.frontier.leases import Leased, Settled, Settlement, Taken
from articlebot.frontier.queue import BATCH, TAKE_CHUNK, Frontier


async def take(
    frontier: Frontier, limit: int, worker: str, *, look_ahead: float = 0.0, left_out: Collection[str] = (),
    anew: bool = False, now: float | None = None,
) -> Taken:  # fmt: skip
    """Leases up to ``limit`` requests, in as many round trips as that takes; see ``Frontier.exchange``."""
    requests: list[Leased] = []
    while True:
        wanted = min(TAKE_CHUNK, limit - len(requests))
        _, taken = await frontier.exchange(
            worker, (), wanted, look_ahead=look_ahead, left_out=left_out, anew=anew, now=now
        )
        left_out, anew = (), False
        requests += taken.requests
        if len(taken.requests) < wanted or len(requests) >= limit:
            return replace(taken, requests=tuple(requests))


async def settle(
    frontier: Frontier, worker: str, settlements: Sequence[Settlement], *, now: float | None = None
) -> Settled:
    """Tells what became of leases; see ``Frontier.exchange``."""
    total = Settled(0, (), 0)
    for i in range(0, len(settlements), BATCH):
        one, _ = await frontier.exchange(worker, settlements[i : i + BATCH], 0, now=now)
        total = Settled(total.settled + one.settled, total.unknown + one.unknown, total.quarantined + one.quarantined)
    return total
