"""`scrapy simulate` and `scrapy discover` as they are typed, on a small history."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from articlebot.commands import discover, simulate
from articlebot.jobs.history import HistoryWriter, RoundRecord
from articlebot.jobs.learned import LearnedJobs
from articlebot.jobs.model import Job
from articlebot.runtime import clock

ROOT = Path(__file__).resolve().parents[2]
DAY = 86400.0
FIGURES = {
    "policy", "staleness", "delay_mean_s", "delay_p50_s", "delay_p95_s", "mean_age_s", "captured_share",
    "wasted_share", "fetches",
}  # fmt: skip


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder / "data")}
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def call(command: ScrapyCommand, folder: Path, *arguments: str) -> None:
    """A command without a process of its own, which takes seconds to start."""
    command.settings = Settings({"ARTICLEBOT_DATA_DIR": str(folder / "data")})
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, rest = parser.parse_known_args(list(arguments))
    command.run(rest, options)


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
        "--policy", "articlebot.recrawl.policies.uniform.Uniform", "--fetches-per-page-day", "4", "--seeds", "2",
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
        ([], "expected one or more trace files"),
        (["no-such.json"], "no-such.json: not a trace"),
        (["TRACE", "--policy", "nothing"], "no recrawl policy 'nothing'"),
        (["TRACE", "--budget", "3", "--fetches-per-page-day", "3"], "exclude each other"),
        (["TRACE", "--seeds", "0"], "must be above 0"),
    ],
)
def test_simulate_says_what_is_wrong(trace: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call(simulate.Command(), tmp_path, *(str(trace) if a == "TRACE" else a for a in arguments))


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """Two jobs and four weeks of rounds: one publishes by day only, one seldom."""
    path = tmp_path / "jobs.toml"
    path.write_text(
        "".join(
            f'[[site]]\nname = "{name}"\nlist_pages = "https://{name}.example/"\ninterval = "1h"\ntimezone = "UTC"\n'
            for name in ("daily", "quiet")
        )
    )
    writer = HistoryWriter(tmp_path / "data" / "history", "w")
    now = clock.now()
    for hours in range(27 * 24, 0, -1):
        at = now - hours * 3600
        found = 4 if 8 <= at % DAY / 3600 < 20 else 0
        writer.write(RoundRecord("daily", at, 1, found, int(found > 0)))
        writer.write(RoundRecord("quiet", at, 1, int(hours % 30 == 0), int(hours % 30 == 0)))
    writer.close()
    return path


def test_discover_windows_closes_the_silent_hours_and_keeps_probing(jobs: Path, tmp_path: Path) -> None:
    dry = scrapy(tmp_path, "discover", "windows", "--jobs", str(jobs), "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    daily = json.loads(dry.stdout)[0]
    assert (daily["job"], daily["before"], daily["now"]) == ("daily", "always", "daily 8-20")
    assert daily["confidence"] >= 0.95
    assert not (tmp_path / "data" / "learned-jobs.json").exists()
    call(discover.Command(), tmp_path, "windows", "--jobs", str(jobs))
    learned = LearnedJobs.load(tmp_path / "data").get("daily")
    job = Job(name="daily", list_pages=["https://daily.example/"], timezone="UTC")
    rng, midnight = random.Random(1), clock.now() // DAY * DAY
    assert not any(learned.closed_for(job, midnight + 12 * 3600, rng) for _ in range(100))
    assert 50 < sum(not learned.closed_for(job, midnight + 2 * 3600, rng) for _ in range(1000)) < 160


def test_discover_intervals_says_why_and_judges_new_rounds_only(
    jobs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for _ in range(2):
        call(discover.Command(), tmp_path, "intervals", "--jobs", str(jobs), "--json")
        found.append({row["job"]: row for row in json.loads(capsys.readouterr().out)})
    first, again = found
    assert first["daily"]["now_s"] == first["daily"]["before_s"] == 3600
    assert first["quiet"]["now_s"] == pytest.approx(5400)
    assert "less than half" in first["quiet"]["why"]
    assert (again["quiet"]["before_s"], again["quiet"]["now_s"]) == (5400, 5400)
    assert "too few" in again["quiet"]["why"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected windows, intervals or periods"),
        (["windows"], "expected --jobs"),
        (["windows", "--jobs", "JOBS", "--days", "0"], "--days must be above 0"),
    ],
)
def test_discover_says_what_is_wrong(jobs: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call(discover.Command(), tmp_path, *(str(jobs) if a == "JOBS" else a for a in arguments))


def test_discover_refuses_a_damaged_memory(jobs: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "learned-jobs.json").write_text("{")
    with pytest.raises(UsageError, match=r"learned-jobs\.json is damaged"):
        call(discover.Command(), tmp_path, "windows", "--jobs", str(jobs))
