"""A focused crawl end to end, in a process of its own, against the newsroom."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from articlebot.newsroom.process import Newsroom

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.timeout(240), pytest.mark.xdist_group("crawls")]


@pytest.fixture(scope="module")
def room() -> Iterator[Newsroom]:
    with Newsroom(seconds=5, grace=600, sites=6) as room:
        time.sleep(6)
        yield room


def crawl(folder: Path, room: Newsroom, *arguments: str) -> tuple[int, dict[str, Any], str]:
    environment = {
        **os.environ, "http_proxy": room.proxy, "ARTICLEBOT_DATA_DIR": str(folder),
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.03", "ARTICLEBOT_PROGRESS_S": "0",
    }  # fmt: skip
    log = folder / "crawl.log"
    command = [sys.executable, "-m", "scrapy", "crawl", "focused", *arguments, "-s", f"LOG_FILE={log}"]
    code = subprocess.run(command, cwd=ROOT, env=environment, timeout=120, check=False).returncode
    found = folder / "last-run.json"
    return code, json.loads(found.read_text())["stats"] if found.exists() else {}, log.read_text(errors="replace")


def export(folder: Path) -> list[dict[str, Any]]:
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "scrapy", "export", "--json"]
    printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout
    return [json.loads(line) for line in printed.decode().splitlines()]


def test_publishes_pages_of_the_topic_within_the_budget(room: Newsroom, tmp_path: Path) -> None:
    truth = json.loads(room.get("http://newsroom.test/truth.json")[2])
    story = max(truth["articles"], key=lambda article: len(article["body"]))
    start = "/".join(story["url"].split("/")[:3]) + "/"
    topic = {"name": "t", "texts": [story["title"] + " " + story["body"]], "seeds": [start]}
    content = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in topic.items())
    (tmp_path / "topic.toml").write_text(content, encoding="utf-8")
    code, stats, log = crawl(tmp_path, room, "-a", f"topic={tmp_path / 'topic.toml'}", "-a", "budget=25")
    assert code == 0, log[-3000:]
    assert stats.get("log_count/ERROR", 0) == 0, log[-3000:]
    judged = stats.get("articlebot/focused/relevant", 0) + stats.get("articlebot/focused/off_topic", 0)
    assert 2 <= judged <= 25
    rows = export(tmp_path)
    assert rows
    assert all(row["relevance"] > 0 for row in rows)
    assert max(rows, key=lambda row: float(row["relevance"]))["title"] == story["title"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "budget=3"], "expected a topic file"),
        (["-a", "topic=none.toml"], "none.toml"),
        (["-a", "topic={topic}", "-a", "budget=0"], "expected a number of pages"),
        (["-a", "topic={topic}"], "expected an address to begin at"),
        (["-a", "topic={topic}", "-a", "seeds=ftp://x"], "is no http or https URL"),
    ],
)
def test_says_what_is_wrong_with_its_arguments(
    arguments: list[str], message: str, tmp_path: Path, room: Newsroom
) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text('keywords = ["goal"]\n', encoding="utf-8")
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "scrapy", "crawl", "focused", *(a.format(topic=topic) for a in arguments)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert run.returncode != 0
    assert message in run.stdout + run.stderr
