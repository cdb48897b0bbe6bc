"""When Redis last heard of a worker, and what its clock says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from articlebot.frontier.leases import Taken

# Shares of the lease: after so much without contact nothing begins, and what has begun has to end by then. Another
# worker takes this one for dead after the whole.
_DOUBT, _SURE = 0.6, 0.95
# The drift of a machine's clock against another's, a second per second: 500 parts in a million, what NTP can correct.
_DRIFT = 0.0005


class ServerClock:
    """The difference between the server's clock and the worker's own, from times in the server's answers.

    The server read its clock between question and answer, so each answer bounds the difference on both sides, and the
    tightest bounds seen are the best. They part slowly (drift). Where they contradict each other the server's clock was
    set anew, and what is known begins with that answer.

    Args:
        now: the worker's time.

    Attributes:
        offset: what the difference is at least: with it a start of the server's time is never too early here.
        most: what it is at most: with it a time of the worker's is never too early there.
    """

    def __init__(self, now: float) -> None:
        self.offset, self.most, self._adjusted_at = -math.inf, math.inf, now

    def hear(self, server_time: float, asked_at: float, now: float) -> None:
        """Takes an answer into account, given when it was asked for and when it came."""
        least, most = server_time - now, server_time - asked_at
        drift = _DRIFT * (now - self._adjusted_at)
        known_least, known_most = self.offset - drift, self.most + drift
        if least > known_most or most < known_least:
            known_least, known_most = least, most
        self.offset, self.most, self._adjusted_at = max(least, known_least), min(most, known_most), now


@dataclass(frozen=True, slots=True)
class Outlook:
    """What Redis' last answer says of the next seconds; times are those of the worker's clock.

    Args:
        taken: the answer, None before the first.
        at: when it came.
    """

    taken: Taken | None = None
    at: float = 0.0

    @property
    def ready_at(self) -> float:
        """When the next queued request may start; infinity where none can be named."""
        if self.taken is None or self.taken.next_ready_at is None:
            return math.inf
        return self.at + self.taken.next_ready_at - self.taken.at

    def is_pending(self, until: float) -> bool:
        """Whether anything is in flight anywhere, not known yet, or may start by then."""
        if self.taken is None or self.taken.leased:
            return True
        if self.ready_at == math.inf:
            return self.taken.queued > 0 and not self.taken.passed
        return self.ready_at <= until


class Contact:
    """What a worker may count on without asking.

    Args:
        lease_s: a worker that has not been heard of for so long is dead to the others.
        time: the worker's clock, seconds.

    Attributes:
        asked_at: when Redis was last asked with success, and so heard of this worker at the earliest.
        outlook: what it answered last.
        clock: what is known of its clock.
        begun: when it first answered, by its clock; 0 before.
    """

    def __init__(self, lease_s: float, time: Callable[[], float]) -> None:
        self._lease_s, self._time = lease_s, time
        self.asked_at, self.begun = time(), 0.0
        self.outlook, self.clock = Outlook(at=self.asked_at), ServerClock(self.asked_at)

    def left(self) -> float:
        """Seconds for which what this worker holds is surely its own: nobody can take it for dead before."""
        return self.asked_at + _SURE * self._lease_s - self._time()

    @property
    def in_doubt(self) -> bool:
        """Whether others may take this worker for dead. Then nothing may start until Redis has confirmed its leases."""
        return self._time() - self.asked_at > _DOUBT * self._lease_s

    def server_time(self, at: float | None = None) -> float:
        """Redis' clock as this worker knows it, epoch seconds; ``at`` is a time of its own, None for now."""
        return (self._time() if at is None else at) + self.clock.offset

    def hear(self, taken: Taken) -> bool:
        """Takes the answer to what was asked last; whether another server gave it than the one before."""
        before, now = self.outlook.taken, self._time()
        self.clock.hear(taken.at, self.asked_at, now)
        self.outlook, self.begun = Outlook(taken, now), self.begun or taken.at
        return before is not None and before.server != taken.server
