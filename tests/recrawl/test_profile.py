"""The clock of a site's week."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.recrawl import Kind, Observation, Params, policy
from articlebot.recrawl.knowledge import Knowledge
from articlebot.recrawl.profile import HOURS, Profile

WEEK = 7 * 86400.0
profiles = st.builds(
    Profile, st.lists(st.floats(0.02, 50), min_size=HOURS, max_size=HOURS), st.sampled_from([86400.0, 600.0]),
    st.floats(-50_000, 50_000),
)  # fmt: skip
moments = st.floats(0, 4e9)


@given(profiles, moments, st.floats(0, 3 * WEEK), st.floats(0, 3 * WEEK))
def test_work_adds_up(profile: Profile, start: float, first: float, second: float) -> None:
    whole = profile.work(start, start + first + second)
    parts = profile.work(start, start + first) + profile.work(start + first, start + first + second)
    assert whole == pytest.approx(parts, abs=1e-3)
    assert profile.work(start + 1, start) == 0.0


@given(profiles, moments, st.floats(1, 3 * WEEK), st.floats(1, 3 * WEEK))
def test_waits_follow_one_another(profile: Profile, start: float, first: float, second: float) -> None:
    once = profile.after(start, first)
    then = profile.after(start + once, second)
    assert once >= 0.0
    assert once + then == pytest.approx(profile.after(start, first + second), abs=0.05)


@given(moments, st.floats(0, 3 * WEEK))
def test_an_even_week_is_the_wall_clock(start: float, wait: float) -> None:
    even = Profile([3.0] * HOURS)
    assert even.after(start, wait) == pytest.approx(wait, abs=1e-3)
    assert even.work(start, start + wait) == pytest.approx(wait, abs=1e-3)


def test_an_impossible_week_is_refused() -> None:
    with pytest.raises(ValueError):
        Profile([1.0] * 24)
    with pytest.raises(ValueError):
        Profile([0.0] * HOURS)


def test_the_hours_of_a_site_are_learned_and_survive_a_restart() -> None:
    base, rule, rng = Params(initial=3600.0, utcoffset=7200.0), policy("default"), random.Random(1)
    knowledge = Knowledge(base)
    state, at = None, 1_700_000_000.0
    while at < 1_700_000_000.0 + 14 * 86400:
        hour = (at + 7200) % 86400 / 3600
        outcome = "changed" if state is None or 9 <= hour < 17 else "unchanged"
        seen = Observation(at, outcome, Kind.LIST, 3)
        after = rule.next_state(state, seen, knowledge.params("a", Kind.LIST, at), at, rng)
        knowledge.observe("a", state, seen, after)
        state, at = after, at + 1800
    again = Knowledge(base)
    again.load(knowledge.to_json())
    for known in (knowledge, again):
        profile = known.params("a", Kind.LIST, at + 86400).profile
        assert profile is not None
        midnight = at - (at + 7200) % 86400
        assert profile.rate(midnight + 12.5 * 3600) > 3 * profile.rate(midnight + 2.5 * 3600)
    with pytest.raises(StateError):
        again.load({"version": 99})
    with pytest.raises(StateError):
        again.load({"version": 1, "faded_at": None, "levels": [["a", 0, {"hour_items": [1]}]]})
