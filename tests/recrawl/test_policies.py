"""Laws that hold for every policy, and what each rule says exactly."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.errors import ConfigError
from articlebot.recrawl import Kind, Observation, PageState, Params, is_retired, policy
from articlebot.recrawl.observation import Outcome
from articlebot.recrawl.profile import HOURS, Profile
from articlebot.recrawl.visit import NAMES, RETIRE_AFTER, Policy

DAY = 86400.0
NOW = 1_700_000_000.0
PARAMS = Params(initial=3600.0, min_interval=60.0, max_interval=30 * DAY)
every_policy = pytest.mark.parametrize("name", sorted(set(NAMES) - {"default", "ratio_unbounded"}))
outcomes = st.sampled_from(["changed", "unchanged", "not_modified", "failed", "gone"])


def follow(rule: Policy, outcome: str, visits: int, params: Params = PARAMS, kind: Kind = Kind.LIST) -> PageState:
    state, at, rng = None, NOW, random.Random(1)
    for _ in range(visits):
        state = rule.next_state(state, Observation(at, outcome if state else "changed", kind), params, at, rng)  # type: ignore[arg-type]
        at = state.next_at
    assert state is not None
    return state


@every_policy
@settings(max_examples=30, deadline=None)
@given(
    visits=st.lists(
        st.tuples(
            outcomes, st.floats(-40 * DAY, 40 * DAY), st.sampled_from(Kind), st.integers(0, 1000),
            st.none() | st.integers(0, 64), st.none() | st.floats(0, 2 * NOW),
        ),
        max_size=25,
    ),
    scale=st.sampled_from([1e-6, 0.01, 1.0, 100.0, 1e6]), weight=st.sampled_from([0.01, 1.0, 50.0]),
    profile=st.none() | st.lists(st.floats(0.02, 50), min_size=HOURS, max_size=HOURS).map(Profile),
)  # fmt: skip
def test_whatever_happens_a_page_is_seen_again_within_the_maximum(
    name: str, visits: list[tuple[Outcome, float, Kind, int, int | None, float | None]], scale: float, weight: float,
    profile: Profile | None,
) -> None:  # fmt: skip
    params = PARAMS._replace(scale=scale, weight=weight, profile=profile)
    rule, rng, at, state = policy(name), random.Random(0), NOW, None
    for outcome, step, kind, items, distance, modified in visits:
        at = max(0.0, at + step)  # the clock may go backwards
        state = rule.next_state(state, Observation(at, outcome, kind, items, distance, modified), params, at, rng)
        assert params.min_interval * 0.75 - 1e-3 <= state.next_at - at <= params.max_interval + 1e-3
        assert state.t >= 0.0
        assert state.x >= 0.0
        assert state.changed_at <= at
        assert state.first_at <= at
        assert PageState.unpack(state.pack()).next_at == pytest.approx(state.next_at, abs=0.1, rel=1e-6)


@every_policy
@pytest.mark.parametrize("outcome", ["unchanged", "not_modified"])
def test_a_page_that_never_changes_waits_longer_and_longer_but_not_for_ever(name: str, outcome: str) -> None:
    early, late = follow(policy(name), outcome, 3), follow(policy(name), outcome, 300)
    assert late.next_at - late.last_at >= early.next_at - early.last_at
    assert late.next_at - late.last_at <= PARAMS.max_interval


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"default", "uniform", "ratio", "ratio_unbounded"}))
def test_a_page_that_changes_at_every_fetch_is_visited_more_often(name: str) -> None:
    # A list that shows one new item at each visit has found its period.
    kind = Kind.DOCUMENT if name == "similarity" else Kind.LIST
    state = follow(policy(name), "changed", 60, kind=kind)
    assert state.next_at - state.last_at < PARAMS.initial


def test_default_wakes_within_few_visits_after_a_silence() -> None:
    rule, rng = policy("default"), random.Random(1)
    state = follow(rule, "unchanged", 200)
    quiet = state.next_at - state.last_at
    for _ in range(6):
        at = state.next_at
        state = rule.next_state(state, Observation(at, "changed", Kind.LIST, 10), PARAMS, at, rng)
    assert state.next_at - state.last_at < quiet / 4


def test_default_follows_a_burst_that_ends() -> None:
    rule, rng = policy("default"), random.Random(1)
    state = follow(rule, "changed", 1000)
    busy, visits = state.next_at - state.last_at, 0
    while state.next_at - state.last_at < 10 * busy and visits < 500:
        at = state.next_at
        state = rule.next_state(state, Observation(at, "unchanged", Kind.LIST), PARAMS, at, rng)
        visits += 1
    assert visits < 500  # the ratio needs thousands


def test_ratio_is_design_a_to_the_letter() -> None:
    rule, rng = policy("ratio"), random.Random(1)
    params = PARAMS._replace(rule="simhash", max_interval=1e9)
    state = rule.next_state(None, Observation(NOW, "changed"), params, NOW, rng)
    assert (state.t, state.x, state.next_at) == (0.0, 1.0, NOW + 3600.0)
    state = rule.next_state(state, Observation(NOW + 4000, "changed", distance=5), params, NOW, rng)
    assert (state.t, state.x, state.next_at) == (4000.0, 1.0, NOW + 8000.0)
    state = rule.next_state(state, Observation(NOW + 9000, "changed", distance=6), params, NOW, rng)
    assert (state.t, state.x, state.next_at) == (9000.0, 2.0, NOW + 9000 + 4500.0)
    state = rule.next_state(state, Observation(NOW + 9000, "unchanged"), params, NOW, rng)
    assert (state.t, state.x) == (9000.0, 2.0)


def test_ratio_unbounded_keeps_to_no_bound_but_after_failures() -> None:
    rule, rng = policy("ratio_unbounded"), random.Random(1)
    state = follow(rule, "unchanged", 20)
    assert state.next_at - state.last_at == pytest.approx(state.t / state.x, rel=1e-6)
    assert state.next_at - state.last_at > 10 * PARAMS.max_interval
    failed = rule.next_state(state, Observation(state.next_at, "failed"), PARAMS, state.next_at, rng)
    assert failed.next_at - state.next_at <= PARAMS.max_interval


@pytest.mark.parametrize("by_chance", [False, True])
def test_similarity_swings_into_the_period_of_a_list(by_chance: bool) -> None:
    """Design D's experiment, on lists whose items come every ten minutes to six hours."""
    rule, ratios = policy("similarity"), []
    for seed in range(40):
        rng = random.Random(seed)
        real = 3600.0 * 6 ** rng.uniform(-1, 1)
        state, now, coming, waits = None, 0.0, real, []
        for _ in range(200):
            new = 0
            while coming <= now:
                new, coming = new + 1, coming + (rng.expovariate(1 / real) if by_chance else real)
            seen = Observation(now, "changed" if new or state is None else "unchanged", Kind.LIST, new)
            state = rule.next_state(state, seen, PARAMS, now, rng)
            waits.append(state.next_at - now)
            now = state.next_at
        ratios.append(statistics.median(waits[100:]) / real)
    assert 0.9 < statistics.median(ratios) < 1.1


