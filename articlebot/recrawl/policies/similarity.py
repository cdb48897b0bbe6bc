"""Design D: the similarity of two versions decides the period."""

from __future__ import annotations

import random

from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import UNANSWERED, elapsed, unjudged, visited

GROWTH = 0.5
SHARPNESS = 4
SHORTEST = 0.5
BITS = 64
# Bounds as multiples of the base interval, so that the one knob moves them along.
MULTIPLE = 16.0
# What a change is taken for where no fingerprints can be compared.
_UNKNOWN = 0.75


class Similarity:
    """The period follows the SimHash similarity s = 1 - distance/64 of what was found to what was there before.

    At the similarity of the change threshold (s0 = 1 - threshold/64) the period stays; above it grows, to one and a
    half times at identical content; below it shrinks by (s/s0)^4, at most to half. Over the visits it swings into the
    page's real period.

    Source: the incremental collection design (D of the designs), which gives the principle; the numbers are
    articlebot's.
    """

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if state is None or state.fetches == 0 or observation.outcome in UNANSWERED:
            return unjudged(state, observation, params, rng)
        level = 1.0 - params.threshold / BITS
        similarity = _similarity(observation, level)
        if similarity >= level:
            factor = 1.0 + GROWTH * ((similarity - level) / (1.0 - level) if level < 1.0 else 1.0)
        else:
            factor = max(SHORTEST, (similarity / level) ** SHARPNESS)
        base = params.initial * params.scale
        period = min(max(state.interval * factor, base / MULTIPLE), base * MULTIPLE)
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
        return 1.0 - observation.distance / BITS
    return level ** max(1, observation.new_items) if observation.kind is Kind.LIST else _UNKNOWN
