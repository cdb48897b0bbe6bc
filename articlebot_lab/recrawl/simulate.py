"""Replays real change histories against a policy, with the code that the crawl runs."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from math import exp, log
from typing import NamedTuple

from articlebot.recrawl.budgets import Budget
from articlebot.recrawl.hearing import due_after, heard
from articlebot.recrawl.knowledge import Knowledge
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import DAY, Params
from articlebot.recrawl.signals import STATED, Signals, tells
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import Policy
from articlebot_lab.recrawl.signals import Signal
from articlebot_lab.recrawl.tally import WARM_UP, Tally
from articlebot_lab.recrawl.traces import Trace, TracePage

TOLERANCE = 0.015
_MAX_RUNS = 14
_LARGEST_MOVE = 3.0
# The first search is on every fourth page, where these are enough, and ends within so much of the goal.
_ENOUGH_PAGES, _EVERY, _COARSE = 40, 4, 0.04
# A slope of the logarithm of fetches over that of the scale; a flatter one is chance.
_FLATTEST = -0.3

Visited = Callable[[TracePage, PageState], None]


class Calibrated(NamedTuple):
    """A run whose fetches are as many as wanted: its scale and its tallies by kind.

    Attributes:
        slope: of the logarithm of the fetches over that of the scale.
        replayed: visits replayed until it was found.
    """

    scale: float
    tallies: dict[Kind, Tally]
    spent: int
    slope: float
    replayed: int


def base_params(per_page_day: float) -> Params:
    """The parameters of a simulation in which a fixed interval would spend so many fetches per page and day."""
    return Params(initial=DAY / per_page_day, min_interval=30.0, max_interval=max(45 * DAY, 20 * DAY / per_page_day))


class Replay:
    """One run of a policy over a trace.

    Args:
        visited: called after each visit, for plots.
        budget: turned each hour to meet a number of fetches, instead of a fixed ``params.scale``.
        every: replay only one page in so many.
        signals: of changes, by time; heard by policies that weigh them.
    """

    def __init__(
        self, trace: Trace, policy: Policy, params: Params, seed: int, *, visited: Visited | None = None,
        budget: Budget | None = None, every: int = 1, signals: Sequence[Signal] = (),
    ) -> None:  # fmt: skip
        self.trace, self.policy, self.params = trace, policy, params._replace(utcoffset=trace.utcoffset)
        self.rng = random.Random(seed)
        self.visited, self.budget = visited, budget
        self.hours: list[int] = []
        self._knowledge = Knowledge(self.params)
        self._states: list[PageState | None] = [None] * len(trace.pages)
        self._seen = [0] * len(trace.pages)
        self._warm = trace.t0 + WARM_UP * (trace.t1 - trace.t0)
        self._heap = [
            (page.birth + self._late(page), index) for index, page in enumerate(trace.pages) if index % every == 0
        ]
        self._every = every
        self._signals = signals if getattr(policy, "hears_signals", False) else ()
        self._heard = Signals()
        # Of each page the signals since its last visit, and when it is due by them; the heap keeps its older times too.
        self._pending = [0] * len(trace.pages)
        self._due = {index: at for at, index in self._heap} if self._signals else {}

    def run(self) -> dict[Kind, Tally]:
        """What came of it, by kind; the first 30% of the trace are not counted."""
        trace, pages, heap, warm = self.trace, self.trace.pages, self._heap, self._warm
        tallies = {kind: Tally(len(pages)) for kind in Kind}
        heapify(heap)
        next_hour = trace.t0 + DAY / 24 if self.budget is not None else float("inf")
        self.hours = [0]
        signals = iter(self._signals)
        signal = next(signals, None)
        while heap:
            # Before the page is taken: the hour may move it too.
            while next_hour <= min(heap[0][0], trace.t1):
                self._hour(next_hour)
                next_hour += DAY / 24
            while signal is not None and signal.at <= heap[0][0]:
                self._hear(signal)
                signal = next(signals, None)
            at, index = heappop(heap)
            if self._due and self._due[index] != at:
                continue
            page = pages[index]
            if at > page.end:
                continue
            before, state = self._seen[index], self._states[index]
            after = self._visit(index, at)
            self.hours[-1] += 1
            if at >= warm:
                since = None if state is None else state.last_at
                tallies[page.kind].visit(index, page, since, at, before, self._seen[index], warm)
            heappush(heap, (after.next_at, index))
            if self._due:
                self._due[index] = after.next_at
        for index, page in enumerate(pages):
            state = self._states[index]
            if page.end > warm and state is not None:
                tallies[page.kind].close(index, page, state.last_at, self._seen[index], warm)
        return tallies

    def _late(self, page: TracePage) -> float:
        # Pages that are there from the start are found over the first interval, not all in one instant.
        first = min(self.params.initial * self.params.scale, DAY)
        return self.rng.random() * first if page.birth <= self.trace.t0 else 0.0

    def _visit(self, index: int, at: float) -> PageState:
        page, state, before = self.trace.pages[index], self._states[index], self._seen[index]
        self._seen[index] = seen = bisect_right(page.changes, at, before)
        modified = None
        if page.kind is Kind.ARTICLE:
            modified = page.changes[seen - 1] if seen else page.birth
        if state is None:
            observation = Observation(at, "changed", page.kind, 1, None, modified, index + 1)
        elif seen > before:
            distance = None if page.distances is None else max(page.distances[before:seen])
            observation = Observation(
                at, "changed", page.kind, sum(page.items[before:seen]), distance, modified, index + 1
            )
        else:
            distance = None if page.distances is None else 0
            observation = Observation(at, "unchanged", page.kind, 0, distance, modified, index + 1)
        params = self._knowledge.params(page.site, page.kind, at)
        if self._signals:
            observation = observation._replace(signals=self._pending[index])
            self._pending[index] = 0
            if state is not None and (one := heard(state, observation, params)) is not None:
                self._heard.note(page.site, one)
            params = params._replace(heard=self._heard.worth(page.site, page.kind))
        after = self.policy.next_state(state, observation, params, at, self.rng)
        self._knowledge.observe(page.site, state, observation, after)
        self._states[index] = after
        if self.visited is not None:
            self.visited(page, after)
        return after

    def _hear(self, signal: Signal) -> None:
        """A signal of a page, which may be due sooner by it."""
        index, state = signal.page, self._states[signal.page]
        if state is None or index % self._every:
            return
        page = self.trace.pages[index]
        self._pending[index] |= STATED
        worth = self._heard.worth(page.site, page.kind)
        if not tells(worth, STATED):
            return
        due = self._due[index]
        params = self._knowledge.params(page.site, page.kind, signal.at)._replace(heard=worth)
        sooner = due_after(state._replace(next_at=due), STATED, params, signal.at)
        if sooner < due:
            self._due[index] = sooner
            heappush(self._heap, (sooner, index))

    def _hour(self, now: float) -> None:
        """An hour is over: the budget turns the scale, and all waits follow."""
        assert self.budget is not None
        factor, self.budget = self.budget.step(self.hours[-1], 0, DAY / 24).retime()
        self.hours.append(0)
        self._knowledge.rebase(self.params._replace(scale=self.budget.scale))
        if factor != 1.0:
            longest = self.params.max_interval
            self._heap[:] = [
                (now + min((at - now) * factor, longest) if at > now else at, index)
                for at, index in self._heap
                if not self._due or self._due[index] == at
            ]
            self._due = {index: at for at, index in self._heap} if self._due else {}
            heapify(self._heap)


def replay(trace: Trace, policy: Policy, params: Params, seed: int) -> dict[Kind, Tally]:
    """Runs a policy over a trace at a fixed scale."""
    return Replay(trace, policy, params, seed).run()


def fetches_wanted(trace: Trace, per_page_day: float, every: int = 1) -> float:
    """How many fetches so many per page and day are, in the counted part of a trace."""
    warm = trace.t0 + WARM_UP * (trace.t1 - trace.t0)
    return per_page_day * sum(max(0.0, page.end - max(page.birth, warm)) for page in trace.pages[::every]) / DAY


def calibrate(
    trace: Trace, policy: Policy, params: Params, per_page_day: float, seed: int, *, tolerance: float = TOLERANCE,
    start: float | None = None, signals: Sequence[Signal] = (),
) -> Calibrated:  # fmt: skip
    """The run whose scale spends the wanted fetches within ``tolerance``, or the closest that was found.

    Args:
        start: the scale to try first; None finds one on a quarter of the pages where there are enough.
    """
    replayed, slope = 0, -1.0
    if start is None and len(trace.pages) >= _ENOUGH_PAGES:
        coarse = _search(trace, policy, params, per_page_day, seed, _COARSE, 0.0, slope, _EVERY, signals)
        start, slope, replayed = coarse.scale, coarse.slope, coarse.replayed
    found = _search(trace, policy, params, per_page_day, seed, tolerance, log(start or 1.0), slope, 1, signals)
    return found._replace(replayed=found.replayed + replayed)


def _search(  # noqa: PLR0917 - private, and each differs between the two calls
    trace: Trace, policy: Policy, params: Params, per_page_day: float, seed: int, tolerance: float, x: float,
    slope: float, every: int, signals: Sequence[Signal],
) -> Calibrated:  # fmt: skip
    goal, replayed = fetches_wanted(trace, per_page_day, every), 0
    points: list[tuple[float, float]] = []
    best: tuple[float, Calibrated] | None = None
    for _ in range(_MAX_RUNS):
        run = Replay(trace, policy, params._replace(scale=exp(x)), seed, every=every, signals=signals)
        tallies = run.run()
        replayed += sum(run.hours)
        spent = sum(tally.fetches for tally in tallies.values())
        miss = log(max(spent, 1) / goal)
        points.append((x, miss))
        if len(points) > 1 and abs(x - points[-2][0]) > 1e-9:
            slope = min((miss - points[-2][1]) / (x - points[-2][0]), _FLATTEST)
        if best is None or abs(miss) < best[0]:
            best = abs(miss), Calibrated(exp(x), tallies, spent, slope, replayed)
        if abs(miss) <= log(1.0 + tolerance):
            break
        x = _next_try(points, slope)
    assert best is not None
    return best[1]._replace(slope=slope, replayed=replayed)


def _next_try(points: list[tuple[float, float]], slope: float) -> float:
    """The next logarithm of the scale: false position where the goal is bracketed, else along the last slope."""
    x, miss = points[-1]
    above, below = [p for p in points if p[1] > 0], [p for p in points if p[1] < 0]
    if above and below:
        (x1, y1), (x2, y2) = max(above), min(below)
        return x1 + (x2 - x1) * min(max(y1 / (y1 - y2), 0.1), 0.9)
    return x - min(max(miss / slope, -_LARGEST_MOVE), _LARGEST_MOVE)
