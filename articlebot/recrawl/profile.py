"""When in the week a site publishes: a rate per hour of the week, and time measured by it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import floor, inf

HOURS = 168
# Visits follow the rate of the hour with this power. One half would be best for the mean delay if the rate were known;
# a little less costs it nothing that can be measured and shortens the longest.
_PACE_POWER = 0.4
# How far from the even gap a visit may be moved to a better day: days, and shares of the gap.
_DAYS_AROUND = 4
_SOONEST, _LATEST = 0.7, 1.45


class Profile:
    """Relative publishing rates over the hours of a local week, with mean 1; immutable.

    Two clocks run on it: *work*, in which a site of this profile publishes evenly, and *pace*, in which visits that
    follow a power of the rate are evenly spaced. Both gain one week per week.

    Args:
        rates: 168 weights, the first for Thursday 0:00 to 1:00 (epoch second 0 is a Thursday); scaled to mean 1.
        day_s: length of a day in seconds.
        utcoffset: what to add to epoch seconds for local time, seconds.
    """

    __slots__ = (
        "_bin_s", "_offset", "_pace", "_pace_cumulative", "_wait_cumulative", "_week_s", "_work_cumulative", "rates",
    )  # fmt: skip

    def __init__(self, rates: Sequence[float], day_s: float = 86400.0, utcoffset: float = 0.0) -> None:
        if len(rates) != HOURS or min(rates) <= 0.0:
            raise ValueError(f"a profile has {HOURS} rates above 0")
        mean = sum(rates) / HOURS
        self.rates: tuple[float, ...] = tuple(rate / mean for rate in rates)
        self._bin_s, self._offset = day_s / 24, utcoffset
        self._week_s = self._bin_s * HOURS
        roots: list[float] = [rate**_PACE_POWER for rate in self.rates]
        root_mean = sum(roots) / HOURS
        self._pace = tuple(root / root_mean for root in roots)
        self._work_cumulative = (0.0, *accumulate(rate * self._bin_s for rate in self.rates))
        self._pace_cumulative = (0.0, *accumulate(root * self._bin_s for root in self._pace))
        # The integral of work time: what was published in a span, times how long it has waited at the end of it.
        work = self._work_cumulative
        self._wait_cumulative = (0.0, *accumulate((a + b) / 2 * self._bin_s for a, b in pairwise(work)))

    def work(self, start: float, end: float) -> float:
        """Seconds of work time from ``start`` to ``end`` (epoch seconds); 0 where the end is not later."""
        return self._between(start, end, self._work_cumulative, self.rates)

    def pace(self, start: float, end: float) -> float:
        """Seconds of pace time from ``start`` to ``end``."""
        return self._between(start, end, self._pace_cumulative, self._pace)

    def after(self, start: float, pace_s: float) -> float:
        """Seconds from ``start`` until ``pace_s`` seconds of pace time have passed."""
        _, within, index = self._place(start + self._offset)
        begun = self._pace_cumulative[index] + (within - index * self._bin_s) * self._pace[index]
        more_weeks, target = divmod(begun + pace_s, self._week_s)
        at = min(bisect_right(self._pace_cumulative, target) - 1, HOURS - 1)
        reached = at * self._bin_s + (target - self._pace_cumulative[at]) / self._pace[at]
        return max(0.0, more_weeks * self._week_s + reached - within)

    def settle(self, start: float, gap: float, late: float = 0.5) -> float:
        """Seconds from ``start`` to the visit near ``gap`` after which least waits: at the end of a working week
        rather than before the next.

        That ``gap`` is right in an even week says what a visit is worth. Tried are ``gap`` itself and the ends of the
        local days around it; the one wins with which this visit and another ``gap`` after it cost least per time.

        Args:
            late: 0 to 1, when in the quarter of a day around a day's end, so that not all pages come in one instant.
        """
        day, local = 24 * self._bin_s, (start + self._offset) % self._week_s
        middle = round((local + gap) / day)
        ends = [
            (number + (late - 0.5) / 4) * day - local
            for number in range(middle - _DAYS_AROUND, middle + _DAYS_AROUND + 1)
        ]
        work_before, waited_before = self._waited(local)
        best, least = gap, inf
        for wait in (gap, *(end for end in ends if _SOONEST * gap <= end <= _LATEST * gap)):
            work, waited = self._waited(local + wait)
            _, waited_after = self._waited(local + wait + gap)
            missed = (waited - waited_before - work_before * wait) + (waited_after - waited - work * gap)
            cost = (missed + gap * gap) / (wait + gap)
            if cost < least:
                best, least = wait, cost
        return best

    def _waited(self, local: float) -> tuple[float, float]:
        """Work time since the beginning of a week, and the integral of it."""
        weeks, within, index = self._place(local)
        before = weeks * self._week_s
        past, work, rate = within - index * self._bin_s, self._work_cumulative[index], self.rates[index]
        whole = weeks * self._wait_cumulative[HOURS] + self._week_s * before * (weeks - 1) / 2 + before * within
        return before + work + rate * past, whole + self._wait_cumulative[index] + (work + rate * past / 2) * past

    def _place(self, local: float) -> tuple[int, float, int]:
        """Whole weeks until a local time, the seconds since the last one's end, and the hour's number."""
        weeks = floor(local / self._week_s)
        within = local - weeks * self._week_s
        return weeks, within, min(int(within / self._bin_s), HOURS - 1)

    def _between(self, start: float, end: float, cumulative: Sequence[float], rates: Sequence[float]) -> float:
        """Seconds by a clock that runs at these rates, and has run ``cumulative`` when each hour begins."""

        def shown(at: float) -> float:
            weeks, within, index = self._place(at + self._offset)
            return weeks * self._week_s + cumulative[index] + (within - index * self._bin_s) * rates[index]

        return max(0.0, shown(end) - shown(start))
