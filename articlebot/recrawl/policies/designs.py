"""The policies of the source designs, and others to compare them with."""

from __future__ import annotations

import random

from articlebot.recrawl.observation import Kind, Observation, is_change
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import UNANSWERED, elapsed, first_visit, unanswered, unjudged, visited

# Seconds: a hundred years, which a page's state can still hold.
_NO_BOUND = 100 * 365.25 * 86400.0
# Design E names neither; multiples of 4 let a job's base interval swing over a factor of 16.
_STEP, _MULTIPLE = 0.5, 4.0
# Design D gives no numbers. Bounds are multiples of the base interval, so that the one knob moves them along.
_GROWTH, _SHARPNESS, _LEAST_FACTOR, _MOST = 0.5, 4, 0.5, 16.0
_BITS = 64
# What a change is taken for where no fingerprints can be compared.
_UNKNOWN = 0.75
# Nutch's documented defaults. Bounds as multiples of the base interval: the rates alone have a fixed point (an update
# at 60% of the visits) that no factor on the interval can move.
_INCREASE, _DECREASE, _SYNC_RATE = 0.4, 0.2, 0.3
_SHORTEST, _LONGEST = 1 / 4, 16.0


class Ratio:
    """Design A. t/x, exactly: t is the time since the first fetch, x the changes seen, counted from 1.

    First fetch: t=0, x=1, next = last + initial. Later: x += 1 where the page changed, t += now - last, next =
    last + t/x. The design calls a SimHash distance above 5 a change (``rule="simhash"``); the exact hash is
    articlebot's default.
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


class _Judged:
    """A rule that says what an answer comes to; first visits and failures are as everywhere."""

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if state is None or state.fetches == 0 or observation.outcome in UNANSWERED:
            return unjudged(state, observation, params, rng)
        changed, gap, interval = self._judged(state, observation, params, rng)
        return visited(
            state, observation, params, t=state.t + elapsed(state, observation), x=state.x + changed,
            gap=gap, changed=changed, interval=interval,
        )  # fmt: skip

    def _judged(
        self, state: PageState, observation: Observation, params: Params, rng: random.Random
    ) -> tuple[bool, float, float | None]:
        """Whether an answer counts as a change, seconds to the next visit, and the interval where that is another."""
        raise NotImplementedError


class Uniform(_Judged):
    """Every page at the job's initial interval, whatever is seen on it: what the others are compared with."""

    def _judged(
        self, state: PageState, observation: Observation, params: Params, rng: random.Random
    ) -> tuple[bool, float, float | None]:
        return observation.outcome == "changed", params.scale * params.initial, None


class Additive(_Judged):
    """Design E. After an update the interval is shortened at random, after a visit without one it is lengthened so.

    The step is uniform between 0 and half the job's base interval; the interval stays within a quarter and four times
    the base.
    """

    def _judged(
        self, state: PageState, observation: Observation, params: Params, rng: random.Random
    ) -> tuple[bool, float, float | None]:
        changed = is_change(observation, params.rule, params.threshold)
        base = params.initial * params.scale
        step = rng.uniform(0.0, _STEP * base)
        wanted = state.interval + (-step if changed else step)
        return changed, min(max(wanted, base / _MULTIPLE), base * _MULTIPLE), None


class Similarity:
    """Design D. The period follows the SimHash similarity s = 1 - distance/64 of what was found to what was before.

    At the similarity of the change threshold (s0 = 1 - threshold/64) the period stays; above it grows, to one and a
    half times at identical content; below it shrinks by (s/s0)^4, at most to half. Over the visits it swings into the
    page's real period. The design gives the principle; the numbers are articlebot's.
    """

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if state is None or state.fetches == 0 or observation.outcome in UNANSWERED:
            return unjudged(state, observation, params, rng)
        level = 1.0 - params.threshold / _BITS
        similarity = _similarity(observation, level)
        if similarity >= level:
            factor = 1.0 + _GROWTH * ((similarity - level) / (1.0 - level) if level < 1.0 else 1.0)
        else:
            factor = max(_LEAST_FACTOR, (similarity / level) ** _SHARPNESS)
        base = params.initial * params.scale
        period = min(max(state.interval * factor, base / _MOST), base * _MOST)
        return visited(
            state, observation, params, t=state.t + elapsed(state, observation), x=state.x + (similarity < level),
            gap=period, changed=observation.outcome == "changed", interval=period,
        )  # fmt: skip


def _similarity(observation: Observation, level: float) -> float:
    """What is left of the visit before; a list page keeps the threshold's share for each item that is new on it.

    One item is the least that a list can change by: where each visit finds one, the period is the page's own.
    """
    if observation.outcome != "changed":
        return 1.0
    if observation.distance is not None:
        return 1.0 - observation.distance / _BITS
    return level ** max(1, observation.new_items) if observation.kind is Kind.LIST else _UNKNOWN


class Nutch(_Judged):
    """An interval grows by 0.4 of itself without a change and shrinks by 0.2 with one, synchronised with the change.

    Synchronising: with d the time since the page's last change, the interval is at least d, and the next visit is
    counted from 0.3 d before this one.

    Source: ``AdaptiveFetchSchedule`` of Apache Nutch (its documented defaults; rewritten from the description).
    """

    def _judged(
        self, state: PageState, observation: Observation, params: Params, rng: random.Random
    ) -> tuple[bool, float, float | None]:
        changed = is_change(observation, params.rule, params.threshold)
        base = params.initial * params.scale
        interval = state.interval * (1.0 - _DECREASE if changed else 1.0 + _INCREASE)
        modified = observation.last_change_at
        if modified is None:
            modified = observation.at if changed else state.changed_at
        since = max(0.0, observation.at - modified)
        interval = min(max(interval, since, base * _SHORTEST), base * _LONGEST)
        return changed, max(interval - _SYNC_RATE * min(since, interval), base * _SHORTEST), interval
