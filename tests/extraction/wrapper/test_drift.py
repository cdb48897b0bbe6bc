"""When a wrapper is doubted, when it is believed again, and when it is learned anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.extraction.wrapper.drift import Drift, learning_due


def after(fits: list[float], state: Drift | None = None) -> tuple[Drift, list[tuple[int, str]]]:
    """The state after pages that fit so well, and at which of them, from 1, what happened."""
    state, events = state or Drift(), []
    for number, fit in enumerate(fits, 1):
        state, event = state.observe(fit, 100.0 + number)
        if event is not None:
            events.append((number, event))
    return state, events


def test_a_few_odd_pages_are_no_drift() -> None:
    assert after([0.0 if page % 4 == 0 else 1.0 for page in range(30)])[1] == []


def test_three_of_the_last_four_pages_make_a_doubt() -> None:
    assert after([0.0] * 6)[1] == [(3, "doubted")]
    assert after([1.0] * 12 + [0.0, 0.0])[1] == []
    assert after([1.0] * 12 + [0.0, 0.0, 1.0, 1.0, 0.0])[1] == []
    assert after([1.0] * 12 + [0.0, 0.0, 1.0, 0.0])[1] == [(16, "doubted")]
    assert after([0.5] * 12)[1] == []


def test_a_doubt_is_dated_and_ends_with_four_pages_that_fit() -> None:
    state, _ = after([0.0] * 3)
    assert (state.doubted_at, state.pages_since, state.history) == (103.0, 0, (0.0,) * 3)
    state, events = after([1.0] * 3, state)
    assert (events, state.doubted_at) == ([], 103.0)
    assert state.pages_since == 3
    state, events = after([1.0], state)
    assert (events, state.doubted_at, state.pages_since) == ([(1, "recovered")], None, 0)


def test_the_same_names_missing_on_three_of_four_pages_make_a_doubt() -> None:
    def after_lacking(*pages: set[str]) -> list[str | None]:
        state, events = Drift(), []
        for lacking in pages:
            state, event = state.observe(1.0, 5.0, lacking, 100)
            events.append(event)
        assert Drift.from_json(state.to_json()) == state
        return events

    new, other = {f".new{n}" for n in range(6)}, {f".other{n}" for n in range(9)}
    assert after_lacking(new, set(), new, new) == [None, None, None, "doubted"]
    assert after_lacking(new, other, new, other, new, other) == [None] * 6
    told = after_lacking(*[new] * 20)
    assert [event for event in told if event] == ["doubted", "recovered"]
    assert after_lacking(*[{".a", ".b", ".c", ".d", ".e"}] * 9) == [None] * 9


def test_fits_are_held_between_none_and_all() -> None:
    assert after([-3.0, 7.0, 0.25])[0].history == (0.0, 1.0, 0.25)
    assert after([-3.0, 7.0, 0.25])[0].fit == pytest.approx(1.25 / 3, abs=1e-12)
    assert Drift().fit == 1.0


def test_every_eighth_page_is_checked_and_each_after_a_bad_one() -> None:
    due, state = [], Drift()
    for page in range(1, 20):
        if state.check_due:
            due.append(page)
        state, _ = state.observe(0.5 if page == 4 else 1.0, 0.0)
    assert due == [1, 5, 9, 17]


@given(st.lists(st.floats(0, 1), max_size=60))
def test_the_history_is_short_and_survives_json(fits: list[float]) -> None:
    state, _ = after(fits)
    assert state.history == tuple(fits[-12:])
    assert Drift.from_json(state.to_json()) == state


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot be read"), ("[]", "cannot be read"), ("{}", "cannot be read"),
        ('{"version": 1, "history": "ab", "doubted_at": null, "pages_since": 0}', "cannot be read"),
        ('{"version": 2, "history": [], "doubted_at": null, "pages_since": 0}', "^drift state of another version$"),
    ],
)  # fmt: skip
def test_damaged_drift_is_refused(text: str, said: str) -> None:
    with pytest.raises(StateError, match=said):
        Drift.from_json(text)


@pytest.mark.parametrize(
    ("stored", "rests_on", "drift", "due"),
    [
        (4, 0, Drift(), False), (5, 0, Drift(), True), (9, 5, Drift(), False), (10, 5, Drift(), True),
        (10, 5, Drift((1.0, 0.0)), False), (10, 5, Drift((0.0, 1.0)), True),
        (6, 5, Drift(doubted_at=0.0, pages_since=2), False), (6, 5, Drift(doubted_at=0.0, pages_since=3), True),
        (4, 2, Drift(doubted_at=0.0, pages_since=9), False),
    ],
)  # fmt: skip
def test_learning_is_due_first_then_doubled_then_after_a_doubt(
    stored: int, rests_on: int, drift: Drift, due: bool
) -> None:
    assert learning_due(stored, rests_on, drift, min_pages=5) is due
