"""Reciprocal rank fusion: several rankings made one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.seeds.fusion import Fused, Result, fuse

_results = st.lists(st.integers(0, 30).map(lambda n: Result(f"http://s{n}.example/")), max_size=20)


@given(st.dictionaries(st.sampled_from("abc"), _results))
def test_each_page_is_named_once_and_ordered_by_score(rankings: dict[str, list[Result]]) -> None:
    fused = fuse(rankings)
    assert (
        len({one.url for one in fused}) == len(fused) == len({r.url for results in rankings.values() for r in results})
    )
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
    assert fuse(rankings, limit=3) == fused[:3]


def test_what_two_engines_find_is_better_than_what_one_finds_first() -> None:
    a = [Result("http://one.example/"), Result("http://both.example/#x", "", "of a")]
    b = [
        Result("javascript:x"),
        Result("http://two.example/", "Two", "second"),
        Result("https://both.example/", "Both", "of b"),
    ]
    both = Fused("https://both.example/", "Both", "of b", pytest.approx(2 / 62, abs=1e-12), {"a": 2, "b": 2})
    two = Fused("http://two.example/", "Two", "second", pytest.approx(1 / 61, abs=1e-12), {"b": 1})
    assert fuse({"a": a, "b": b}) == [both, Fused("http://one.example/", "", "", two.score, {"a": 1}), two]


def test_a_page_counts_at_its_better_rank_and_takes_one() -> None:
    rows = [
        Result("http://a.example/", "First"),
        Result("http://a.example/?utm_source=x", "Again"),
        Result("http://b.example/"),
    ]
    assert [(one.title, one.ranks) for one in fuse({"x": rows}, k=1.0)] == [("First", {"x": 1}), ("", {"x": 2})]
    assert [one.score for one in fuse({"x": rows}, k=1.0)] == [pytest.approx(1 / 2), pytest.approx(1 / 3)]


def test_of_equal_scores_the_better_rank_comes_first_then_the_address() -> None:
    # 1/(2+1) + 0 against 1/(2+4) + 1/(2+4).
    x = [
        Result("http://z.example/"),
        *(Result(f"http://x{n}.example/") for n in range(2)),
        Result("http://both.example/"),
    ]
    y = [*(Result(f"http://y{n}.example/") for n in range(3)), Result("http://both.example/")]
    order = [one.url for one in fuse({"x": x, "y": y}, k=2.0)]
    assert order[:3] == ["http://y0.example/", "http://z.example/", "http://both.example/"]
