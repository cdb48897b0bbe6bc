"""The model of when articles are edited, and what is learned of a site's habits."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.recrawl import Kind, Params, policy
from articlebot.recrawl.edits import SPANS, expected, interval, own_factor, span
from articlebot.recrawl.knowledge import Knowledge
from articlebot_lab.recrawl.simulate import Replay, base_params
from articlebot_lab.recrawl.traces import Trace

EVEN = (1.0,) * SPANS
HOUR = 3600.0
ages = st.floats(0, 5000)
habits = st.tuples(*[st.floats(0.03, 5)] * SPANS)


@given(ages, st.floats(0, 1), st.floats(0, 500), st.floats(0, 500))
def test_expected_edits_add_up(age: float, share: float, first: float, second: float) -> None:
    quiet = age * share
    whole = sum(expected(age, quiet, first + second))
    parts = sum(expected(age, quiet, first)) + sum(expected(age + first, quiet + first, second))
    assert whole == pytest.approx(parts, abs=1e-6)


@given(ages, st.floats(0, 1), habits, st.floats(1e-9, 1e9), st.floats(1, 1000))
def test_an_interval_is_positive_and_within_the_longest(
    age: float, share: float, site: tuple[float, ...], worth: float, longest: float
) -> None:
    found = interval(age, age * share, 1.0, site, worth=worth, longest=longest)
    assert 0.0 < found <= longest
    assert found <= interval(age, age * share, 1.0, site, worth=worth * 1.5, longest=longest) * 1.2


def test_an_interval_meets_the_exact_integral() -> None:
    age, worth = 10.0, 0.2
    found = interval(age, 3.0, 1.0, EVEN, worth=worth, longest=1e4)
    steps, gained, kept = 20_000, 0.0, 0.0
    for step in range(steps):
        at = found * (step + 0.5) / steps
        due = sum(expected(age, 3.0, at))
        gained += at * (due - kept) * pow(2.718281828, -due)
        kept = due
    assert gained == pytest.approx(worth, rel=0.1)


def test_an_article_of_many_edits_is_seen_more_often_within_bounds() -> None:
    assert own_factor(24.0, 10, EVEN) > 1.0 > own_factor(24.0, 0, EVEN)
    assert own_factor(1e6, 0, (5.0,) * SPANS) >= 1 / 3
    assert own_factor(0.0, 1e9, EVEN) == 4.0
    assert [span(age) for age in (0, 5.9, 6, 30, 72, 1e9)] == [0, 0, 1, 2, 3, 3]


def _learned(tmp_path: Path) -> Knowledge:
    """What a crawl learns in eight weeks of two sites: one edits within five hours, one for weeks."""
    rng, pages = random.Random(2), {}
    for number in range(60):
        born = number * 12 * HOUR
        early = sorted(born + rng.uniform(0, 5 * HOUR) for _ in range(2))
        late = sorted(born + rng.uniform(24, 600) * HOUR for _ in range(4))
        pages[f"early/{number}"] = {"birth": born, "end": None, "changes": early}
        pages[f"late/{number}"] = {"birth": born, "end": None, "changes": early + late}
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"name": "t", "kind": "article", "t0": 0, "t1": 56 * 24 * HOUR, "pages": pages}))
    run = Replay(Trace.load(path), policy("default"), base_params(2.0), 1)
    run.run()
    return run._knowledge


def test_a_site_that_edits_late_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    knowledge, end = _learned(tmp_path), 56 * 24 * HOUR
    again = Knowledge(knowledge.base)
    again.load(knowledge.to_json())
    for known in (knowledge, again):
        early = known.params("early", Kind.ARTICLE, end).edits
        late = known.params("late", Kind.ARTICLE, end).edits
        assert early[3] < 0.3 * late[3]
        assert known.params("early", Kind.ARTICLE, end).steady.share < 0.05
        assert min(early) > 0.0
        assert interval(30, 29, 1.0, early, worth=0.1, longest=1e4) > interval(
            30, 29, 1.0, late, worth=0.1, longest=1e4
        )


def test_a_memory_from_before_edits_were_counted_is_read(tmp_path: Path) -> None:
    kept = _learned(tmp_path).to_json()
    for _, _, level in kept["levels"]:
        del level["edits_seen"], level["edits_expected"]
    again = Knowledge(Params())
    again.load(kept)
    assert again.params("early", Kind.ARTICLE, 0.0).edits == EVEN


def _after(pages: dict[str, list[float]], days: int, tmp_path: Path) -> tuple[Params, list[float]]:
    """What is known of a site's articles after so many days, and the factor by which each one's edits count."""
    path = tmp_path / "t.json"
    known = {f"a/{name}": {"birth": 0, "end": None, "changes": at} for name, at in pages.items()}
    path.write_text(json.dumps({"name": "t", "kind": "article", "t0": 0, "t1": days * 24 * HOUR, "pages": known}))
    run = Replay(Trace.load(path), policy("default"), base_params(2.0), 1)
    run.run()
    params = run._knowledge.params("a", Kind.ARTICLE, days * 24 * HOUR)
    edits = [state.slow_x for state in run._states if state is not None]
    usual, true = params.own
    ages = days * 24.0
    return params, [usual + true * (own_factor(ages, x, params.edits, params.steady) - usual) for x in edits]


def test_what_articles_own_edits_say_is_believed_where_it_comes_true(tmp_path: Path) -> None:
    rng, days = random.Random(5), 40
    alike = {str(n): sorted(rng.uniform(0, days * 24 * HOUR) for _ in range(40)) for n in range(30)}
    unlike = {name: at if int(name) % 3 == 0 else [] for name, at in alike.items()}
    even, even_factors = _after(alike, days, tmp_path)
    assert max(even_factors) < 1.35 * min(even_factors)
    _, other_factors = _after(unlike, days, tmp_path)
    assert max(other_factors) > 1.7 * min(other_factors)
    # Edited once a day for as long as they are known: their age says nothing of the next edit.
    assert even.steady.share > 0.99
    assert even.steady.rate == pytest.approx(1 / 24, rel=0.3)
    waits = [interval(age, age, 1.0, even.edits, even.steady, worth=2.0, longest=1e4) for age in (48.0, 900.0)]
    assert waits[1] == pytest.approx(waits[0], rel=0.02)
