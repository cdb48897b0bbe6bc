"""What a worker has to tell Redis of its leases, until that has heard it.

What was said and not answered is repeated under its number: it may have been heard, and its leases given anew.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import NamedTuple

from articlebot.frontier.leases import STAYS, Settlement
from articlebot.frontier.queue import BATCH


class Report(NamedTuple):
    """One thing to tell.

    Args:
        free_at: when its slot is free, in the event loop's time.
        found: numbers of the requests that the worker found while it had the page: that may have led to any of them.
    """

    settlement: Settlement
    free_at: float
    found: range = range(0)

    def waits_for(self, unsaid: Sequence[int]) -> bool:
        """Whether it ends a lease, and what its page may have led to is among these numbers, which are in order."""
        if self.settlement.operation in STAYS:
            return False
        first = bisect_left(unsaid, self.found.start)
        return first < len(unsaid) and unsaid[first] in self.found


class Reports:
    """The reports of one session, in order.

    Attributes:
        number: that of the word which is said now, or was last.
        repeats: whether the number is said although nothing is left to say under it: what was said with it may still
            arrive.
    """

    def __init__(self) -> None:
        self._waiting: list[Report] = []
        self._unanswered: list[Report] = []
        self.number = 0
        self.repeats = False

    def __len__(self) -> int:
        """How many have not been answered yet."""
        return len(self._waiting)

    def add(self, settlement: Settlement, free_at: float, found: range = range(0)) -> None:
        """One more is to be told; see ``Report``."""
        self._waiting.append(Report(settlement, free_at, found))

    @property
    def members(self) -> list[bytes]:
        """The leases that they are about."""
        return [one.settlement.member for one in self._waiting]

    @property
    def ends(self) -> int:
        """How many end a lease."""
        return sum(one.settlement.operation not in STAYS for one in self._waiting)

    @property
    def answered(self) -> int:
        """The number of the last word that was answered."""
        return self.number - bool(self._unanswered or self.repeats)

    def say(self, unsaid: Sequence[int]) -> Sequence[Report]:
        """What the next round trip tells: the last word again, or a new one.

        Args:
            unsaid: numbers of the requests that are not stored yet, in order: what may have led to them stays leased.
        """
        if not self._unanswered and not self.repeats:
            self._unanswered = [one for one in self._waiting if not one.waits_for(unsaid)][:BATCH]
            self.number += 1
        return self._unanswered

    def heard(self, said: Sequence[Report]) -> None:
        """The word was answered."""
        told = set(map(id, said))
        self._waiting = [one for one in self._waiting if id(one) not in told]
        self._unanswered, self.repeats = [], False

    def drop(self, lost: Collection[bytes]) -> None:
        """Says no more of leases that are lost: it would be taken for the next lease of the same page."""
        if lost:
            self.repeats = self.repeats or bool(self._unanswered)
            self._waiting, self._unanswered = (
                [one for one in some if one.settlement.member not in lost] for some in (self._waiting, self._unanswered)
            )

    def take_back(self) -> None:
        """Nothing that was not said yet is acknowledged: it goes back."""
        said = set(map(id, self._unanswered))
        self._waiting = [
            Report(Settlement("back", one.settlement.member), one.free_at)
            if one.settlement.operation == "ack" and id(one) not in said
            else one
            for one in self._waiting
        ]
