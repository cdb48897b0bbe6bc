"""Another Scrapy project that uses parts of articlebot through its add-on."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from scrapy.settings import Settings

import articlebot
from articlebot.addon import PARTS
from articlebot.errors import ConfigError
from articlebot_lab.newsroom.process import Newsroom
from tests.operations.running import crawl_environment, scrapy_json

SETTINGS = """
SPIDER_MODULES = ["foreign"]
ADDONS = {{"articlebot.Addon": 500}}
ARTICLEBOT_ADDON_PARTS = {parts!r}
ROBOTSTXT_OBEY = True
"""
SPIDER = """
import scrapy
from articlebot.items import Article
from articlebot.urls import canonical_url, page_key, site

class Foreign(scrapy.Spider):
    name = "foreign"

    async def start(self):
        yield scrapy.Request(self.url, self.parse)

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_article)

    def parse_article(self, response):
        url = canonical_url(response.url)
        body = " ".join(response.css("p::text").getall())
        if len(body) > 200:
            yield Article(url=url, canonical_url=url, page_key=f"{page_key(url):016x}", job="foreign", site=site(url),
                          fetched_at=1.0, title=response.css("title::text").get(""), body=body)
"""


def run(folder: Path, parts: list[str]) -> dict[str, int]:
    """The stats of a crawl of another project with these parts."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    (folder / "settings.py").write_text(SETTINGS.format(parts=parts))
    (folder / "foreign.py").write_text(SPIDER)
    with Newsroom(seconds=5, sites=1, grace=3600) as room:
        jobs = tomllib.loads(room.get("http://newsroom.test/jobs.toml")[2].decode())
        (site,) = jobs["site"]
        address = next(iter([site["list_pages"]] if isinstance(site["list_pages"], str) else site["list_pages"]))
        command = [sys.executable, "-m", "scrapy", "crawl", "foreign", "-a", f"url={address}"]
        done = subprocess.run(
            command, cwd=folder, env=crawl_environment(folder / "data", room.proxy), capture_output=True, text=True,
            timeout=500, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    stats: dict[str, int] = json.loads((folder / "data" / "last-run.json").read_text())["stats"]
    return stats


def test_a_project_with_the_frontier_and_the_archive(tmp_path: Path) -> None:
    stats = run(tmp_path, ["frontier", "change", "neardup", "publish", "summary"])
    assert stats["articlebot/frontier/acknowledged"] > 3
    assert stats["articlebot/publish/new"] > 0
    code, state = scrapy_json(tmp_path / "data", "status")
    assert (code, state["archive"]["articles"]) == (0, stats["articlebot/publish/new"])


def test_a_project_with_one_part_keeps_its_scheduler(tmp_path: Path) -> None:
    stats = run(tmp_path, ["change", "summary"])
    assert stats["articlebot/change/new"] > 0
    assert not [name for name in stats if name.startswith(("articlebot/frontier", "articlebot/publish"))]
    assert stats["scheduler/enqueued/memory"] > 0


@pytest.mark.parametrize("part", PARTS)
def test_what_the_project_sets_itself_stays(part: str) -> None:
    settings = Settings({"ARTICLEBOT_ADDON_PARTS": part})
    for name, components in PARTS[part].components.items():
        for path in components:
            settings[name].set(path, None, "project")
    settings.set("SCHEDULER", "own.Scheduler", "project")
    articlebot.Addon().update_settings(settings)
    assert settings["SCHEDULER"] == "own.Scheduler"
    assert all(settings[name][path] is None for name, paths in PARTS[part].components.items() for path in paths)


def test_a_part_that_there_is_not() -> None:
    with pytest.raises(ConfigError, match="ARTICLEBOT_ADDON_PARTS"):
        articlebot.Addon().update_settings(Settings({"ARTICLEBOT_ADDON_PARTS": "everything"}))


REVISITING = """
import scrapy

class Foreign(scrapy.Spider):
    name = "foreign"

    async def start(self):
        yield scrapy.Request(self.url, self.parse_list, meta={"articlebot_recrawl": 1.0})

    def parse_list(self, response):
        for link in response.css("a::attr(href)").getall()[:40]:
            if "2026" in link or "/show" in link or "/content" in link:
                yield response.follow(link, self.parse_article, meta={"articlebot_recrawl": True})

    def parse_article(self, response):
        self.crawler.stats.inc_value("foreign/articles")
"""


def test_a_project_whose_pages_are_visited_again(tmp_path: Path) -> None:
    """The second run visits what is due by then, without being told, and pays a 304 where nothing has changed."""
    folder = tmp_path
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    (folder / "settings.py").write_text(SETTINGS.format(parts=["recrawl", "summary"]))
    (folder / "foreign.py").write_text(REVISITING)
    quick = {"ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.5", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1", "LOG_LEVEL": "INFO"}
    stats = []
    with Newsroom(seconds=5, sites=1, grace=3600) as room:
        (site,) = tomllib.loads(room.job_file())["site"]
        for address in (site["list_pages"][0], "data:,"):
            environment = crawl_environment(folder / "data", room.proxy, **quick)
            command = [sys.executable, "-m", "scrapy", "crawl", "foreign", "-a", f"url={address}"]
            command += ["-s", "CLOSESPIDER_PAGECOUNT=25", "-s", "LOG_LEVEL=WARNING"]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False
            )
            assert "Traceback" not in done.stderr, done.stderr[-3000:]
            stats.append(json.loads((folder / "data" / "last-run.json").read_text())["stats"])
            time.sleep(1)  # the longest interval: all is due again
    first, second = stats
    assert first["articlebot/revisit/changed"] > 3
    assert second["articlebot/revisit/queued"] > 3
    assert second["articlebot/revisit/not_modified"] + second.get("articlebot/revisit/unchanged", 0) > 0
