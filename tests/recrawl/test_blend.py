"""How far pages' own intervals count, by what others would have cost."""

from __future__ import annotations

import random

import pytest

from articlebot.recrawl import Kind, Observation, Params, policy
from articlebot.recrawl.blend import SUMS, Blend, best_power, blended, note
from articlebot.recrawl.knowledge import Knowledge
from articlebot.recrawl.state import PageState, among


def counted(spread: float, told: float, visits: int = 4000) -> list[float]:
    """Visits of pages whose own intervals differ; ``told`` is how much of that the rates of their items share."""
    rng, sums = random.Random(4), [0.0] * SUMS
    for _ in range(visits):
        # So that the mean of 1/ratio is 1, as it is for intervals over the even one.
        ratio = rng.lognormvariate(spread**2 / 2, spread)
        # At most one in ten visits finds an item; the rate of a true interval is its inverse square.
        items = float(rng.random() < 0.1 * min(ratio ** (-2 * told), 8.0))
        note(sums, ratio, items, 100.0)
        sums[9] += 100.0 / (50.0 * ratio)
    return sums


def test_own_intervals_count_as_far_as_they_tell_what_is_found_next() -> None:
    assert best_power(counted(0.6, 0.0)) < 0.1
    assert best_power(counted(0.6, 1.0)) > 0.85
    assert 0.2 < best_power(counted(0.6, 0.5)) < 0.8
    assert best_power([0.0] * SUMS) == 1.0


def test_blended_intervals_keep_the_number_of_visits_and_stay_within_bounds() -> None:
    sums = counted(0.6, 0.5)
    found = blended(sums, lists=True)
    assert found is not None
    rng = random.Random(9)
    ratios = [rng.lognormvariate(0.18, 0.6) for _ in range(4000)]
    own = sum(1 / (found.even * ratio) for ratio in ratios)
    visits = sum(1 / found.of(found.even * ratio, 1.0) for ratio in ratios)
    assert visits / own == pytest.approx(1.0, abs=0.05)
    assert Blend(100.0, 1.0, 1.0, 4.0, 2.0).of(1.0, 2.0) == pytest.approx(50.0, abs=1e-9)
    assert Blend(100.0, 1.0, 1.0, 4.0, 2.0).of(1e9, 2.0) == pytest.approx(1000.0, abs=1e-9)
    assert Blend(100.0, 0.0, 1.0, 4.0, 2.0).of(1e9, 2.0) == 200.0


def test_a_change_among_many_counts_for_as_many_as_are_due_up_to_a_bound() -> None:
    assert among(0.0) == 1.0
    assert among(1.0) == pytest.approx(1.582, abs=1e-3)
    assert among(1e9) == pytest.approx(4.075, abs=1e-3)


@pytest.mark.parametrize("kind", [Kind.LIST, Kind.DOCUMENT])
def test_pages_that_are_alike_are_soon_visited_alike(kind: Kind) -> None:
    rng, knowledge = random.Random(1), Knowledge(Params(scale=4.0, min_interval=1.0))
    rule, day = policy("default"), 86400.0
    states: dict[int, PageState] = {}
    due = [(rng.random() * day, page) for page in range(60)]
    while due[0][0] < 30 * day:
        at, page = due.pop(0)
        before = states.get(page)
        items = 0 if before is None else sum(rng.random() < (at - before.last_at) / day / 20 for _ in range(20))
        seen = Observation(at, "changed" if items or before is None else "unchanged", kind, min(items, 20))
        after = rule.next_state(before, seen, knowledge.params("site", kind, at), at, rng)
        knowledge.observe("site", before, seen, after)
        states[page] = after
        due.append((after.next_at, page))
        due.sort()
    params = knowledge.params("site", kind, 30 * day)
    assert params.blend is not None
    waits = sorted(params.blend.of(state.interval, params.scale) for state in states.values())
    assert waits[54] / waits[6] < 1.35


def test_only_a_busy_list_page_is_held_back():
    sums = counted(1.0, 1.0)
    sums[9] = sums[6] / 3600
    lists, documents = blended(sums, lists=True), blended(sums, lists=False)
    assert lists is not None and documents is not None
    # A fiftieth of the even interval.
    assert lists.ratio(72.0, 1.0) == pytest.approx(1 / 4)
    assert documents.ratio(72.0, 1.0) == pytest.approx(1 / 50)
    assert lists.ratio(3600 * 90.0, 1.0) == documents.ratio(3600 * 90.0, 1.0) == pytest.approx(5)


def test_documents_that_differ_at_each_visit_are_no_reason_to_visit_them_more_often() -> None:
    rng, knowledge = random.Random(1), Knowledge(Params(scale=4.0, min_interval=1.0))
    rule, day, visits = policy("default"), 86400.0, [0] * 40
    states: dict[int, PageState] = {}
    due = [(rng.random() * day, page) for page in range(40)]
    while due[0][0] < 60 * day:
        at, page = due.pop(0)
        before = states.get(page)
        since = at if before is None else at - before.last_at
        changed = before is None or page < 12 or rng.random() < since / day / 10
        seen = Observation(at, "changed" if changed else "unchanged", Kind.DOCUMENT)
        after = rule.next_state(before, seen, knowledge.params("site", Kind.DOCUMENT, at), at, rng)
        knowledge.observe("site", before, seen, after)
        states[page] = after
        visits[page] += at > 30 * day
        due.append((after.next_at, page))
        due.sort()
    assert sum(visits[:12]) / 12 < 1.7 * sum(visits[12:]) / 28
