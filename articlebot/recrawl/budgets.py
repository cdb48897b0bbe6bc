"""The budgets of a crawl and of its jobs: what they leave, and by what they scale the intervals.

The number of fetches is kept at a budget by turning the one knob of the policies, and by a hard cap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, log
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.record import PageRecord
from articlebot.recrawl.store import RedisPageStates

_PER_S = 3600.0
# A budget is turned so often in a day, and leaves at least so many seconds' worth ahead between two turns.
_TURNS_A_DAY, _AHEAD_S = 24, 60.0
# Intervals are proportional to the scale, and due times follow it at once (see ``retime``), so most of an error can be
# taken back in one step; the rest of the gain is left out because an hour's demand is noisy.
_GAIN, _LARGEST_STEP = 0.5, log(4.0)
_SMALLEST, _LARGEST = 1e-6, 1e6
# A backlog is worked off over this many steps.
_BACKLOG_STEPS = 6.0
_RETIME_AT = 1.25


class Budgets:
    """Counts visits against budgets: for the whole crawl's, together with all other workers.

    Args:
        states: of the pages, to know what is due, and to bring due times in line.
        learned: where the scales are kept.
        total: budget of the whole crawl, None for none.
        count: called with the name of each outcome, for stats.
    """

    def __init__(
        self, states: RedisPageStates, learned: RedisLearned, total: Budget | None, count: Callable[[str], None]
    ) -> None:
        self._states, self._learned, self._count = states, learned, count
        self.total = total
        self._jobs: dict[str, Budget] = {}
        self.meters: dict[str, Meter] = {}
        self._spent, self._refused = dict[str, int](), dict[str, int]()
        self._granted: set[int] = set()
        self._stepped_at: float | None = None
        # Visits that the others do not know of; and, as of the last look, since when all have counted, and how many.
        self._untold, self._all_since, self._all_spent = 0, 0.0, 0
        self._turn_s = 86400.0 / _TURNS_A_DAY
        self._opening = asyncio.Lock()

    async def open_total(self) -> None:
        """Goes on with the scale at which the whole crawl's budget was last met."""
        self._go_by(await self._read("total"))

    def _go_by(self, kept: dict[str, Any]) -> None:
        if self.total is not None:
            self.total = _resumed(self.total, kept)
        self._all_since, self._all_spent = _number(kept, "at", 0.0), round(_number(kept, "spent", 0.0))

    async def open(self, job: str, an_hour: float | None) -> None:
        """Goes on with a job's budget in fetches per hour, where it has one and it is not open yet."""
        if an_hour is None or job in self._jobs:
            return
        async with self._opening:
            if job in self._jobs:
                return
            kept = await self._read(f"job/{job}")
            paid_at = kept.get("paid_at")
            self.meters[job] = Meter(an_hour, _PER_S, float(paid_at) if isinstance(paid_at, int | float) else 0.0)
            self._jobs[job] = _resumed(Budget(an_hour, _PER_S), kept)

    def forget(self, jobs: Iterable[str]) -> None:
        """Ends the budgets of jobs; they begin anew as the terms say at the next visit."""
        for job in jobs:
            self._jobs.pop(job, None)
            self.meters.pop(job, None)

    def scale(self, job: str) -> float:
        """By what a job's intervals are to be multiplied."""
        scale = 1.0 if self.total is None else self.total.scale
        return scale * self._jobs[job].scale if job in self._jobs else scale

    def spend(self, record: PageRecord, at: float) -> None:
        """Counts a visit at an epoch time."""
        self._spent[record.job] = self._spent.get(record.job, 0) + 1
        self._untold += 1
        if record.key in self._granted:
            self._granted.remove(record.key)
        elif record.job in self.meters:
            self.meters[record.job].spend(at)

    def grant(self, record: PageRecord, now: float) -> float:
        """0 where the job's budget lets a due page be fetched now, which is counted; else the seconds to wait.

        Pages visited for the first time need no grant: what they cost is paid back before others get one.
        """
        if (meter := self.meters.get(record.job)) is None:
            return 0.0
        wait = meter.grant(now)
        if wait > 0.0:
            self._refused[record.job] = self._refused.get(record.job, 0) + 1
            self._count("over_budget")
        else:
            self._granted.add(record.key)
        return wait

    def allowance(self, now: float) -> int | None:
        """How many pages may be leased now under the budget of the whole crawl; None without one."""
        if self.total is None:
            return None
        since = min(max(0.0, now - self._all_since), self._turn_s)
        return max(0, round(self.total.allowed(since + _AHEAD_S)) - self._all_spent - self._untold)

    async def step(self, now: float, day_s: float, longest: float) -> None:
        """Turns the budgets; to be called now and then, acts 24 times in a day.

        Args:
            now: epoch seconds.
            day_s: length of a day in seconds.
            longest: seconds that a page may wait at most.
        """
        self._turn_s = day_s / _TURNS_A_DAY
        if self.total is not None:
            await self._step_total(self.total, now, longest)
        if self._stepped_at is None or now < self._stepped_at:
            self._stepped_at = now
            return
        elapsed = now - self._stepped_at
        if elapsed < self._turn_s:
            return
        self._stepped_at = now
        backlog = (await self._states.counts(now)).due if self._jobs else 0
        spent, self._spent = self._spent, {}
        total = sum(spent.values())
        for job, budget in self._jobs.items():
            # How many of the pages due are this job's is not worth a pass over all of them: by its share of the visits.
            share = round(backlog * spent.get(job, 0) / total) if total else 0
            self._jobs[job] = budget.step(spent.get(job, 0), share + self._refused.pop(job, 0), elapsed)

    async def _step_total(self, total: Budget, now: float, longest: float) -> None:
        """Tells the others what was spent here; the one that is first after a turn moves the scale, for all."""
        if (ended := await self._tell(now)) is None:
            return
        due = (await self._states.counts(now)).due
        factor, self.total = (self.total or total).step(ended[0], due, ended[1]).retime()
        if factor != 1.0:
            await self._states.retime(now, factor, longest)
        moved = {"scale": self.total.scale, "timed": self.total.timed, "backlog": self.total.backlog}
        await self._learned.fold("budget", "total", lambda kept: {**(kept or {}), **moved})

    async def _tell(self, now: float) -> tuple[int, float] | None:
        """Adds what was spent here to what all have; that and its seconds, where a turn is over and nobody took it."""
        own, kept, ended = self._untold, dict[str, Any](), None

        def told(before: dict[str, Any] | None) -> dict[str, Any]:
            nonlocal kept, ended
            kept = _plus(own, before)
            elapsed, spent = now - _number(kept, "at", now), kept["spent"]
            ended = (spent, elapsed) if self._turn_s <= elapsed < 2 * self._turn_s else None
            # Where nobody has counted for two turns, counting begins anew.
            goes_on = 0.0 <= elapsed < self._turn_s
            kept |= {"at": now - elapsed if goes_on else now, "spent": spent if goes_on else 0 if ended else own}
            return kept

        await self._learned.fold("budget", "total", told)
        self._untold -= own
        self._go_by(kept)
        return ended

    async def save(self) -> None:
        """Writes the scales of the jobs, until when they pay back, and what was spent since the last step."""
        await self._learned.write("budget", {
            f"job/{job}": {"version": 1, "scale": budget.scale, "paid_at": self.meters[job].paid_at}
            for job, budget in self._jobs.items()
        })  # fmt: skip
        if self.total is not None:
            own = self._untold
            await self._learned.fold("budget", "total", partial(_plus, own))
            self._untold -= own

    async def _read(self, name: str) -> dict[str, Any]:
        """What was kept; a damaged record is left behind."""
        try:
            return await self._learned.read("budget", name) or {}
        except StateError:
            self._count("state_refused")
            return {}


def _resumed(budget: Budget, kept: dict[str, Any]) -> Budget:
    if (scale := _number(kept, "scale", 0.0)) <= 0.0:
        return budget
    backlog, timed = round(_number(kept, "backlog", 0.0)), _number(kept, "timed", scale)
    return Budget(budget.fetches, budget.per_s, scale, backlog, timed)


def _plus(own: int, kept: dict[str, Any] | None) -> dict[str, Any]:
    return {"version": 1, **(kept or {}), "spent": round(_number(kept or {}, "spent", 0.0)) + own}


def _number(kept: dict[str, Any], name: str, absent: float) -> float:
    value = kept.get(name)
    return float(value) if isinstance(value, int | float) else absent


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
