"""`scrapy jobs windows` and `intervals` as it is typed, on a small history."""

from __future__ import annotations

import asyncio
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

from articlebot.commands import jobs as command
from articlebot.config import Config, General
from articlebot.jobs.history import FolderRounds, RoundRecord
from articlebot.jobs.learned import LearnedJobs
from articlebot.jobs.model import Job
from articlebot.runtime import Runtime, clock

ROOT = Path(__file__).resolve().parents[2]
DAY = 86400.0


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
def jobs(tmp_path: Path) -> Path:
    """Two jobs and four weeks of rounds: one publishes by day only, one seldom."""
    path = tmp_path / "jobs.toml"
    path.write_text(
        "".join(
            f'[[site]]\nname = "{name}"\nlist_pages = "https://{name}.example/"\ninterval = "1h"\ntimezone = "UTC"\n'
            for name in ("daily", "quiet")
        )
    )
    writer = FolderRounds(tmp_path / "data" / "history", "w")
    now = clock.now()
    for hours in range(27 * 24, 0, -1):
        at = now - hours * 3600
        found = 4 if 8 <= at % DAY / 3600 < 20 else 0
        writer.write(RoundRecord("daily", at, 1, found, int(found > 0)))
        writer.write(RoundRecord("quiet", at, 1, int(hours % 30 == 0), int(hours % 30 == 0)))
    writer.close()
    return path


def test_learning_windows_closes_the_silent_hours_and_keeps_probing(jobs: Path, tmp_path: Path) -> None:
    dry = scrapy(tmp_path, "jobs", "windows", str(jobs), "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    daily = json.loads(dry.stdout)[0]
    assert (daily["job"], daily["before"], daily["now"]) == ("daily", "always", "daily 8-20")
    assert daily["confidence"] >= 0.95
    assert not (tmp_path / "data" / "learned-jobs.json").exists()
    call(command.Command(), tmp_path, "windows", str(jobs))
    learned = LearnedJobs.load(tmp_path / "data").get("daily")
    job = Job(name="daily", list_pages=["https://daily.example/"], timezone="UTC")
    rng, midnight = random.Random(1), clock.now() // DAY * DAY
    assert not any(learned.closed_for(job, midnight + 12 * 3600, rng) for _ in range(100))
    assert 50 < sum(not learned.closed_for(job, midnight + 2 * 3600, rng) for _ in range(1000)) < 160


async def test_what_was_learned_reaches_workers_that_run_already(jobs: Path, tmp_path: Path) -> None:
    running = Runtime(Config(general=General(data_dir=tmp_path / "data")))
    job = Job(name="daily", list_pages=["https://daily.example/"], timezone="UTC")
    night = clock.now() // DAY * DAY + 2 * 3600
    try:
        visits = running.visits
        await visits.hear()
        assert visits.closed_for(job, night) == 0.0
        done = await asyncio.to_thread(scrapy, tmp_path, "jobs", "windows", str(jobs))
        assert done.returncode == 0, done.stderr
        await visits.hear()
        assert sum(visits.closed_for(job, night) > 0 for _ in range(100)) > 50
    finally:
        await running.close()


def test_learning_intervals_says_why_and_judges_new_rounds_only(
    jobs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for _ in range(2):
        call(command.Command(), tmp_path, "intervals", str(jobs), "--json")
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
        ([], "expected one of: .*windows, intervals"),
        (["windows"], "expected FILE"),
        (["windows", "JOBS", "--days", "0"], "--days must be above 0"),
    ],
)
def test_learning_says_what_is_wrong(jobs: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call(command.Command(), tmp_path, *(str(jobs) if a == "JOBS" else a for a in arguments))


def test_learning_refuses_a_damaged_memory(jobs: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "learned-jobs.json").write_text("{")
    with pytest.raises(UsageError, match=r"learned-jobs\.json is damaged"):
        call(command.Command(), tmp_path, "windows", str(jobs))
