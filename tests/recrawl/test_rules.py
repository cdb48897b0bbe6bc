"""Each policy's arithmetic: what one visit leaves in the page's state, by the rule as it is written down."""

from __future__ import annotations

import random

import pytest

from articlebot.recrawl import Kind, Observation, PageState, Params, policy
from articlebot.recrawl.edits import interval as edit_interval
from articlebot.recrawl.edits import own_factor
from articlebot.recrawl.observation import Outcome
from articlebot.recrawl.profile import HOURS, Profile

HOUR, DAY = 3600.0, 86400.0
NOW = 1_700_000_000.0
# Scale and initial are unlike 1 and unlike each other, so that neither can be forgotten unseen.
PARAMS = Params(initial=1000.0, scale=2.0, min_interval=1.0, max_interval=400 * DAY)
RULES = ("uniform", "additive", "nutch", "similarity", "ratio")


def visited_before(kind: Kind = Kind.DOCUMENT, **fields: object) -> PageState:
    given: dict[str, object] = {
        "fetches": 3, "failures": 2, "first_at": NOW - 9000, "last_at": NOW - 4000, "next_at": NOW, "t": 5000.0,
        "x": 2.0, "interval": 3000.0, "changed_at": NOW - 6000, "content_hash": 7, "fingerprint": 9,
    } | fields  # fmt: skip
    return PageState(kind, **given)  # type: ignore[arg-type]


def step(
    name: str, outcome: Outcome, state: PageState | None = None, params: Params = PARAMS, **seen: object
) -> PageState:
    kind = state.kind if state is not None else Kind.DOCUMENT
    observation = Observation(NOW, outcome, **({"kind": kind} | seen))  # type: ignore[arg-type]
    return policy(name).next_state(state, observation, params, NOW, random.Random(1))


@pytest.mark.parametrize("name", RULES)
def test_a_first_visit_takes_the_initial_interval(name: str) -> None:
    state = step(name, "changed", content_hash=11, fingerprint=13, modified_at=NOW - 50)
    assert state == PageState(
        Kind.DOCUMENT, 1, 0, NOW, NOW, NOW + 2000.0, 0.0, 1.0, 2000.0, NOW - 50, 11, 13,
    )  # fmt: skip
    assert step(name, "changed", modified_at=NOW + 50).changed_at == NOW
    assert step(name, "changed", modified_at=NOW - 9e7, published_at=NOW - 50).changed_at == NOW - 50


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("outcome", ["changed", "unchanged", "not_modified"])
def test_what_every_visit_with_an_answer_counts(name: str, outcome: Outcome) -> None:
    state = step(name, outcome, visited_before(), content_hash=11, distance=20)
    changed = outcome == "changed"
    assert (state.fetches, state.failures, state.first_at, state.last_at) == (4, 0, NOW - 9000, NOW)
    assert (state.t, state.x) == (9000.0, 3.0 if changed else 2.0)
    assert state.changed_at == (NOW if changed else NOW - 6000)
    assert (state.content_hash, state.fingerprint) == (11, 9)


@pytest.mark.parametrize("name", RULES)
def test_a_page_that_failed_before_it_was_ever_read_begins_like_a_new_one(name: str) -> None:
    never = PageState(Kind.DOCUMENT, 0, 0, NOW - 10, NOW - 10, NOW)
    assert step(name, "changed", never)._replace(fetches=1) == step(name, "changed", None)


def test_uniform_is_uniform() -> None:
    for outcome in ("changed", "unchanged"):
        state = step("uniform", outcome, visited_before())  # type: ignore[arg-type]
        assert (state.interval, state.next_at) == (2000.0, NOW + 2000.0)


@pytest.mark.parametrize(
    ("distance", "x", "interval"), [(20, 3.0, 9000 / 3), (6, 3.0, 9000 / 3), (5, 2.0, 9000 / 2), (None, 3.0, 9000 / 3)]
)
def test_ratio_is_time_over_changes_and_the_scale_moves_the_visit_alone(
    distance: int | None, x: float, interval: float
) -> None:
    state = step("ratio", "changed", visited_before(), PARAMS._replace(rule="simhash"), distance=distance)
    assert (state.x, state.interval, state.next_at) == (x, interval, NOW + 2 * interval)
    forgotten = step("ratio", "unchanged", visited_before(x=0.5))
    assert (forgotten.t, forgotten.x, forgotten.interval) == (0.0, 1.0, 2000.0)


