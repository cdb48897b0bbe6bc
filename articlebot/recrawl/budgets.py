"""The budgets of a crawl and of its jobs: what they leave, and by what they scale the intervals.

The number of fetches is kept at a budget by turning the one knob of the policies, and by a hard cap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, log
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.meter import Meter
from articlebot.recrawl.record import PageRecord
from articlebot.recrawl.store import RedisPageStates

_PER_S = 3600.0
# A budget is turned so often in a day, and leaves at least so many seconds' worth ahead between two turns.
_TURNS_A_DAY, _AHEAD_S = 24, 60.0
# Due times follow the scale at once (see ``retime``): most of an error can be taken back in one step; the rest of the
# gain is left out because an hour's demand is noisy.
_GAIN, _LARGEST_STEP = 0.5, log(4.0)
_SMALLEST, _LARGEST = 1e-6, 1e6
# A backlog is worked off over this many steps.
_BACKLOG_STEPS, _RETIME_AT = 6.0, 1.25
# Of so many fetches one is a known page's though new ones are not paid back, as in the queue. It is paid back, too.
_ONE_OF = 4
_Ended = tuple[dict[str, int], float]  # what was counted in a turn, and its seconds


class Budgets:
    """Counts visits against budgets, together with all other workers.

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
        self._jobs, self.meters, self._shares = dict[str, Budget](), dict[str, Meter](), dict[str, Meter]()
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
            self.meters[job] = Meter(an_hour, _PER_S, _number(kept, "paid_at", 0.0))
            self._shares[job] = Meter(an_hour / _ONE_OF, _PER_S, _number(kept, "share_at", 0.0))
            self._jobs[job] = _resumed(Budget(an_hour, _PER_S), kept)

    def forget(self, jobs: Iterable[str]) -> None:
        """Ends the budgets of jobs; they begin anew as the terms say at the next visit."""
        for job in jobs:
            for kept in (self._jobs, self.meters, self._shares):
                kept.pop(job, None)

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

        Pages never read need no grant: what they cost is paid back before others get more than their share.
        """
        if (meter := self.meters.get(record.job)) is None:
            return 0.0
        share = self._shares[record.job]
        if (wait := meter.grant(now)) <= 0.0:
            share.rest(now)
        elif (wait := min(wait, share.grant(now))) <= 0.0:
            meter.spend(now)
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
        over = self._stepped_at is None or not 0.0 <= now - self._stepped_at < self._turn_s
        backlog, spent, total = 0, self._spent, sum(self._spent.values())
        if over:
            self._stepped_at, self._spent = now, {}
            backlog = (await self._states.counts(now)).due if self._jobs else 0
        for job in list(self.meters):
            if over:
                # How many of the due are this job's is not worth a pass over all of them: by its share of the visits.
                await self._tell_job(job, now, round(backlog * spent.get(job, 0) / total) if total else 0)
            else:
                await self._tell_job(job, now)

    async def _tell_job(self, job: str, now: float, due: int | None = None) -> None:
        """Adds what was spent here of a job's budget to what all have; with pages due, may move the scale, for all."""
        meter, kept = self.meters.get(job), dict[str, Any]()
        if meter is None or (due is None and not meter.untold):  # forgotten meanwhile, or nothing to tell
            return
        known, share, shared = self._jobs[job], self._shares[job], self._shares[job].untold
        own = {"spent": meter.untold, "refused": self._refused.pop(job, 0)}

        def told(before: dict[str, Any] | None) -> dict[str, Any]:
            nonlocal kept
            kept, ended = _counted(own, before, now, inf if due is None else self._turn_s)
            budget = _resumed(known, kept)
            if ended is not None:
                counted, elapsed = ended
                budget = budget.step(counted["spent"], (due or 0) + counted["refused"], elapsed)
            paid_at = meter.told(_number(kept, "paid_at", 0.0))
            kept |= {"scale": budget.scale, "backlog": budget.backlog, "paid_at": paid_at}
            kept["share_at"] = share.told(_number(kept, "share_at", 0.0))
            return kept

        await self._learned.fold("budget", f"job/{job}", told)
        meter.go_by(kept["paid_at"], own["spent"])
        share.go_by(kept["share_at"], shared)
        if self.meters.get(job) is meter:
            self._jobs[job] = _resumed(known, kept)

    async def _step_total(self, total: Budget, now: float, longest: float) -> None:
        """Tells the others what was spent here; the one that is first after a turn moves the scale, for all."""
        if (ended := await self._tell(now)) is None:
            return
        due, (counted, elapsed) = (await self._states.counts(now)).due, ended
        factor, self.total = (self.total or total).step(counted["spent"], due, elapsed).retime()
        if factor != 1.0:
            await self._states.retime(now, factor, longest)
        moved = {"scale": self.total.scale, "timed": self.total.timed, "backlog": self.total.backlog}
        await self._learned.fold("budget", "total", lambda kept: {**(kept or {}), **moved})

    async def _tell(self, now: float) -> _Ended | None:
        """Adds what was spent here to what all have; what a turn counted, where it is over and nobody took it."""
        own, kept, ended = self._untold, dict[str, Any](), None

        def told(before: dict[str, Any] | None) -> dict[str, Any]:
            nonlocal kept, ended
            kept, ended = _counted({"spent": own}, before, now, self._turn_s)
            return kept

        await self._learned.fold("budget", "total", told)
        self._untold -= own
        self._go_by(kept)
        return ended

    async def save(self) -> None:
        """Tells the others what was spent since the last step."""
        for job, meter in list(self.meters.items()):
            await self._tell_job(job, meter.spent_at)
        if self.total is not None:
            own = self._untold
            await self._learned.fold("budget", "total", partial(_plus, {"spent": own}))
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


def _plus(own: dict[str, int], kept: dict[str, Any] | None) -> dict[str, Any]:
    before = kept or {}
    return {"version": 1, **before, **{name: round(_number(before, name, 0.0)) + n for name, n in own.items()}}


def _counted(
    own: dict[str, int], before: dict[str, Any] | None, now: float, turn_s: float
) -> tuple[dict[str, Any], _Ended | None]:
    """What all have counted in this turn; and in the last, with its seconds, where it is over and nobody took it."""
    kept = _plus(own, before)
    elapsed = now - _number(kept, "at", now)
    if 0.0 <= elapsed < turn_s:
        return kept | {"at": now - elapsed}, None
    # Where nobody has counted for two turns, counting begins anew.
    ended = ({name: kept[name] for name in own}, elapsed) if turn_s <= elapsed < 2 * turn_s else None
    return kept | {"at": now, **(own if ended is None else dict.fromkeys(own, 0))}, ended


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
