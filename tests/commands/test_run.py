"""The main job as a user starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(900)
@pytest.mark.xdist_group("crawls")
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