def test_additive_steps_at_random_within_half_the_base_and_four_times_of_it() -> None:
    drawn = random.Random(1).uniform(0.0, 0.5 * 2000.0)
    assert step("additive", "changed", visited_before()).interval == 3000.0 - drawn
    assert step("additive", "unchanged", visited_before()).next_at == NOW + 3000.0 + drawn
    assert step("additive", "changed", visited_before(interval=510.0)).interval == 500.0
    assert step("additive", "unchanged", visited_before(interval=7990.0)).interval == 8000.0


@pytest.mark.parametrize(
    ("outcome", "fields", "interval", "gap"),
    [
        # A change now: since = 0, nothing to synchronise with.
        ("changed", {}, 3000 * 0.8, 3000 * 0.8),
        # The last change was 6,000 s ago: at least that long, counted from 0.3 of it before.
        ("unchanged", {}, 6000.0, 6000 - 0.3 * 6000),
        ("unchanged", {"interval": 9000.0}, 9000 * 1.4, 9000 * 1.4 - 0.3 * 6000),
        # Bounds: a quarter and sixteen times of the base of 2,000 s.
        ("changed", {"interval": 100.0}, 500.0, 500.0),
        ("unchanged", {"interval": 40_000.0}, 32_000.0, 32_000 - 0.3 * 6000),
        ("unchanged", {"interval": 40_000.0, "changed_at": NOW - 50_000}, 32_000.0, 32_000 * 0.7),
    ],
)  # fmt: skip
def test_nutch_grows_shrinks_and_synchronises(
    outcome: Outcome, fields: dict[str, object], interval: float, gap: float
) -> None:
    state = step("nutch", outcome, visited_before(**fields))
    assert state.interval == pytest.approx(interval, abs=1e-6)
    assert state.next_at - NOW == pytest.approx(gap, abs=1e-6)


def test_nutch_takes_the_page_s_own_word_for_its_last_change() -> None:
    state = step("nutch", "changed", visited_before(), modified_at=NOW - 1000)
    assert (state.interval, state.next_at) == (2400.0, NOW + 2400.0 - 300.0)
    assert step("nutch", "changed", visited_before(), modified_at=NOW + 1000).interval == 2400.0


@pytest.mark.parametrize(
    ("outcome", "distance", "x", "factor"),
    [
        ("unchanged", None, 2.0, 1.5), ("unchanged", 40, 2.0, 1.5), ("changed", 0, 2.0, 1.5), ("changed", 5, 2.0, 1.0),
        ("changed", 8, 3.0, ((1 - 8 / 64) / (1 - 5 / 64)) ** 4), ("changed", 40, 3.0, 0.5),
        ("changed", None, 3.0, 0.5), ("changed", 2, 2.0, 1 + 0.5 * (3 / 5)),
    ],
)  # fmt: skip
def test_similarity_decides_the_period(outcome: Outcome, distance: int | None, x: float, factor: float) -> None:
    state = step("similarity", outcome, visited_before(), distance=distance)
    assert state.x == x
    assert state.interval == pytest.approx(3000 * factor, abs=1e-6)
    assert state.next_at - NOW == pytest.approx(3000 * factor, abs=1e-6)


def test_similarity_stays_within_sixteen_times_of_the_base() -> None:
    assert step("similarity", "unchanged", visited_before(interval=31_000.0)).interval == 32_000.0
    assert step("similarity", "changed", visited_before(interval=130.0), distance=64).interval == 125.0
    assert step("similarity", "unchanged", visited_before(), PARAMS._replace(threshold=0)).interval == 4500.0


# The default policy


def list_wait(x: float, t: float, slow_x: float, slow_t: float, *, days: float = 0.43 / 2.9, a: float = 0.43) -> float:
    """Seconds, unscaled, by the model's own words; its numbers are those of ``Tuning``."""
    fast, slow = (x + a) / (t / DAY + days), (slow_x + a) / (slow_t / DAY + days)
    rate = float(slow**0.4 * fast**0.6)
    return DAY * 0.12 * rate**-0.42


