"""Side work that fails costs no page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.front_door.site import SmallSite, news

ROOT = Path(__file__).resolve().parents[2]
_WORKS = ("mining", "shapes", "learning", "history", "metrics", "crawl_log")


def test_every_page_is_published_while_all_side_work_fails(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARTICLEBOT_")}
    environment |= {
        "ARTICLEBOT_DATA_DIR": str(tmp_path / "data"), "ARTICLEBOT_ALLOW_PRIVATE": "1", "ARTICLEBOT_PROGRESS_S": "0",
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.02",
        "ARTICLEBOT_METRICS_PORT": "0",
    }  # fmt: skip
    with SmallSite(news(6)) as site:
        (tmp_path / "jobs.toml").write_text(f'[[site]]\nname = "harbour"\nlist_pages = "{site.url}/"\n')
        done = subprocess.run(
            [sys.executable, "-m", "tests.runtime.failing_aside", str(tmp_path / "jobs.toml")], cwd=ROOT,
            env=environment, capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    stats = json.loads(done.stdout)
    assert stats["articlebot/publish/new"] == 6
    assert "log_count/ERROR" not in stats, done.stderr[-3000:]
    for work in _WORKS:
        assert stats[f"articlebot/side_work/{work}"] >= 1, work
        assert done.stderr.count(f"Side work fails, the pages go their way: {work}.") == 1, work
    assert stats["articlebot/side_work/mining"] >= 7  # the list page and each article
