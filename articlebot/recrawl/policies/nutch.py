"""The adaptive schedule of Apache Nutch, for comparison."""

from __future__ import annotations

import random

from articlebot.recrawl.observation import Observation, is_change
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import UNANSWERED, elapsed, unjudged, visited

INCREASE = 0.4
DECREASE = 0.2
SYNC_RATE = 0.3
# Bounds as multiples of the base interval, so that the one knob moves them along: the rates alone have a fixed point
# (an update at 60% of the visits) that no factor on the interval can move.
SHORTEST, LONGEST = 1 / 4, 16.0


class Nutch:
    """An interval grows by 0.4 of itself without a change and shrinks by 0.2 with one, synchronised with the change.

    Synchronising: with d the time since the page's last change, the interval is at least d, and the next visit is
    counted from 0.3 d before this one.

    Source: ``AdaptiveFetchSchedule`` of Apache Nutch (its documented defaults; rewritten from the description).
    """

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if state is None or state.fetches == 0 or observation.outcome in UNANSWERED:
            return unjudged(state, observation, params, rng)
        changed = is_change(observation, params.rule, params.threshold)
        base = params.initial * params.scale
        interval = state.interval * (1.0 - DECREASE if changed else 1.0 + INCREASE)
        modified = observation.modified_at
        if modified is None:
            modified = observation.at if changed else state.changed_at
        since = max(0.0, observation.at - modified)
        interval = min(max(interval, since, base * SHORTEST), base * LONGEST)
        return visited(
            state, observation, params, t=state.t + elapsed(state, observation), x=state.x + changed,
            gap=max(interval - SYNC_RATE * min(since, interval), base * SHORTEST), changed=changed, interval=interval,
        )  # fmt: skip
