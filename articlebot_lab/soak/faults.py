"""Which fault strikes when: a pure plan, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["worker", "redis", "database"]
KINDS: tuple[Kind, ...] = ("worker", "redis", "database")
# The crawl has begun by the first, and has settled by its end after the last.
_FIRST_S, _CALM_SHARE = 8.0, 0.15


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault.

    Args:
        at: seconds after the start.
        kind: worker (kill -9, started again), redis (kill -9 and restart, or a fail-over) or database (away).
        lasts: seconds for which the database is away, or Redis before it is started again.
    """

    at: float
    kind: Kind
    lasts: float


def plan(seconds: float, seed: int, kinds: Sequence[Kind] = KINDS, gap_s: float = 9.0) -> list[Fault]:
    """The faults of a run: each kind in turn, in shuffled rounds, about ``gap_s`` seconds apart."""
    rng = random.Random(f"soak/{seed}")
    faults: list[Fault] = []
    turns = _turns(rng, kinds)
    at = _FIRST_S
    while kinds and at < seconds * (1 - _CALM_SHARE):
        faults.append(Fault(at, next(turns), rng.uniform(1.0, 3.0)))
        at += gap_s * rng.uniform(0.6, 1.4)
    return faults


def _turns(rng: random.Random, kinds: Sequence[Kind]) -> Iterator[Kind]:
    while True:
        yield from rng.sample(kinds, len(kinds))