@every_policy
def test_failures_back_off_then_retire_and_a_page_that_returns_goes_on(name: str) -> None:
    rule, rng = policy(name), random.Random(1)
    before = follow(rule, "changed", 20)
    state, waits = before, []
    for _ in range(RETIRE_AFTER + 3):
        at = state.next_at
        state = rule.next_state(state, Observation(at, "failed", Kind.LIST), PARAMS, at, rng)
        waits.append(state.next_at - at)
    assert waits[3] > waits[0]
    assert is_retired(state.failures)
    assert waits[-1] == pytest.approx(PARAMS.max_interval)
    assert (state.x, state.content_hash, state.last_at) == (before.x, before.content_hash, before.last_at)
    back = rule.next_state(state, Observation(state.next_at, "unchanged", Kind.LIST), PARAMS, state.next_at, rng)
    assert back.failures == 0
    assert back.next_at - back.last_at <= PARAMS.max_interval


@every_policy
def test_a_page_that_is_gone_is_given_up_sooner(name: str) -> None:
    state = follow(policy(name), "gone", 1 + RETIRE_AFTER // 2)
    assert is_retired(state.failures, gone=True)
    assert not is_retired(state.failures)


@every_policy
def test_the_clock_going_back_a_year_leaves_no_page_behind(name: str) -> None:
    rule, rng = policy(name), random.Random(1)
    state = follow(rule, "unchanged", 10)
    at = NOW - 365 * DAY
    state = rule.next_state(state, Observation(at, "unchanged", Kind.LIST), PARAMS, at, rng)
    assert at < state.next_at <= at + PARAMS.max_interval


def test_articles_are_seen_often_when_young_and_seldom_when_old() -> None:
    rule, rng, at, gaps = policy("default"), random.Random(1), NOW, []
    state = rule.next_state(None, Observation(at, "changed", Kind.ARTICLE), PARAMS, at, rng)
    while state.last_at < NOW + 60 * DAY:
        at = state.next_at
        gaps.append(at - state.last_at)
        state = rule.next_state(state, Observation(at, "unchanged", Kind.ARTICLE), PARAMS, at, rng)
    assert gaps == sorted(gaps)
    assert gaps[-1] > 20 * gaps[0]


def test_importance_shortens_by_its_square_root() -> None:
    rule, rng = policy("default"), random.Random(1)
    for kind in Kind:
        plain = rule.next_state(None, Observation(NOW, "changed", kind), PARAMS._replace(min_interval=1.0), NOW, rng)
        heavy = rule.next_state(
            None, Observation(NOW, "changed", kind), PARAMS._replace(min_interval=1.0, weight=4.0), NOW, rng
        )
        assert (plain.next_at - NOW) / (heavy.next_at - NOW) == pytest.approx(2.0, rel=0.35)


def test_a_profile_puts_visits_where_the_site_publishes() -> None:
    rates = [1.0 if 8 <= hour % 24 < 18 else 0.05 for hour in range(HOURS)]
    params, rule, rng = PARAMS._replace(profile=Profile(rates)), policy("default"), random.Random(1)
    state, by_day = follow(rule, "changed", 50, params), 0
    for _ in range(400):
        at = state.next_at
        state = rule.next_state(state, Observation(at, "changed", Kind.LIST), params, at, rng)
        by_day += 8 <= state.next_at % DAY / 3600 < 18
    assert by_day > 0.65 * 400


def test_a_policy_of_ones_own_is_named_by_its_class_path() -> None:
    assert type(policy("articlebot.recrawl.policies.designs.Ratio")) is type(policy("ratio"))
    for wrong in ("nothing", "no.such.module.Policy", "articlebot.recrawl.state.PageState", "random.Nothing"):
        with pytest.raises(ConfigError):
            policy(wrong)


@every_policy
@pytest.mark.parametrize("kind", list(Kind))
def test_visits_in_one_instant_divide_by_nothing(name: str, kind: Kind) -> None:
    rule, rng, state = policy(name), random.Random(1), None
    for outcome in ("changed", "changed", "unchanged", "not_modified", "changed"):
        state = rule.next_state(state, Observation(NOW, outcome, kind, modified_at=NOW), PARAMS, NOW, rng)  # type: ignore[arg-type]
        assert NOW < state.next_at <= NOW + PARAMS.max_interval


@every_policy
@pytest.mark.parametrize("kind", list(Kind))
def test_a_page_that_was_gone_and_returns_goes_on_where_it_was(name: str, kind: Kind) -> None:
    rule, rng = policy(name), random.Random(1)
    before = follow(rule, "changed", 20, kind=kind)
    state = before
    for _ in range(RETIRE_AFTER):
        at = state.next_at
        state = rule.next_state(state, Observation(at, "gone", kind), PARAMS, at, rng)
    assert (state.t, state.x, state.slow_x, state.content_hash) == (
        before.t,
        before.x,
        before.slow_x,
        before.content_hash,
    )
    at = state.next_at
    assert at - state.last_at <= (RETIRE_AFTER + 1) * PARAMS.max_interval
    back = rule.next_state(state, Observation(at, "changed", kind), PARAMS, at, rng)
    assert back.failures == 0
    assert at < back.next_at <= at + PARAMS.max_interval


@pytest.mark.parametrize("kind", list(Kind))
def test_default_follows_another_policy_s_memory(kind: Kind) -> None:
    state = follow(policy("ratio"), "unchanged", 30, kind=kind)
    rule, rng = policy("default"), random.Random(1)
    for _ in range(12):
        at = state.next_at
        state = rule.next_state(state, Observation(at, "changed", kind), PARAMS, at, rng)
    assert state.next_at - state.last_at < PARAMS.max_interval / 4


@pytest.mark.parametrize("stated", [60.0, 300.0, 7200.0, 86400.0])
@pytest.mark.parametrize("kind", list(Kind))
def test_default_begins_with_a_stated_interval_and_leaves_it_step_by_step(stated: float, kind: Kind) -> None:
    params = PARAMS._replace(initial=stated, stated_at=0.0, min_interval=1.0)
    rule, rng = policy("default"), random.Random(1)
    first = rule.next_state(None, Observation(NOW, "changed", kind, 20), params, NOW, rng)
    assert first.next_at - NOW == pytest.approx(stated, abs=1e-3)
    if kind is Kind.LIST:
        third = follow(rule, "unchanged", 3, params)
        assert stated < third.interval < 1.6 * stated
        assert follow(rule, "unchanged", 100, params).interval > 5 * stated
        busy = PARAMS._replace(initial=86400.0, stated_at=0.0, min_interval=1.0)
        assert follow(rule, "changed", 100, busy).interval < 86400.0 / 4


def test_an_interval_that_is_stated_later_counts_from_then_on() -> None:
    rule, rng = policy("default"), random.Random(1)
    state = follow(rule, "unchanged", 300)
    at = state.next_at
    params = PARAMS._replace(initial=300.0, stated_at=at - 1.0)
    after = rule.next_state(state, Observation(at, "unchanged", Kind.LIST), params, at, rng)
    assert after.interval < 320.0
    old = rule.next_state(state, Observation(at, "unchanged", Kind.LIST), params._replace(stated_at=0.0), at, rng)
    assert old.interval > 10 * after.interval


def test_a_prior_nobody_stated_is_the_policys_own() -> None:
    state = follow(policy("default"), "changed", 1, PARAMS._replace(initial=7.0))
    assert state.interval == pytest.approx(6630.0, abs=1.0)
