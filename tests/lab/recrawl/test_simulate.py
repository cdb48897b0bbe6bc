"""The simulator: exact sums on small histories, and the ranking of policies on real ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from articlebot.errors import StateError
from articlebot.recrawl import Kind, Params, policy
from articlebot.recrawl.budgets import Budget
from articlebot_lab.recrawl.ceiling import KnownRates
from articlebot_lab.recrawl.periods import periods
from articlebot_lab.recrawl.simulate import Replay, base_params, calibrate, fetches_wanted, replay
from articlebot_lab.recrawl.tally import by_kind, summarise
from articlebot_lab.recrawl.traces import Trace

DAY = 86400.0


def write(path: Path, kind: str = "index", pages: dict[str, object] | None = None) -> Path:
    rng = random.Random(5)
    if pages is None:
        pages = {
            f"s/{i}": {"birth": 0, "end": None, "changes": sorted(rng.uniform(1, 20 * DAY) for _ in range(i * i))}
            for i in range(1, 16)
        }
    path.write_text(json.dumps({"name": "t", "kind": kind, "t0": 0, "t1": 20 * DAY, "utcoffset": 0, "pages": pages}))
    return path


def test_sums_of_a_history_that_can_be_reckoned_by_hand(tmp_path: Path) -> None:
    # One page, visited at 0, 1, 2, ... days; changes at 10.25, 10.5 and 12.75 days; three items in the last.
    pages = {"p": {"birth": 1, "end": None, "changes": [10.25 * DAY, 10.5 * DAY, 12.75 * DAY], "n": [1, 1, 3]}}
    trace = Trace.load(write(tmp_path / "t.json", pages=pages))
    result = summarise("uniform", replay(trace, policy("uniform"), Params(initial=DAY, max_interval=DAY), 0).values())
    assert result.fetches == 14
    assert result.staleness == pytest.approx(1.0 / 14, abs=1e-4)
    assert result.delay_mean_s == pytest.approx((0.75 + 0.5 + 3 * 0.25) / 5 * DAY, abs=2)
    assert result.delay_p50_s == pytest.approx(0.25 * DAY, abs=2)
    assert result.delay_p95_s == pytest.approx(0.75 * DAY, abs=2)
    assert result.captured_share == pytest.approx(2 / 3)
    assert result.wasted_share == pytest.approx(12 / 14)
    assert result.mean_age_s == pytest.approx((0.75**2 + 0.25**2) / 2 / 14 * DAY, abs=2)


@pytest.mark.parametrize("name", ["default", "ratio", "additive", "uniform"])
def test_every_policy_spends_the_same(tmp_path: Path, name: str) -> None:
    trace = Trace.load(write(tmp_path / "t.json"))
    found = calibrate(trace, policy(name), base_params(6.0), 6.0, 1)
    assert found.spent == pytest.approx(fetches_wanted(trace, 6.0), rel=0.016)


def test_the_default_finds_items_sooner_than_uniform_and_known_rates_bound_it(tmp_path: Path) -> None:
    trace = Trace.load(write(tmp_path / "t.json"))
    delays = {
        name: summarise(name, calibrate(trace, policy(name), base_params(6.0), 6.0, 1).tallies.values()).delay_mean_s
        or 0
        for name in ("default", "uniform")
    }
    best = (
        summarise("c", calibrate(trace, KnownRates(trace), base_params(6.0), 6.0, 1).tallies.values()).delay_mean_s or 0
    )
    assert best * 0.95 < delays["default"] < 0.9 * delays["uniform"]


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    trace = Trace.load(write(tmp_path / "t.json"))
    runs = [summarise("x", replay(trace, policy("default"), base_params(6.0), seed).values()) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("wrong", [0.01, 100.0])
def test_the_budget_is_met_after_three_days_of_a_replay(tmp_path: Path, wrong: float) -> None:
    trace = Trace.load(write(tmp_path / "t.json"))
    run = Replay(trace, policy("default"), base_params(48.0), 1, budget=Budget(15 * 24.0, DAY, wrong, timed=wrong))
    run.run()
    spent = sum(run.hours[72:-1])
    assert spent == pytest.approx(15.0 * len(run.hours[72:-1]), rel=0.05)


def test_kinds_of_a_mixture_are_told_apart(tmp_path: Path) -> None:
    pages = {
        f"{kind}/{i}": {"birth": 0, "end": None, "changes": [i * 3600.0 * 7 + 9 * DAY]}
        for kind in ("idx", "art", "doc") for i in range(1, 5)
    }  # fmt: skip
    trace = Trace.load(write(tmp_path / "t.json", "mixed", pages))
    assert trace.mixed
    assert {page.kind for page in trace.pages} == set(Kind)
    found = by_kind("default", replay(trace, policy("default"), base_params(2.0), 1))
    assert set(found) == {"list", "article", "document"}


@pytest.mark.parametrize("damage", ["{", "[]", '{"kind": "index"}', '{"kind": "none", "pages": {"a": {}}}'])
def test_a_file_that_is_no_trace_is_named(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(damage)
    with pytest.raises(StateError, match=r"bad\.json"):
        Trace.load(path)


def test_the_default_beats_uniform_on_real_sections(corpus: Path) -> None:
    trace = Trace.load(corpus / "traces" / "nu_sec_dev.json")
    delays = {
        name: summarise(name, calibrate(trace, policy(name), base_params(6.0), 6.0, 1).tallies.values()).delay_mean_s
        or 0
        for name in ("default", "uniform")
    }
    assert delays["default"] < 0.56 * delays["uniform"]


def test_periods_swing_into_the_page_s_real_one() -> None:
    points = periods(policy("default"), [(200, 4 * 3600.0)], Params(initial=86400.0), 0)
    late = [period for _, period in points[-50:]]
    assert 0.2 < sum(late) / len(late) < 8.0
