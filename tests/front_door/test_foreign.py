"""Somebody else's Scrapy project with the add-on: it goes on working as Scrapy's documentation says."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, news

SETTINGS = """
SPIDER_MODULES = ["theirs"]
ADDONS = {"articlebot.Addon": 500}
ARTICLEBOT_ADDON_PARTS = ["frontier", "summary"]
DOWNLOAD_DELAY = 0.4
RANDOMIZE_DOWNLOAD_DELAY = False
FEED_EXPORT_FIELDS = ["title", "url"]
"""
SPIDERS = '''
from scrapy import Request, Spider
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

class Rules(CrawlSpider):
    name = "rules"
    rules = [Rule(LinkExtractor(allow="report-number"), callback="parse_report")]
    custom_settings = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.05, "HTTPCACHE_ENABLED": True}

    def __init__(self, url=None, **kwargs):
        super().__init__(start_urls=[url], **kwargs)

    def parse_report(self, response):
        """A report.

        @url data:text/html,<h1>A%20report</h1>
        @returns items 1 1
        @scrapes title url
        """
        yield {"title": response.css("h1::text").get(), "url": response.url}

class Lambdas(Spider):
    name = "lambdas"

    async def start(self):
        yield Request(self.url, lambda page: page.follow_all(css="li a", callback=lambda one: {"url": one.url}))
'''
COUNT = 5


@pytest.fixture
def theirs(tmp_path: Path) -> Door:
    folder = tmp_path / "project"
    door = Door(tmp_path, cwd=folder)
    door.file("project/scrapy.cfg", "[settings]\ndefault = their_settings\n")
    door.file("project/their_settings.py", SETTINGS)
    door.file("project/theirs.py", SPIDERS)
    return door


def crawl(door: Door, site: SmallSite, spider: str, out: str, *more: str) -> str:
    """What the command says."""
    env = {"ARTICLEBOT_DELAYS_MEAN_S": "", "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": ""}
    done = door.type("crawl", spider, "-a", f"url={site.url}/", "-O", out, *more, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done.stderr


def test_each_run_finds_everything_and_keeps_the_projects_delay(theirs: Door) -> None:
    with SmallSite(news(COUNT)) as site:
        said = crawl(theirs, site, "rules", "one.jsonl", "-s", "HTTPCACHE_ENABLED=False")
        hits = sorted(hit.at for hit in site.hits if hit.path != "/robots.txt")
        crawl(theirs, site, "rules", "two.csv")
        crawl(theirs, site, "rules", "three.jsonl")
        asked = len(site.hits)
        crawl(theirs, site, "lambdas", "four.jsonl")
    rows = [json.loads(line) for line in (theirs.cwd / "one.jsonl").read_text().splitlines()]
    assert {row["title"] for row in rows} == {f"Report number {n} from the harbour town" for n in range(COUNT)}
    assert min(later - earlier for earlier, later in pairwise(hits)) >= 0.39
    with (theirs.cwd / "two.csv").open() as file:
        assert sorted(row["url"] for row in csv.DictReader(file)) == sorted(row["url"] for row in rows)
    assert asked == 2 * (COUNT + 1)  # the third run had all of it in its HTTP cache
    for name in ("three.jsonl", "four.jsonl"):
        assert len((theirs.cwd / name).read_text().splitlines()) == COUNT, said


def test_their_spiders_are_listed(theirs: Door) -> None:
    assert theirs.type("list").stdout.split() == ["lambdas", "rules"]


def test_scrapys_commands_work_there_too(theirs: Door) -> None:
    with SmallSite(news(COUNT)) as site:
        page = f"{site.url}/2026/11/20/report-number-1.html"
        done = theirs.type(
            "parse", "--spider", "rules", "-a", f"url={site.url}/", "-c", "parse_report", "--nolog", page
        )
        assert "Report number 1" in done.stdout, done.stderr
        done = theirs.type("shell", "--nolog", "-c", "response.status", page)
        assert done.stdout.strip() == "200", done.stderr
    done = theirs.type("check", "rules")
    assert (done.returncode, "Ran 2 contracts" in done.stderr) == (0, True), done.stderr
