"""What a visit says of the signals before it, and what a signal says of the next visit, as ``signals`` counts them."""

from __future__ import annotations

from bisect import bisect_right
from math import exp, log

from articlebot.recrawl.edits import due, span
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.signals import KINDS, Heard
from articlebot.recrawl.state import PageState, changes_due

# Changes a day at which pages that are no articles are told apart; articles are by their age (``edits.AGES``).
_RATES = (1 / 30, 1 / 3, 3.0)


def place(state: PageState, at: float, day_s: float) -> int:
    """Among which of a site's pages one is judged at a moment: an article by its age, others by their pace."""
    if state.kind is Kind.ARTICLE:
        return span(max(0.0, at - state.first_at) / day_s * 24)
    return bisect_right(_RATES, changes_due(state, day_s))


def heard(state: PageState, observation: Observation, params: Params) -> Heard | None:
    """What a visit says of signals; None where it says nothing.

    Args:
        state: the page's before the visit.
        params: by which that visit was laid out.
    """
    if not state.fetches or observation.outcome in ("failed", "gone") or observation.at <= state.last_at:
        return None
    due = _due(state, observation.at - state.last_at, params)
    return Heard(
        state.kind, place(state, observation.at, params.day_s), observation.signals, 1.0 - exp(-due),
        observation.outcome == "changed",
    )  # fmt: skip


def due_after(state: PageState, signals: int, params: Params, now: float) -> float:
    """When a page is due that got signals at ``now``: sooner, never later than before.

    A visit is due when it is likely enough that the page has changed. A signal that is right with probability p does
    as much for that as the wait in which -log(1 - p) changes come without a signal; on a list page, where each item
    counts, as the one in which p come.

    Args:
        signals: bits of the new ones.
    """
    gap = state.next_at - state.last_at
    if params.heard is None or not state.fetches or state.failures or gap <= 0.0:
        return state.next_at
    worth = params.heard[place(state, now, params.day_s)]
    right = max((r for kind, r in zip(KINDS, worth.right, strict=True) if signals & kind), default=0.0)
    if right <= 0.0:
        return state.next_at
    gained = right if state.kind is Kind.LIST else -log(1.0 - right)
    awaited = max(worth.quiet * _due(state, gap, params), 1e-9)
    sooner = state.next_at - gap * min(1.0, gained / awaited)
    return min(max(sooner, state.last_at + params.min_interval, now), state.next_at)


def _due(state: PageState, seconds: float, params: Params) -> float:
    """Changes to expect in so many seconds after the last visit, by the page's own past."""
    if state.kind is not Kind.ARTICLE:
        return changes_due(state, seconds)
    hour = params.day_s / 24
    age, quiet = max(0.0, state.last_at - state.first_at) / hour, max(0.0, state.last_at - state.changed_at) / hour
    return due(age, quiet, seconds / hour, params.edits, params.steady)
