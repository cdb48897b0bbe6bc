"""Design D's experiment: the period of each policy over the visits against the page's real one."""

from __future__ import annotations

import random
from bisect import bisect_right

from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import Policy

Points = list[tuple[float, float]]


def periods(policy: Policy, real: list[tuple[int, float]], params: Params, seed: int, distance: int = 12) -> Points:
    """(day of the visit, period in hours) at each visit of a page that changes at a regular period.

    Args:
        real: (number of changes, period in seconds) of each phase of the page's life.
        distance: SimHash distance of each change.
    """
    rng = random.Random(seed)
    changes: list[float] = []
    at = 0.0
    for count, period in real:
        for _ in range(count):
            at += period
            changes.append(at)
    state: PageState | None = None
    points: Points = []
    now, seen = 0.0, 0
    while now < changes[-1]:
        found = bisect_right(changes, now)
        if state is None or found > seen:
            observation = Observation(now, "changed", Kind.DOCUMENT, 1, distance)
        else:
            observation = Observation(now, "unchanged", Kind.DOCUMENT, 0, 0)
        state = policy.next_state(state, observation, params, now, rng)
        points.append((now / 86400, (state.next_at - now) / 3600))
        seen, now = found, state.next_at
    return points
