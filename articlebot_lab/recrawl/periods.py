"""Design D's experiment: the period of each policy over the visits against the page's real one."""

from __future__ import annotations

import random
from bisect import bisect_right
from pathlib import Path
from statistics import median_high
from typing import Any

from articlebot.recrawl import policy as policy_named
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import DAY, Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import Policy
from articlebot_lab.recrawl.plot import lines

Points = list[tuple[float, float]]

_HOUR = 3600.0
# Design D's page: it changes every four hours, then every day, then every hour.
_PHASES = [(60, 4 * _HOUR), (25, DAY), (120, _HOUR)]
_POLICIES = ("default", "ratio", "similarity", "additive", "nutch")


def of_policies(plot: Path | None) -> list[dict[str, Any]]:
    """The periods of each policy in hours, a row each: the first, the median and the last.

    Args:
        plot: PNG file that they are also drawn into.

    Raises:
        ConfigError: a plot is wanted, and matplotlib is not installed.
    """
    params = Params(initial=2 * _HOUR, min_interval=600.0, max_interval=4 * DAY)
    series = {name: periods(policy_named(name), _PHASES, params, 0) for name in _POLICIES}
    if plot:
        real, at = [], 0.0
        for count, period in _PHASES:
            real += [(at / DAY, period / _HOUR), ((at + count * period) / DAY, period / _HOUR)]
            at += count * period
        lines(series, real, "A page that changes every 4 h, then daily, then hourly", plot)
    return [
        {
            "policy": name,
            "visits": len(points),
            "first_h": points[0][1],
            "median_h": median_high(period for _, period in points),
            "last_h": points[-1][1],
        }
        for name, points in series.items()
    ]


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
        points.append((now / DAY, (state.next_at - now) / _HOUR))
        seen, now = found, state.next_at
    return points
