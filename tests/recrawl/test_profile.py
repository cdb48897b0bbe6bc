"""The clock of a site's week."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.recrawl import Kind, Observation, PageState, Params, policy
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
        assert profile.work(midnight + 12 * 3600, midnight + 13 * 3600) > 3 * profile.work(
            midnight + 2 * 3600, midnight + 3 * 3600
        )
    with pytest.raises(StateError):
        again.load({"version": 99})
    with pytest.raises(StateError):
        again.load({"version": 1, "faded_at": None, "levels": [["a", 0, {"hour_items": [1]}]]})


OFFICE = Profile([1.0] * 48 + [0.2] * 48 + [1.0] * 72)  # from Thursday on


@given(moments, st.floats(0.1, 60), profiles)
def test_a_settled_wait_stays_near_the_even_one(start: float, days: float, profile: Profile) -> None:
    gap = days * 86400.0
    assert 0.7 * gap - 1 <= profile.settle(start, gap) <= 1.45 * gap + 1
    assert Profile([2.0] * HOURS).settle(start, gap) == pytest.approx(gap, rel=0.02, abs=1.0)


@pytest.mark.parametrize(("gap", "settled"), [(6, 7), (7, 7), (8, 7), (13, 14), (0.2, 0.2)])
def test_a_visit_settles_at_the_end_of_the_working_week(gap: float, settled: float) -> None:
    saturday = 2 * 86400.0 + 52 * WEEK
    assert OFFICE.settle(saturday, gap * 86400.0) == pytest.approx(settled * 86400.0)


def test_the_week_of_documents_is_expected_and_then_learned() -> None:
    """A site whose offices rest on Thursday and Friday, in days of an hour."""
    base = Params(initial=1800.0, day_s=3600.0, min_interval=60.0)
    knowledge, rule, rng = Knowledge(base), policy("default"), random.Random(1)
    expected = knowledge.params("a", Kind.DOCUMENT, 0.0).profile
    assert expected is not None
    assert expected.work(7200.0, 10800.0) < 0.5 * expected.work(0.0, 3600.0)
    states: list[PageState | None] = [None] * 40
    for at in (3600.0 * hour for hour in range(1, 7 * 30)):
        # What is found at the end of a day was changed in it.
        outcome = "changed" if at == 3600.0 or (at - 1) // 3600 % 7 >= 2 else "unchanged"
        for number, state in enumerate(states):
            seen = Observation(at, outcome, Kind.DOCUMENT)
            after = rule.next_state(state, seen, knowledge.params("a", Kind.DOCUMENT, at), at, rng)
            knowledge.observe("a", state, seen, after)
            states[number] = after
    learned = knowledge.params("a", Kind.DOCUMENT, 3600.0 * 7 * 31).profile
    assert learned is not None
    assert learned.work(7200.0, 10800.0) > 1.5 * learned.work(3600.0, 7200.0)


def test_a_job_states_an_interval_since_it_last_changed_and_remembers_it() -> None:
    knowledge = Knowledge(Params())
    assert knowledge.stated_since(300.0, 10.0) == 10.0
    again = Knowledge(Params())
    again.load(knowledge.to_json())
    assert again.stated_since(300.0, 20.0) == 10.0
    assert again.stated_since(60.0, 30.0) == 30.0
    assert again.stated_since(60.0, 40.0) == 30.0
