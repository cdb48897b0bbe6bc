"""The recrawl's glue in a real crawl of a real local server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import redis

from articlebot.jobs.history import FolderRounds

ROOT = Path(__file__).resolve().parent.parent.parent
_CRAWL = """
import asyncio, sys
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings
import scrapy

from articlebot.jobs import Job
from articlebot.recrawl import Kind, Observation, PageRecord, PageState, Validators
from articlebot.runtime import Runtime
from articlebot.runtime.visits import Visits


class Probe(scrapy.Spider):
    name = "probe"

    async def start(self):
        runtime = Runtime.of(self.crawler)
        job = Job(name="a", list_pages=("https://a.test/",), interval=1800)
        for key in range(150):
            record = PageRecord(key, f"https://a.test/{key}", "a", PageState(Kind.LIST))
            for outcome in ("changed", "unchanged", "failed"):
                seen = Observation(runtime.now(), outcome, Kind.LIST, 2)
                record = await runtime.visits.observe(record, seen, Validators("e"), job)
                if key > 2:
                    break
        return
        yield


settings = get_project_settings()
settings.set("EXTENSIONS", {"articlebot.extensions.recrawl.RecrawlExtension": 100})
settings.set("ARTICLEBOT_DATA_DIR", sys.argv[1])
settings.set("REDIS_URL", sys.argv[2])
settings.set("SCHEDULER", "scrapy.core.scheduler.Scheduler")
settings.set("DUPEFILTER_CLASS", "scrapy.dupefilters.RFPDupeFilter")
settings.set("ITEM_PIPELINES", {})
settings.set("LOG_LEVEL", "ERROR")
process = AsyncCrawlerProcess(settings)
crawler = process.create_crawler(Probe)
process.crawl(crawler)
process.start()
import json
print(json.dumps({k: v for k, v in crawler.stats.get_stats().items() if k.startswith("articlebot/recrawl")}))
"""


def test_observations_become_states_stats_and_history(tmp_path: Path, redis_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CRAWL, str(tmp_path), redis_url], cwd=ROOT, capture_output=True, text=True, timeout=500,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "articlebot/recrawl/changed": 150, "articlebot/recrawl/unchanged": 3, "articlebot/recrawl/failed": 3,
    }  # fmt: skip
    with redis.Redis.from_url(redis_url) as client:
        assert client.zcard("{articlebot:recrawl}:due_lists") == 150
        assert json.loads(client.hget("{articlebot:recrawl}:profile", "a/lists"))["version"] == 1
    rounds = list(FolderRounds(tmp_path / "history").rounds())
    assert len(rounds) == 156
    assert sum(record.failed for record in rounds) == 3
