"""Keeps the number of fetches at a budget: by turning the one knob of the policies, and by a hard cap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log

# Intervals are proportional to the scale, and due times follow it at once (see ``retime``), so most of an error can be
# taken back in one step; the rest of the gain is left out because an hour's demand is noisy.
_GAIN = 0.5
_LARGEST_STEP = log(4.0)
_SMALLEST, _LARGEST = 1e-6, 1e6
# A backlog is worked off over this many steps.
_BACKLOG_STEPS = 6.0
_RETIME_AT = 1.25


@dataclass(frozen=True, slots=True)
class Budget:
    """So many fetches per time, and the scale that meets it; immutable.

    Visits are allocated by marginal gain. The policies choose intervals so that one more visit gains the same on every
    page. One factor on all intervals changes the number of visits and keeps these gains equal.

    Attributes:
        fetches: how many fetches are to be made per ``per_s``; above 0.
        per_s: seconds, such as 3600 or 86400.
        scale: what ``Params.scale`` is to be now.
        backlog: pages that were due and not fetched at the last step.
        timed: the scale for which the due times in the store were last brought in line.
    """

    fetches: float
    per_s: float
    scale: float = 1.0
    backlog: int = 0
    timed: float = 1.0

    def allowed(self, elapsed_s: float) -> float:
        """How many fetches may be made in so many seconds."""
        return self.fetches * max(0.0, elapsed_s) / self.per_s

    def step(self, spent: int, backlog: int, elapsed_s: float) -> Budget:
        """The budget after a step, about an hour: a larger scale where more was asked for than allowed, else a smaller.

        Args:
            spent: fetches made in the step.
            backlog: pages due now and not yet fetched.
            elapsed_s: length of the step in seconds.
        """
        allowed = self.allowed(elapsed_s)
        if allowed <= 0.0:
            return replace(self, backlog=backlog)
        # One fetch more on both sides keeps a step without any fetch, or a budget of less than one, finite.
        demand = max(0.0, spent + (backlog - self.backlog) + backlog / _BACKLOG_STEPS)
        # Not its logarithm: that of a few fetches an hour is biased by their chance, and so would be what is spent.
        error = (demand - allowed) / (allowed + 1.0)
        move = min(max(_GAIN * error, -_LARGEST_STEP), _LARGEST_STEP)
        return replace(self, scale=min(max(self.scale * exp(move), _SMALLEST), _LARGEST), backlog=backlog)

    def retime(self) -> tuple[float, Budget]:
        """(factor, budget): multiply the waits of all pages by the factor to follow the scale; 1 for not now.

        A page that was visited long ago waits by an old scale. Without this, a scale that starts too large would be
        corrected only when the pages come due.
        """
        factor = self.scale / self.timed
        if 1.0 / _RETIME_AT < factor < _RETIME_AT:
            return 1.0, self
        return factor, replace(self, timed=self.scale)


# What was not spent can be caught up with for so many seconds; what was spent ahead is forgotten beyond so many.
_CATCH_UP_S = 60.0
_LONGEST_DEBT_S = 86400.0


class Meter:
    """A cap on fetches: what is spent is paid back at the budget's pace before more is granted.

    A leaky bucket as a virtual scheduler (ITU-T I.371, the generic cell rate algorithm): one number of state.

    Args:
        fetches, per_s: the budget.
        paid_at: when all that was spent is paid back, epoch seconds; 0 for nothing spent.
    """

    def __init__(self, fetches: float, per_s: float, paid_at: float = 0.0) -> None:
        self._each_s = per_s / fetches
        self.paid_at = paid_at
        self._refused = 0

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
        self.paid_at = max(self.paid_at, now - max(0.0, _CATCH_UP_S - self._each_s)) + self._each_s
