"""`scrapy simulate` as it is typed, on a small history."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError

from articlebot_lab.commands import simulate
from tests.recrawl.test_commands import DAY, call, scrapy

FIGURES = {
    "policy", "staleness", "delay_mean_s", "delay_p50_s", "delay_p95_s", "mean_age_s", "captured_share",
    "wasted_share", "fetches",
}  # fmt: skip


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    rng = random.Random(3)
    pages = {
        f"{kind}/{i}": {"birth": 0, "end": None, "changes": sorted(rng.uniform(1, 20 * DAY) for _ in range(i * i))}
        for kind in ("idx", "art", "doc") for i in range(1, 8)
    }  # fmt: skip
    path = tmp_path / "small.json"
    path.write_text(json.dumps({"name": "small", "kind": "mixed", "t0": 0, "t1": 20 * DAY, "pages": pages}))
    return path


def test_simulate_prints_every_figure_for_equal_fetches(trace: Path, tmp_path: Path) -> None:
    done = scrapy(
        tmp_path, "simulate", str(trace), "--policy", "default", "--policy", "ratio", "--policy", "ceiling",
        "--policy", "articlebot.recrawl.policies.designs.Uniform", "--fetches-per-page-day", "4", "--seeds", "2",
        "--json", "--plot", str(tmp_path / "plot.png"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["policy"] for row in rows][:3] == ["default", "ratio", "ceiling"]
    wanted = 4 * 21 * 14
    for row in rows:
        assert set(row) >= FIGURES
        assert row["visits"] >= row["fetches"]
        assert row["visits_per_s"] > 0
        assert set(row["by_kind"]) == {"list", "article", "document"}
        assert set(row["by_kind"]["list"]) >= FIGURES
        assert row["fetches"] == pytest.approx(wanted, rel=0.02)
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"


def test_simulate_keeps_a_daily_budget_and_prints_a_table(trace: Path, tmp_path: Path) -> None:
    done = scrapy(tmp_path, "simulate", str(trace), "--policy", "default", "--budget", "84")
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()
    assert header.split()[-1] == "fetches"
    assert any("document" in row for row in rows)
    spent = next(row for row in rows if "default" in row).split()[-1].replace(",", "")
    assert int(spent) == pytest.approx(84 * 14, rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected one or more trace files, or --periods"),
        (["TRACE", "--periods"], "expected one or more trace files, or --periods"),
        (["no-such.json"], "no-such.json: not a trace"),
        (["TRACE", "--policy", "nothing"], "no recrawl policy 'nothing'"),
        (["TRACE", "--budget", "3", "--fetches-per-page-day", "3"], "exclude each other"),
        (["TRACE", "--seeds", "0"], "must be above 0"),
    ],
)
def test_simulate_says_what_is_wrong(trace: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call(simulate.Command(), tmp_path, *(str(trace) if a == "TRACE" else a for a in arguments))


def test_simulate_shows_the_periods_of_the_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(simulate.Command(), tmp_path, "--periods", "--json", "--plot", str(tmp_path / "plot.png"))
    rows = json.loads(capsys.readouterr().out)
    assert {row["policy"] for row in rows} >= {"default", "ratio", "similarity", "additive"}
    # The page changes every four hours, then daily, then hourly: whoever follows it ends far below a day.
    assert all(row["visits"] > 50 and row["last_h"] < 12 for row in rows if row["policy"] in ("default", "similarity"))
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"


def test_simulate_shows_what_signals_would_save(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = (str(trace), "--policy", "default", "--policy", "uniform", "--fetches-per-page-day", "2")
    call(simulate.Command(), tmp_path, *typed, "--signals", ".8,.6", "--json")
    without, heard, even = json.loads(capsys.readouterr().out)
    assert [row["policy"] for row in (without, heard, even)] == ["default", "default", "uniform"]
    assert (without["signals"], even["signals"]) == (None, None)
    assert heard["signals"] == {"precision": 0.8, "recall": 0.6}
    true, false = heard["true_signals"], heard["false_signals"]
    assert true / (true + false) == pytest.approx(0.8, abs=0.02)
    assert heard["fetches"] == pytest.approx(without["fetches"], rel=0.04)
    call(simulate.Command(), tmp_path, *typed, "--json")
    assert [row["delay_mean_s"] for row in json.loads(capsys.readouterr().out)] == [
        without["delay_mean_s"], even["delay_mean_s"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0,.5", "precision must be above 0"),
        (".8,1.2", "recall must be above 0 and at most 1"),
        (".8", "PRECISION,RECALL"),
    ],
)
def test_simulate_refuses_shares_that_are_none(trace: Path, tmp_path: Path, typed: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call(simulate.Command(), tmp_path, str(trace), "--signals", typed)
