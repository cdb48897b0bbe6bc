"""A focused crawl end to end, in a process of its own, against the newsroom."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio

from articlebot.config import Config
from articlebot.connect import tagged
from articlebot.relevance import Pool, load_topic
from articlebot.runtime import clock
from articlebot_lab.newsroom.process import Newsroom

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("focused")


@pytest.fixture(scope="module")
def room() -> Iterator[Newsroom]:
    with Newsroom(seconds=5, grace=3600, sites=6) as room:
        time.sleep(6)
        yield room


def start(folder: Path, room: Newsroom, *arguments: str, **further: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ, "http_proxy": room.proxy, "ARTICLEBOT_DATA_DIR": str(folder),
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.03", "ARTICLEBOT_PROGRESS_S": "0",
        **further,
    }  # fmt: skip
    command = [sys.executable, "-m", "scrapy", "crawl", "focused", *arguments, "-s", f"LOG_FILE={folder / 'crawl.log'}"]
    return subprocess.Popen(command, cwd=ROOT, env=environment)


def ended(worker: subprocess.Popen[bytes], folder: Path) -> tuple[int, dict[str, Any], str]:
    code = worker.wait(timeout=500)
    found = folder / "last-run.json"
    log = (folder / "crawl.log").read_text(errors="replace")
    return code, json.loads(found.read_text())["stats"] if found.exists() else {}, log


def write_topic(folder: Path, room: Newsroom) -> tuple[Path, dict[str, Any]]:
    """A topic file about the longest story of the newsroom, and that story."""
    truth = json.loads(room.get("http://newsroom.test/truth.json")[2])
    story = max(truth["articles"], key=lambda article: len(article["body"]))
    begin = "/".join(story["url"].split("/")[:3]) + "/"
    topic = {"name": "t", "texts": [story["title"] + " " + story["body"]], "seeds": [begin]}
    content = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in topic.items())
    (folder / "topic.toml").write_text(content, encoding="utf-8")
    return folder / "topic.toml", story


def export(folder: Path) -> list[dict[str, Any]]:
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "scrapy", "export", "--json"]
    printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout
    return [json.loads(line) for line in printed.decode().splitlines()]


def test_publishes_pages_of_the_topic_within_the_budget(room: Newsroom, tmp_path: Path) -> None:
    topic, story = write_topic(tmp_path, room)
    code, stats, log = ended(start(tmp_path, room, "-a", f"topic={topic}", "-a", "budget=25"), tmp_path)
    assert code == 0, log[-3000:]
    assert stats.get("log_count/ERROR", 0) == 0, log[-3000:]
    judged = stats.get("articlebot/focused/relevant", 0) + stats.get("articlebot/focused/off_topic", 0)
    assert 2 <= judged <= 25
    rows = export(tmp_path)
    assert rows
    assert all(row["relevance"] > 0 for row in rows)
    assert max(rows, key=lambda row: float(row["relevance"]))["title"] == story["title"]


async def test_two_workers_share_one_crawl(room: Newsroom, tmp_path: Path, redis_url: str) -> None:
    topic, _ = write_topic(tmp_path, room)
    before = len(room.log())
    folders = [tmp_path / name for name in ("a", "b")]
    workers = []
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        # One more in the crawl keeps it from ending before a slow worker has begun, which would begin another.
        third = Pool(client, tagged(Config().general.key_prefix, "focus"), load_topic(topic), clock.now)
        assert await third.open()
        for folder in folders:
            folder.mkdir()
            workers.append(start(folder, room, "-a", f"topic={topic}", "-a", "budget=40", REDIS_URL=redis_url))
        finished = [
            await asyncio.to_thread(ended, worker, folder) for worker, folder in zip(workers, folders, strict=True)
        ]
        assert await third.news()
    judged = []
    for code, stats, log in finished:
        assert code == 0, log[-3000:]
        assert stats.get("log_count/ERROR", 0) == 0, log[-3000:]
        judged.append(sum(stats.get(f"articlebot/focused/{name}", 0) for name in ("relevant", "off_topic")))
    assert 4 <= sum(judged) <= 40
    answered = [row for row in room.log()[before:] if row["status"] == 200 and row["path"] != "/robots.txt"]
    fetched = [row["host"] + row["path"] for row in answered]
    assert len(fetched) == len(set(fetched))


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
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert run.returncode != 0
    assert message in run.stdout + run.stderr
