"""When to visit a page again: page states, the policies that write them, and the store that keeps them.

``policy(name).next_state(state, observation, params, now, rng)`` is the whole decision; the crawl and the simulator run
the same code.
"""

from __future__ import annotations

from articlebot.recrawl.observation import Kind, Observation, is_change
from articlebot.recrawl.params import Params
from articlebot.recrawl.record import PageRecord, Validators
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import Policy, is_retired, policy

__all__ = [
    "Kind", "Observation", "PageRecord", "PageState", "Params", "Policy", "Validators", "is_change", "is_retired",
    "policy",
]  # fmt: skip
