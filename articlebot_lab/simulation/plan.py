"""What a seed decides before a schedule begins: the world, the workers, and the faults with their places."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Literal

from articlebot.frontier.slots import Adjacency
from articlebot.shards import shard_tag
from articlebot_lab.simulation.servers import SERVERS

Kind = Literal[
    "lose call", "lose answer", "late call", "late answer", "kill", "freeze", "leave", "redis dies", "fail over",
    "partition", "cut off", "clock", "full", "jobs", "silent host", "refusing host", "slow host", "error",
]  # fmt: skip
# How often each is drawn. Losses by the network are the most usual, and the cheapest to play.
_WEIGHTS: dict[Kind, int] = {
    "lose call": 3, "lose answer": 4, "late call": 4, "late answer": 3, "kill": 4, "freeze": 4, "leave": 2,
    "redis dies": 3, "fail over": 2, "partition": 2, "cut off": 3, "clock": 1, "full": 2, "jobs": 2, "silent host": 2,
    "refusing host": 2, "slow host": 2, "error": 2,
}  # fmt: skip
_RESTARTS: tuple[Kind, ...] = ("redis dies", "fail over")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    Args:
        number: its place in the plan, by which it is kept or dropped.
        step: after which it comes.
        kind: what.
        who: number of the worker or host that it strikes, modulo how many there are.
        seconds: how long it lasts, how late something is, how much is lost or jumped.
    """

    number: int
    step: int
    kind: Kind
    who: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.number}: after step {self.step} {self.kind}, {self.who}, {self.seconds:.3f} s"


@dataclass(frozen=True, slots=True)
class Plan:
    """A schedule.

    Args:
        seed: decides all that is not said here: latencies, delays, the order of what happens at one time.
        steps: how many are played with faults; afterwards all heals and the crawl comes to its end.
        workers, hosts, pages: how many.
        lease_s: of the workers.
        adjacency: of the frontier.
        list_parents: whether links of list pages have them as parents.
        capacity: requests that a worker may have in hand.
        latency: seconds that a call or an answer takes at most, as a rule.
        faults: what goes wrong.
        shards: that the frontier is cut into.
    """

    seed: int
    steps: int
    workers: int
    hosts: int
    pages: int
    lease_s: float
    adjacency: Adjacency
    list_parents: bool
    capacity: int
    latency: float
    faults: tuple[Fault, ...]
    shards: int = 1

    @property
    def shared(self) -> tuple[str, ...]:
        """First parts of the keys of each shard."""
        if self.shards == 1:
            return ("{articlebot:frontier}",)
        return tuple(shard_tag("{articlebot}", "frontier", number, self.shards) for number in range(self.shards))

    def keeping(self, numbers: set[int]) -> Plan:
        """The plan with these faults alone."""
        return replace(self, faults=tuple(one for one in self.faults if one.number in numbers))


def plan_of(seed: int, steps: int, shards: int = 1) -> Plan:
    """The plan of a seed; the same for the same seed, number of steps and of shards."""
    rng = random.Random(f"plan {seed}")
    lease_s = rng.choice([2.0, 4.0, 8.0])
    count = rng.choice([0, 1, 2, 3, 4, 6, 8, 12])
    faults, restarts = [], 0
    for number in range(count):
        kind = rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        restarts += kind in _RESTARTS
        if restarts >= SERVERS:
            kind = "lose answer"
        faults.append(
            Fault(number, rng.randrange(max(1, steps)), kind, rng.randrange(12), _seconds(kind, lease_s, rng))
        )
    return Plan(
        seed, steps, workers=rng.choice([1, 2, 2, 3, 3, 4]), hosts=rng.choice([1, 2, 3, 4]), pages=rng.randint(4, 16),
        lease_s=lease_s, adjacency=rng.choice(["keys", "keys", "keys", "host", "slot"]),
        list_parents=rng.random() < 0.5, capacity=rng.choice([1, 2, 4]), latency=rng.choice([0.001, 0.01, 0.1]),
        faults=tuple(sorted(faults, key=lambda one: (one.step, one.number))), shards=shards,
    )  # fmt: skip


def _seconds(kind: Kind, lease_s: float, rng: random.Random) -> float:
    if kind in _RESTARTS:
        return rng.choice([0.0, rng.random()])  # what is lost: the last second at most, as `appendfsync everysec` says
    if kind == "clock":
        return rng.choice([-1, 1]) * rng.choice([0.3, 2.0, 60.0])
    if kind in ("late call", "late answer"):
        return lease_s * rng.choice([0.1, 0.5, 1.2, 2.0]) * rng.random()
    return lease_s * rng.choice([0.2, 0.7, 1.1, 2.0]) * (0.5 + rng.random() / 2)
