"""A fixed interval for every page: what the others are compared with."""

from __future__ import annotations

import random

from articlebot.recrawl.observation import Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import UNANSWERED, elapsed, unjudged, visited


class Uniform:
    """Every page at the job's initial interval, whatever is seen on it."""

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if state is None or state.fetches == 0 or observation.outcome in UNANSWERED:
            return unjudged(state, observation, params, rng)
        changed = observation.outcome == "changed"
        return visited(
            state, observation, params, t=state.t + elapsed(state, observation), x=state.x + changed,
            gap=params.scale * params.initial, changed=changed,
        )  # fmt: skip