@pytest.mark.parametrize(("outcome", "new", "keep", "keep_slow", "gained"), [
    ("changed", 6, 0.82, 0.94, 6), ("changed", 0, 0.82, 0.94, 1), ("unchanged", 6, 0.992, 0.999, 0),
])  # fmt: skip
def test_default_on_a_list_page(outcome: Outcome, new: int, keep: float, keep_slow: float, gained: int) -> None:
    before = visited_before(Kind.LIST, slow_t=8000.0, slow_x=5.0)
    state = step("default", outcome, before, new_items=new)
    assert state.t == pytest.approx(keep * 5000 + 4000, abs=1e-6)
    assert state.x == pytest.approx(keep * 2 + gained, abs=1e-9)
    assert state.slow_t == pytest.approx(keep_slow * 8000 + 4000, abs=1e-6)
    assert state.slow_x == pytest.approx(keep_slow * 5 + gained, abs=1e-9)
    wait = 2 * list_wait(state.x, state.t, state.slow_x, state.slow_t)
    assert state.interval == pytest.approx(wait, rel=1e-9)
    assert state.next_at - NOW == pytest.approx(wait, abs=1e-5)
    heavy = step("default", outcome, before, PARAMS._replace(weight=4.0), new_items=new)
    assert heavy.next_at - NOW == pytest.approx(wait / 2, abs=1e-5)


def test_default_counts_a_list_s_time_on_the_clock_of_its_profile() -> None:
    profile = Profile([1.0 if 8 <= hour % 24 < 18 else 0.05 for hour in range(HOURS)])
    before = visited_before(Kind.LIST, slow_t=8000.0, slow_x=5.0)
    state = step("default", "unchanged", before, PARAMS._replace(profile=profile))
    assert state.t == pytest.approx(0.992 * 5000 + profile.work(NOW - 4000, NOW), abs=1e-6)
    wait = 2 * list_wait(state.x, state.t, state.slow_x, state.slow_t)
    assert state.next_at - NOW == pytest.approx(profile.after(NOW, wait), abs=1e-5)
    article = step("default", "unchanged", visited_before(Kind.ARTICLE), PARAMS._replace(profile=profile))
    assert article.t == pytest.approx(0.995 * 5000 + 4000, abs=1e-6)


def test_default_begins_anew_where_a_list_page_turns_out_to_be_none() -> None:
    listed = visited_before(Kind.LIST, fetches=7)
    state = step("default", "changed", listed, kind=Kind.ARTICLE, modified_at=NOW - 500, content_hash=3, fingerprint=4)
    assert state._replace(interval=0.0, next_at=0.0) == PageState(
        Kind.ARTICLE, 8, 0, NOW - 500, NOW, 0.0, 0.0, 0.0, 0.0, NOW - 500, 3, 4,
    )  # fmt: skip
    assert step("default", "changed", None, kind=Kind.ARTICLE, modified_at=NOW + 500).first_at == NOW
    assert step("default", "changed", None, kind=Kind.LIST, modified_at=NOW - 500).first_at == NOW
    # And as old as it says that it is.
    published = step("default", "changed", None, kind=Kind.ARTICLE, modified_at=NOW - 500, published_at=NOW - 9000)
    assert (published.first_at, published.changed_at) == (NOW - 9000, NOW - 500)
    assert step("default", "changed", None, kind=Kind.ARTICLE, published_at=NOW - 9000).first_at == NOW - 9000
    assert step("default", "changed", None, kind=Kind.ARTICLE, published_at=NOW + 9000).first_at == NOW
    # A server that says 1970 of all its files says nothing of them.
    old = step("default", "changed", None, kind=Kind.ARTICLE, modified_at=NOW - 9e7, published_at=NOW - 9000)
    assert (old.first_at, old.changed_at) == (NOW - 9000, NOW - 9000)
    ahead = step("default", "changed", None, kind=Kind.ARTICLE, modified_at=NOW - 500, published_at=NOW + 9000)
    assert (ahead.first_at, ahead.changed_at) == (NOW, NOW)
    goes_on = step("default", "changed", visited_before(Kind.ARTICLE), kind=Kind.DOCUMENT)
    assert (goes_on.fetches, goes_on.t) == (4, pytest.approx(0.9 * 5000 + 4000, abs=1e-6))


