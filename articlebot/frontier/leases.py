"""What the frontier's answers are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Literal

from articlebot.frontier.breaker import Silence
from articlebot.frontier.pace import Pace

Operation = Literal["release", "mute", "heard", "ack", "back", "behind", "fail"]
# What is told of a lease that goes on.
STAYS: tuple[Operation, ...] = ("release", "mute", "heard")
# As in ``lua/slots.lua``: one death says little of what a worker had in hand, thirty requests on a usual day.
_SUSPECT = 2
# In a request's history: its worker died with it among others; with a word behind, with it alone. As in the script.
LOST = "worker lost"


@dataclass(frozen=True, slots=True)
class Leased:
    """A request that this worker holds.

    Args:
        member: its name in the frontier.
        record: the JSON text of the request.
        start_at: when it may start, in the server's time.
        pace: what its slot bears.
        slot: number of its slot.
        host: the slot's host.
        tries: how often it came back before, with time, worker and reason.
        silence: of its host; None where that answers.
        shard: number of the shard that it is leased from.
    """

    member: bytes
    record: str
    start_at: float
    pace: Pace
    slot: int
    host: str
    tries: tuple[tuple[float, str, str], ...] = ()
    silence: Silence | None = None
    shard: int = 0

    @property
    def is_suspect(self) -> bool:
        """Whether several workers have died with it in hand, so that the next one has it alone."""
        return sum(why == LOST for _, _, why in self.tries) >= _SUSPECT


@dataclass(frozen=True, slots=True)
class Taken:
    """The answer to ``take``.

    Args:
        requests: what was leased.
        at: the server's time.
        epoch: changes when pages were forgotten, when the server restarted (perhaps without the last second of its
            file), and when another server took its place. Then caches of known pages must be dropped.
        next_ready_at: when the next queued page may start, None where nothing is queued or everything waits for a page
            that is in flight.
        queued: requests in the queue.
        leased: requests that some worker holds.
        own: requests that this worker holds.
        passed: slots whose waiting requests all belong to jobs that a worker did not know.
    """

    requests: tuple[Leased, ...]
    at: float
    epoch: bytes
    next_ready_at: float | None
    queued: int
    leased: int
    own: int
    passed: int

    @property
    def server(self) -> bytes:
        """Which server has answered, and since which start."""
        return self.epoch.partition(b" ")[2]


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of a lease.

    Args:
        operation: release (left the downloader), mute (its host does not answer), heard (a silent host answers), ack
            (all done), back (not begun), behind (after others of its slot), fail (begun, not finished).
        member: the lease.
        free_in: seconds until its slot and parent are free; mute: its slot alone.
        text: release: the slot's new pace or ""; mute: the silence; fail: the reason; behind: how
            many others go first, and after a space what to keep of the try, "" for nothing.
    """

    operation: Operation
    member: bytes
    free_in: float = 0.0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer to ``settle``.

    Args:
        settled: number of leases.
        unknown: those that this worker does not hold any more.
        quarantined: number of requests that came back too often.
    """

    settled: int
    unknown: tuple[bytes, ...]
    quarantined: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What the frontier holds. ``passed``: slots whose requests all belong to jobs that a worker did not know."""

    queued: int
    leased: int
    quarantined: int
    slots: int
    workers: int
    passed: int = 0

    @classmethod
    def total(cls, counts: Iterable[Counts]) -> Counts:
        """The sums of several queues."""
        return cls(*map(sum, zip((0,) * 6, *map(astuple, counts), strict=True)))
