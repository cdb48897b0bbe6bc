"""The main job as a user starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from articlebot.actions.run import _text
from articlebot.actions.workers import Workers

ROOT = Path(__file__).resolve().parents[2]


def test_the_newsroom_is_reported_on(tmp_path: Path) -> None:
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "scrapy", "run", "--seconds", "25", "--sites", "4", "-s", "BOT_NAME=another"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    for name in ("published_share", "changes_caught_share", "delay_p50_s", "delay_p95_s", "false_changes"):
        assert name in report
    assert report["pages_fetched"] > 0
    assert report["published_twice"] == 0
    assert report["false_duplicates"] == 0
    assert report["errors"] == 0, (tmp_path / "newsroom" / "crawl.log").read_text()[-3000:]
    assert "articles published" in done.stdout
    assert "(bot: another)" in (tmp_path / "newsroom" / "crawl.log").read_text()  # settings reach the crawl


def test_a_clock_that_is_set_back_keeps_no_dead_worker_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hours, codes = iter([5e6] * 3), iter([-9, 0])
    monkeypatch.setattr("articlebot.runtime.clock.now", lambda: next(hours, 5e6 - 3600) + time.monotonic())

    class Process:
        def __init__(self, *_: object, **__: object) -> None:
            self._code = next(codes)

        def poll(self) -> int:
            return self._code

    monkeypatch.setattr("articlebot.actions.workers.subprocess.Popen", Process)
    workers = Workers([], tmp_path, {}, number=1, seconds=None, progress_s=0.0, report="last-run.json")
    assert workers.run() == (0, None)


def test_one_site_is_told_as_one() -> None:
    counted = dict.fromkeys(("pages_fetched", "articles_published", "changes_seen", "duplicates_grouped", "errors"), 3)
    report = {**counted, "seconds": 9.0, "refused": {}, "failed": {}, "note": "", "findings": [], "results": "data"}
    for number, said in ((1, "1 site followed for 9 s"), (2, "2 sites followed for 9 s")):
        assert f"{said}: 3 pages fetched" in _text({**report, "sites": number}, [], Path("data/report.json"))