@pytest.mark.parametrize("own", [(1.0, 1.0), (1.5, 0.25)])
def test_default_on_an_article(own: tuple[float, float]) -> None:
    before = visited_before(Kind.ARTICLE, first_at=NOW - 20 * HOUR, changed_at=NOW - 5 * HOUR, slow_x=1.0)
    params = PARAMS._replace(own=own, weight=4.0)
    state = step("default", "unchanged", before, params)
    factor = own[0] + own[1] * (own_factor(20.0, state.slow_x, params.edits) - own[0])
    wait = edit_interval(20.0, 5.0, factor, params.edits, worth=0.08 * 4.0, longest=400 * 24.0)
    assert state.next_at - NOW == pytest.approx(wait * HOUR / 2, abs=1e-5)


def document_wait(state: PageState, prior_days: float, *, scale: float) -> float:
    """Days, by the model's own words; its numbers are those of ``Tuning``."""
    fast = (state.x + 0.4) / (state.t / DAY + 0.4 * prior_days)
    slow = (state.slow_x + 0.4) / (state.slow_t / DAY + 0.4 * prior_days)
    rate = float(slow**0.7 * fast**0.3)
    quiet = ((state.last_at - state.changed_at) / DAY + 1.0) / 30
    reach = scale * 0.3
    gap = float(reach * rate**-0.35 * quiet**0.2)
    u = min(gap * rate, 1000.0)
    slower = gap * (1 + 0.5 * (u / 3 + 0.3 * u**2 + 0.1 * u**4))
    return min(slower, max(gap, reach * 0.03**-0.5))


@pytest.mark.parametrize("prior_rate", [0.0, 1 / (3 * DAY)])
@pytest.mark.parametrize(("t", "x", "scale"), [(90 * DAY, 1.0, 2.0), (5 * DAY, 30.0, 2.0), (0.2 * DAY, 60.0, 40.0)])
def test_default_on_a_document(prior_rate: float, t: float, x: float, scale: float) -> None:
    before = visited_before(
        Kind.DOCUMENT, t=t, x=x, slow_t=2 * t, slow_x=x, changed_at=NOW - 12 * DAY, last_at=NOW - 3 * DAY,
        first_at=NOW - 200 * DAY,
    )  # fmt: skip
    params = PARAMS._replace(prior_rate=prior_rate, weight=2.25, scale=scale)
    state = step("default", "unchanged", before, params)
    assert state.t == pytest.approx(0.995 * t + 3 * DAY, abs=1e-6)
    assert state.slow_t == pytest.approx(0.9997 * 2 * t + 3 * DAY, abs=1e-6)
    days = document_wait(state, 3.0 if prior_rate else 60.0, scale=scale)
    assert state.next_at - NOW == pytest.approx(days * DAY / 1.5, abs=1e-5)


def test_default_settles_a_document_on_its_site_s_week() -> None:
    profile = Profile([1.0 if hour < 120 else 0.02 for hour in range(HOURS)])
    before = visited_before(Kind.DOCUMENT, t=90 * DAY, slow_t=180 * DAY, slow_x=2.0)
    plain = step("default", "unchanged", before).interval
    settled = step("default", "unchanged", before, PARAMS._replace(profile=profile)).next_at - NOW
    assert settled == pytest.approx(profile.settle(NOW, plain, random.Random(1).random()), abs=1e-5)


@pytest.mark.parametrize(("stated", "before_s"), [(300.0, 40_000.0), (7200.0, 40_000.0), (7200.0, 2000.0)])
def test_default_is_drawn_to_a_stated_interval_by_twelve_visits_worth(stated: float, before_s: float) -> None:
    before = visited_before(Kind.LIST, fetches=5, slow_t=8000.0, slow_x=5.0)
    params = PARAMS._replace(initial=stated, stated_at=NOW - before_s)
    state = step("default", "unchanged", before, params)
    # The prior of a list page is the rate at which the stated interval would be chosen, of the usual weight or less.
    rate = (stated / (DAY * 0.12)) ** (-1 / 0.42)
    days = 0.43 / max(rate, 2.9)
    own = 2 * list_wait(state.x, state.t, state.slow_x, state.slow_t, days=days, a=rate * days)
    visits = min(5.0, before_s / 3000.0)
    share = 12 / (12 + visits)
    assert state.interval == pytest.approx((stated * 2) ** share * own ** (1 - share), rel=1e-9)
