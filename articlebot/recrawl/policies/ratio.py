"""Design A: the interval is the observed time divided by the changes seen in it."""

from __future__ import annotations

import random

from articlebot.recrawl.observation import Observation, is_change
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import UNANSWERED, elapsed, first_visit, unanswered, visited

# Seconds: a hundred years, which a page's state can still hold.
_NO_BOUND = 100 * 365.25 * 86400.0


class Ratio:
    """t/x, exactly: t is the time since the first fetch, x the changes seen, counted from 1.

    First fetch: t=0, x=1, next = last + initial. Later: x += 1 where the page changed, t += now - last, next =
    last + t/x. The design calls a SimHash distance above 5 a change (``rule="simhash"``); the exact hash is
    articlebot's default.

    Source: the adaptive recrawl design (A of the designs).
    """

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if observation.outcome in UNANSWERED:
            return unanswered(state, observation, params, rng)
        if state is None or state.x < 1.0:
            return first_visit(observation, params)
        changed = is_change(observation, params.rule, params.threshold)
        x = state.x + 1.0 if changed else state.x
        # last_at is the last visit with an answer, so t runs on over failed ones as if they had not been made.
        t = state.t + elapsed(state, observation)
        return visited(state, observation, params, t=t, x=x, gap=params.scale * t / x, changed=changed, interval=t / x)


class Unbounded(Ratio):
    """t/x to the letter: no bound of the job or the settings touches the interval. Failures back off as everywhere."""

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if observation.outcome not in UNANSWERED:
            params = params._replace(min_interval=0.0, max_interval=_NO_BOUND)
        return super().next_state(state, observation, params, now, rng)
