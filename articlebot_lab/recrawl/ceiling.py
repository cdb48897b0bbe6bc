"""What a policy could reach that knew every page's change rate and the week of its site beforehand."""

from __future__ import annotations

import random
from math import sqrt

from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import DAY, Params
from articlebot.recrawl.profile import HOURS, Profile
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import first_visit, visited
from articlebot_lab.recrawl.traces import Trace, TracePage

CEILING = "ceiling"


class KnownRates:
    """Intervals by the square root of rates that are known, on the clock of a known profile.

    An article's rate is known too, but not when in its life the edits come; so this is a ceiling for stationary rates
    only, and a policy that follows bursts may pass it.
    """

    def __init__(self, trace: Trace) -> None:
        self._rates = {index: _rate(page) for index, page in enumerate(trace.pages)}
        self._profile = _profile(trace)

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        """As ``Policy.next_state``; the page's number in the trace travels as its content hash, less one."""
        gap = params.scale * sqrt(DAY / self._rates[observation.content_hash - 1])
        if observation.kind is Kind.LIST:
            gap = self._profile.after(observation.at, min(gap, params.max_interval))
        if state is None:
            return first_visit(observation, params)._replace(next_at=observation.at + params.clamp(gap))
        return visited(state, observation, params, t=0.0, x=0.0, gap=gap, changed=observation.outcome == "changed")


def _rate(page: TracePage) -> float:
    # A page without a change in the trace still has to be looked at.
    return max(sum(page.items), 0.2) / (page.end - page.birth)


def _profile(trace: Trace) -> Profile:
    hours, watched = [1.0] * HOURS, [0.0] * HOURS
    for page in trace.pages:
        for at, items in zip(page.changes, page.items, strict=True):
            hours[int((at + trace.utcoffset) // 3600) % HOURS] += items
    for hour in range(int((trace.t1 - trace.t0) // 3600)):
        watched[int((trace.t0 + trace.utcoffset) // 3600 + hour) % HOURS] += 1.0
    rates = [found / seen if seen else 0.0 for found, seen in zip(hours, watched, strict=True)]
    mean = sum(rates) / max(1, sum(1 for rate in rates if rate))
    known = [rate or mean for rate in rates]
    smooth = [(known[i - 1] + 2 * known[i] + known[(i + 1) % HOURS]) / 4 for i in range(HOURS)]
    return Profile([max(rate, 0.02 * mean) for rate in smooth], DAY, trace.utcoffset)
