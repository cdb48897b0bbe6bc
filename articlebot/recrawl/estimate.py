"""How many changes lie behind a visit that can only say that there was one."""

from __future__ import annotations

from math import exp

from articlebot.recrawl.state import PageState

# A page that differs at each visit says no more than that.
_MOST = 4.0
# Part of a change, and of the time of a visit, that is believed beforehand.
_PRIOR = 0.1


def among(expected: float) -> float:
    """Changes to count for a visit that found the page changed, where so many were expected (the step E of EM)."""
    if expected < 1e-3:
        return 1.0
    expected = min(expected, _MOST)
    return expected / (1.0 - exp(-expected))


def changes_due(state: PageState, seconds: float) -> float:
    """Changes of a page to expect in so many seconds, by its longer memory."""
    if seconds <= 0.0:
        return 0.0
    return seconds * (state.slow_x + _PRIOR) / (state.slow_t + _PRIOR * seconds)
