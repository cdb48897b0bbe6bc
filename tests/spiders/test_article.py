"""The main job, end to end, in real processes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from articlebot_lab.newsroom.process import Newsroom
from articlebot_lab.newsroom.score import score
from tests.spiders.crawling import archived, crawl, jobs_of, log_of, start, truth_of

# One newsroom and one crawl of it for all of them.
together = pytest.mark.xdist_group("article")


@pytest.fixture(scope="module")
def quiet_room() -> Iterator[Newsroom]:
    """A newsroom whose day is over: what it serves stays as it is."""
    with Newsroom(seconds=5, grace=3600, sites=6) as room:
        time.sleep(6)
        yield room


@pytest.fixture(scope="module")
def undisturbed(quiet_room: Newsroom, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return folder, crawl(folder, quiet_room, "-a", jobs_of(quiet_room, folder), "-a", "until=idle")


@together
def test_every_article_is_found_once(quiet_room: Newsroom, undisturbed: tuple[Path, dict[str, Any]]) -> None:
    folder, stats = undisturbed
    found = score(truth_of(quiet_room), archived(folder, versions=True))
    assert found["published_share"] >= 0.99, found["missed_urls"]
    assert found["published_twice"] == 0
    assert found["false_duplicates"] == 0
    assert found["disallowed_published"] == 0
    assert stats.get("log_count/ERROR", 0) == 0, log_of(folder)


@together
def test_a_second_run_publishes_nothing_again(quiet_room: Newsroom, undisturbed: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = undisturbed
    before = Counter(row["page_key"] for row in archived(folder))
    unchanged = 0
    for _ in range(10):  # few pages are due at once where the first run took long
        time.sleep(3)
        stats = crawl(folder, quiet_room, "-a", jobs_of(quiet_room, folder), "-a", "until=idle")
        assert stats.get("articlebot/publish/new", 0) == 0
        assert stats.get("articlebot/publish/already", 0) == 0
        if unchanged := stats.get("downloader/response_status_count/304", 0):
            break
    assert unchanged
    assert Counter(row["page_key"] for row in archived(folder)) == before


@together
def test_a_killed_crawl_goes_on_and_ends_the_same(
    quiet_room: Newsroom, undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    wanted = {row["canonical_url"] for row in archived(undisturbed[0])}
    jobs = jobs_of(quiet_room, tmp_path)
    for pause in (2.5, 4.0):
        with start(tmp_path, quiet_room, "-a", jobs, "-a", "until=idle") as process:
            time.sleep(pause)
            process.kill()
    crawl(tmp_path, quiet_room, "-a", jobs, "-a", "until=idle")
    rows = archived(tmp_path)
    assert {row["canonical_url"] for row in rows} == wanted
    assert max(Counter(row["page_key"] for row in rows).values()) == 1


@together
def test_two_workers_share_the_work(
    quiet_room: Newsroom, undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    wanted = {row["canonical_url"] for row in archived(undisturbed[0])}
    jobs = jobs_of(quiet_room, tmp_path)
    both = ("-a", jobs, "-a", "until=idle", "-s", "ARTICLEBOT_OPERATIONS_LOCK=none")
    with start(tmp_path, quiet_room, *both) as first:
        crawl(tmp_path, quiet_room, *both)
        assert first.wait(500) == 0
    rows = archived(tmp_path)
    assert {row["canonical_url"] for row in rows} == wanted
    assert max(Counter(row["page_key"] for row in rows).values()) == 1


def test_a_hostile_host_is_survived(tmp_path: Path) -> None:
    with Newsroom(seconds=5, grace=3600, hostile=True) as room:
        jobs = tmp_path / "jobs.toml"
        jobs.write_text(
            '[[site]]\nname = "hostile"\nlist_pages = "http://hostile.newsroom.test/"\narticle_pattern = "."\n'
            'allowed_domains = "hostile.newsroom.test"\n'
        )
        caps = ["-s", "DOWNLOAD_TIMEOUT=15", "-s", "RETRY_TIMES=0", "-s", "DOWNLOAD_MAXSIZE=8388608"]
        stats = crawl(tmp_path, room, "-a", f"jobs={jobs}", "-a", "until=idle", *caps, codes=(0, 1))
    urls = {row["url"] for row in archived(tmp_path)}
    assert sum("/good/" in url for url in urls) == 3
    # Scrapy before 2.15 logs a page that cannot be had as an error of its own, and the exit code tells so.
    own = [line for line in log_of(tmp_path).splitlines() if " ERROR [articlebot" in line or " CRITICAL " in line]
    assert own == []
    assert "Traceback" not in log_of(tmp_path)
    reasons = {name.rsplit("/", 1)[1] for name in stats if name.startswith("articlebot/page/")}
    assert reasons >= {"timeout", "redirects"}, reasons
