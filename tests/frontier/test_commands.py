from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import redis.asyncio

from articlebot.frontier import Candidate, Frontier
from articlebot.frontier.crawl_log import Download
from articlebot.frontier.leases import Settlement
from articlebot_lab.leasing import settle, take

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scrapy(redis_url, tmp_path):
    def run(*args: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path)}
        command = [sys.executable, "-m", "scrapy", *args]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environ, cwd=ROOT, timeout=500)

    return run


def write_log(folder: Path, *starts: float) -> Path:
    file = folder / "crawl-x.jsonl"
    rows = [Download(at, at + 0.1, "a.test", 1, 0, "http://a.test/", 200, 5, "w", "j", "", 1.0) for at in starts]
    file.write_text("".join(row.to_line() + "\n" for row in rows))
    return file


def test_politeness_says_whether_the_rules_were_kept(scrapy, tmp_path):
    polite = scrapy("frontier", "politeness", str(write_log(tmp_path, 0.0, 1.5, 4.0)), "--json")
    assert polite.returncode == 0, polite.stderr
    report = json.loads(polite.stdout)
    assert (report["downloads"], report["overlaps"], report["smallest_gap_s"]) == (3, 0, 1.5)
    assert report["by_host"][0]["median"] == 2.5
    rude = scrapy("frontier", "politeness", str(write_log(tmp_path, 0.0, 0.05)))
    assert rude.returncode == 1
    assert "overlaps: 1" in rude.stdout


async def test_the_queue_is_shown_and_acted_on(scrapy, redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        frontier = Frontier(client, tries=5)
        await frontier.open()
        await frontier.links.admit([Candidate(f"http://a.test/{n}") for n in range(3)], job="j")
        for _ in range(5):
            (leased,) = (await take(frontier, 1, "w")).requests
            await settle(frontier, "w", [Settlement("fail", leased.member, text="bad")])
        shown = json.loads(scrapy("frontier", "show", "--json").stdout)
        assert (shown["queued"], shown["quarantined"]) == (2, 1)
        assert [(one["name"], one["leased"]) for one in shown["at_work"]] == [("w", 0)]
        assert shown["longest"][0]["name"] == "a.test"
        (one,) = json.loads(scrapy("frontier", "quarantine", "--json").stdout)
        assert one["url"] == "http://a.test/0"
        queued = scrapy("frontier", "requeue", one["id"], "00ff")
        assert "1 requests queued again\n1 names are not in the quarantine" in queued.stdout
        assert queued.returncode == 1
        assert (await frontier.counts()).queued == 3
        assert scrapy("frontier", "purge").returncode == 2
        assert scrapy("frontier", "purge", "--yes").returncode == 0
        assert (await frontier.counts()).queued == 0
