"""A job's own budget in a real crawl of real pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot_lab.newsroom.process import Newsroom
from tests.spiders.crawling import crawl, jobs_of

pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("crawls")]


def test_a_job_fetches_no_more_than_its_budget(tmp_path: Path) -> None:
    with Newsroom(seconds=8, grace=170, sites=2) as room:
        jobs = Path(jobs_of(room, tmp_path).removeprefix("jobs="))
        free, capped = jobs.read_text().split("[[site]]")[1:]
        jobs.write_text(f"[[site]]{free}[[site]]{capped}budget = 120\n")
        stats = crawl(tmp_path, room, "-a", f"jobs={jobs}", "-a", "seconds=16")
        pages = [entry for entry in room.log() if entry["path"] not in ("/robots.txt", "/.well-known/tdmrep.json")]
    hosts = [entry["host"].split(".")[-2] for entry in pages]
    names = [text.split('name = "')[1].split('"')[0] for text in (free, capped)]
    asked = [hosts.count(name) for name in names]
    # One fetch each 30 seconds, and two that the first minute may spend at once.
    assert asked[0] > 8
    assert 1 <= asked[1] <= 4
    assert stats["articlebot/recrawl/over_budget"] > 0
