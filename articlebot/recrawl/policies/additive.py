"""Design E: a random step down after an update, a random step up without one."""

from __future__ import annotations

import random

from articlebot.recrawl.observation import Observation, is_change
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import UNANSWERED, elapsed, unjudged, visited

# The design names neither; multiples of 4 let a job's base interval swing over a factor of 16.
STEP = 0.5
MULTIPLE = 4.0


class Additive:
    """After a visit with an update the interval is shortened at random, after one without it is lengthened at random.

    The step is uniform between 0 and half the job's base interval; the interval stays within a quarter and four times
    the base.

    Source: the real-time article crawling design (E of the designs).
    """

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if state is None or state.fetches == 0 or observation.outcome in UNANSWERED:
            return unjudged(state, observation, params, rng)
        changed = is_change(observation, params.rule, params.threshold)
        base = params.initial * params.scale
        step = rng.uniform(0.0, STEP * base)
        interval = min(max(state.interval + (-step if changed else step), base / MULTIPLE), base * MULTIPLE)
        return visited(
            state, observation, params, t=state.t + elapsed(state, observation), x=state.x + changed,
            gap=interval, changed=changed,
        )  # fmt: skip
