"""What a job's budget lets be fetched now."""

from __future__ import annotations

# What was not spent can be caught up with for so many seconds; what was spent ahead is forgotten beyond so many.
_CATCH_UP_S = 60.0
_LONGEST_DEBT_S = 86400.0


class Meter:
    """A cap on fetches: what is spent is paid back at the budget's pace before more is granted.

    A leaky bucket as a virtual scheduler (ITU-T I.371, the generic cell rate algorithm): one number of state.

    Args:
        fetches, per_s: the budget.
        paid_at: when all that was spent is paid back, epoch seconds; 0 for nothing spent.

    Attributes:
        untold: fetches that the other workers do not know of.
        spent_at: epoch seconds of the last fetch; 0 for none.
    """

    def __init__(self, fetches: float, per_s: float, paid_at: float = 0.0) -> None:
        self._each_s = per_s / fetches
        self.paid_at = paid_at
        self._refused = 0
        self.untold, self.spent_at = 0, 0.0

    def grant(self, now: float) -> float:
        """0 for a fetch that may be made now, and is counted; else the seconds to wait, longer for each refused."""
        # A clock that went back must not stop a job for good.
        self.paid_at = min(self.paid_at, now + _LONGEST_DEBT_S)
        if self.paid_at <= now:
            self.spend(now)
            self._refused = 0
            return 0.0
        self._refused += 1
        return self.paid_at - now + (self._refused - 1) * self._each_s

    def spend(self, now: float) -> None:
        """Counts a fetch that nobody asked for."""
        self.untold += 1
        self.spent_at = now
        self.paid_at = self._after(self.paid_at, 1)

    def rest(self, now: float) -> None:
        """Grants nothing until one fetch is paid back that was made now, elsewhere."""
        self.paid_at = max(self.paid_at, now + self._each_s)

    def told(self, paid_at: float) -> float:
        """When all is paid back, where without what is untold it were at ``paid_at``."""
        return self._after(paid_at, self.untold) if self.untold else paid_at

    def go_by(self, paid_at: float, told: int) -> None:
        """Goes by when all workers have paid back what they told, so many fetches of it from here."""
        self.untold -= told
        self.paid_at = self.told(paid_at)

    def _after(self, paid_at: float, fetches: int) -> float:
        ahead = max(0.0, _CATCH_UP_S - self._each_s)
        return max(paid_at, self.spent_at - ahead) + fetches * self._each_s
