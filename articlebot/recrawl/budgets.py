"""The budgets of a crawl and of its jobs: what they leave, and by what they scale the intervals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.budget import Budget, Meter
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.record import PageRecord
from articlebot.recrawl.store import RedisPageStates

_PER_S = 3600.0
# A budget is turned so often in a day, and leaves at least so many seconds' worth ahead between two turns.
_TURNS_A_DAY, _AHEAD_S = 24, 60.0


class Budgets:
    """Counts visits against budgets.

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
        self._spent: dict[str, int] = {}
        self._granted: set[int] = set()
        self._refused: dict[str, int] = {}
        self._stepped_at: float | None = None
        self._opening = asyncio.Lock()

    async def open_total(self) -> None:
        """Goes on with the scale at which the whole crawl's budget was last met."""
        if self.total is not None:
            self.total = _resumed(self.total, await self._read("total"))

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
        since = 0.0 if self._stepped_at is None else max(0.0, now - self._stepped_at)
        return max(0, round(self.total.allowed(since + _AHEAD_S)) - sum(self._spent.values()))

    async def step(self, now: float, day_s: float, longest: float) -> None:
        """Turns the budgets; to be called now and then, acts 24 times in a day.

        Args:
            now: epoch seconds.
            day_s: length of a day in seconds.
            longest: seconds that a page may wait at most.
        """
        if self._stepped_at is None or now < self._stepped_at:
            self._stepped_at = now
            return
        elapsed = now - self._stepped_at
        if elapsed < day_s / _TURNS_A_DAY:
            return
        self._stepped_at = now
        backlog = (await self._states.counts(now)).due if self.total or self._jobs else 0
        spent, self._spent = self._spent, {}
        total = sum(spent.values())
        if self.total is not None:
            factor, self.total = self.total.step(total, backlog, elapsed).retime()
            if factor != 1.0:
                await self._states.retime(now, factor, longest)
        for job, budget in self._jobs.items():
            # How many of the pages due are this job's is not worth a pass over all of them: by its share of the visits.
            share = round(backlog * spent.get(job, 0) / total) if total else 0
            self._jobs[job] = budget.step(spent.get(job, 0), share + self._refused.pop(job, 0), elapsed)

    async def save(self) -> None:
        """Writes the scales, and until when the jobs pay back."""
        kept = {
            f"job/{job}": {"version": 1, "scale": budget.scale, "paid_at": self.meters[job].paid_at}
            for job, budget in self._jobs.items()
        }
        if self.total is not None:
            kept["total"] = {"version": 1, "scale": self.total.scale}
        await self._learned.write("budget", kept)

    async def _read(self, name: str) -> dict[str, Any]:
        """What was kept; a damaged record is left behind."""
        try:
            return await self._learned.read("budget", name) or {}
        except StateError:
            self._count("state_refused")
            return {}


def _resumed(budget: Budget, kept: dict[str, Any]) -> Budget:
    scale = kept.get("scale")
    if not isinstance(scale, int | float) or not scale > 0:
        return budget
    return Budget(budget.fetches, budget.per_s, float(scale), timed=float(scale))
