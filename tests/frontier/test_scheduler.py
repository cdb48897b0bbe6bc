"""Real crawls of a real site, in processes of their own, with every warning an error."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import redis
import redis.asyncio

from articlebot.frontier import Candidate, Frontier
from articlebot.frontier.audit import audit
from articlebot.frontier.crawl_log import read_log
from articlebot.runtime.private_redis import PrivateRedis
from benchmarks.loopback import Plan, Site, overlaps

ROOT = Path(__file__).resolve().parents[2]


def start(redis_url: str, folder: Path, seeds: list[str], settings: dict | None = None, **options) -> subprocess.Popen:
    options |= {
        "seeds": seeds,
        "settings": {"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(folder), **(settings or {})},
    }
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", "-m", "tests.frontier.crawl"]
    return subprocess.Popen(
        [*command, json.dumps(options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=ROOT,
        text=True,
    )


def finish(process: subprocess.Popen, quiet: bool = True) -> dict:
    output, errors = process.communicate(timeout=500)
    assert process.returncode == 0, errors
    if quiet:
        assert errors == ""
    return json.loads(output)


def crawl(*args, quiet: bool = True, **options) -> dict:
    return finish(start(*args, **options), quiet)


def paths(site: Site) -> list[str]:
    return sorted(f"{host}{path}" for _, _, host, path in site.visits() if path.startswith("/p/"))


@pytest.mark.parametrize("mode", ["admit", "requests"])
@pytest.mark.parametrize(("adjacency", "shards"), [("keys", 1), ("slot", 1), ("keys", 4), ("slot", 4)])
def test_every_page_is_fetched_once_and_no_host_is_hurried(redis_url, tmp_path, mode, adjacency, shards):
    with Site(Plan((6, 5, 4), links=6, across=0.4, latency=0.005), tmp_path) as site:
        seeds = [site.url(host) for host in range(3)]
        settings = {
            "ARTICLEBOT_FRONTIER_ADJACENCY": adjacency, "ARTICLEBOT_FRONTIER_SHARDS": shards, "ROBOTSTXT_OBEY": True
        }  # fmt: skip
        stats = crawl(redis_url, tmp_path, seeds, settings, mode=mode)
        visits = site.visits()
    assert len(paths(site)) == len(set(paths(site))) == 15
    assert overlaps(visits) == 0
    report = audit(read_log([tmp_path / "logs"]), parents=adjacency == "keys" and shards == 1)
    assert report.downloads == 18  # and three robots.txt
    assert (report.overlaps, report.too_close, report.parents_too_close) == (0, 0, 0)
    assert report.smallest_gap > 0.03
    assert stats["finish_reason"] == "finished"
    assert stats["articlebot/frontier/acknowledged"] == 15


async def test_nothing_is_left_behind(redis_url, tmp_path):
    with Site(Plan((5,), links=3), tmp_path) as site:
        crawl(redis_url, tmp_path, [site.url(0), site.url(0).replace("/p/0", "/missing")], quiet=True)
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        frontier = Frontier(client, spider="tested")
        counts = await frontier.counts()
        assert (counts.queued, counts.leased, counts.workers, counts.quarantined) == (0, 0, 0, 0)
        assert not [key async for key in client.scan_iter(f"{frontier.prefix}:[rqw]*") if b":ready" not in key]


def test_a_redirect_takes_the_slot_of_its_target(redis_url, tmp_path):
    with Site(Plan((4, 4), links=3, latency=0.05), tmp_path) as site:
        go = site.url(0).replace("/p/0", "/go/1/0")
        stats = crawl(redis_url, tmp_path, [go, site.url(1, 1), go + "?2", site.url(1, 2)], mode="none")
        visits = site.visits()
    assert stats["downloader/response_status_count/302"] == 2
    assert overlaps(visits) == 0
    assert audit(read_log([tmp_path / "logs"])).too_close == 0
    assert paths(site).count("127.0.1.2/p/0") == 1  # the second redirect leads to a known page


def test_a_busy_site_is_left_alone_as_long_as_it_asks(redis_url, tmp_path):
    with Site(Plan((3,), links=2), tmp_path) as site:
        busy = site.url(0).replace("/p/0", "/busy/1/x")
        stats = crawl(redis_url, tmp_path, [busy, site.url(0, 1)], {"ARTICLEBOT_DELAYS_BACK_OFF_S": 0.2}, mode="none")
        starts = [start for start, _, _, _ in sorted(site.visits())]
    assert stats["articlebot/frontier/backed_off"] >= 1
    assert starts[1] - starts[0] > 1.0
    assert len(starts) == 3  # the 503, the other page, and the page again


def test_a_crawl_ends_although_a_slot_rests_for_long(redis_url, tmp_path):
    with Site(Plan((3, 3), links=2), tmp_path) as site:
        seeds = [site.url(0).replace("/p/0", "/busy/3000/x"), site.url(1)]
        stats = crawl(redis_url, tmp_path, seeds)  # which nobody waits for as long as the site asks for
    assert stats["finish_reason"] == "finished"
    with redis.Redis.from_url(redis_url) as client:
        assert int(client.hget("{articlebot:frontier}:tested:n", "queued")) == 1


def test_robots_crawl_delay_is_a_lower_bound(redis_url, tmp_path):
    robots = "User-agent: *\nCrawl-delay: 0.4\n"
    with Site(Plan((3,), links=3, robots=robots), tmp_path) as site:
        crawl(redis_url, tmp_path, [site.url(0)], {"ROBOTSTXT_OBEY": True})
        starts = sorted(start for start, _, _, _ in site.visits())
    assert len(starts) == 4
    assert min(b - a for a, b in pairwise(starts)) > 0.4


def test_robots_files_that_are_redirected_hold_no_host(redis_url, tmp_path):
    with Site(Plan((3, 3, 3), links=3, robots="", robots_elsewhere=True), tmp_path) as site:
        stats = crawl(redis_url, tmp_path, [site.url(host) for host in range(3)], {"ROBOTSTXT_OBEY": True})
        visits = site.visits()
    assert stats["finish_reason"] == "finished"
    assert len(paths(site)) == len(set(paths(site))) == 9
    assert overlaps(visits) == 0
    assert audit(read_log([tmp_path / "logs"])).too_close == 0
    with redis.Redis.from_url(redis_url) as client:
        assert not client.hgetall("{articlebot:frontier}:held")


@pytest.mark.parametrize(("mode", "failing"), [("admit", True), ("raise", False)], ids=["item", "callback"])
def test_an_item_or_callback_that_fails_sends_its_page_back_and_then_to_quarantine(redis_url, tmp_path, mode, failing):
    with Site(Plan((5,), links=5), tmp_path) as site:
        settings = {"FAIL": failing, "ARTICLEBOT_FRONTIER_TRIES": 2}
        stats = crawl(redis_url, tmp_path, [site.url(0, n) for n in range(5)], settings, mode=mode, quiet=False)
    assert paths(site).count("127.0.1.1/p/3") == 2
    assert stats["articlebot/frontier/quarantined"] == 1


def test_a_middleware_that_fails_keeps_no_host(redis_url, tmp_path):
    failing = {"articlebot.middlewares.slots.SlotsMiddleware": 950, "tests.frontier.crawl.FailingMiddleware": 960}
    with Site(Plan((5,), links=5), tmp_path) as site:
        settings = {"DOWNLOADER_MIDDLEWARES": failing, "FAIL_DOWNLOAD_OF": "3"}
        stats = crawl(redis_url, tmp_path, [site.url(0, n) for n in (3, 0, 1, 2, 4)], settings, mode="none")
    assert paths(site) == [f"127.0.1.1/p/{number}" for number in range(5)]
    assert stats["finish_reason"] == "finished"
    assert stats["tested/failed"] == 1


def test_a_store_that_is_away_counts_as_no_try_and_is_not_fetched_for_as_fast_as_one_can(redis_url, tmp_path):
    with Site(Plan((1,), links=0), tmp_path) as site:
        settings = {"AWAY": 3, "ARTICLEBOT_FRONTIER_TRIES": 2}
        stats = crawl(redis_url, tmp_path, [site.url(0)], settings, sink=str(tmp_path / "sink"), quiet=False)
        begun = sorted(visit[0] for visit in site.visits())
    assert (tmp_path / "sink").read_text() == f"{site.url(0)}\n"
    assert len(begun) == 4
    assert begun[2] - begun[1] >= 0.9
    assert begun[3] - begun[2] >= 1.9
    assert stats["articlebot/frontier/postponed"] == 3
    assert "articlebot/frontier/quarantined" not in stats


def test_while_nothing_can_be_kept_pages_go_one_by_one(redis_url, tmp_path):
    with Site(Plan((1, 1, 1, 1), links=0), tmp_path) as site:
        settings = {"AWAY": 6, "ARTICLEBOT_FRONTIER_TRIES": 2}
        seeds = [site.url(host) for host in range(4)]
        crawl(redis_url, tmp_path, seeds, settings, sink=str(tmp_path / "sink"), quiet=False)
        begun = sorted(visit[0] for visit in site.visits())
    assert sorted((tmp_path / "sink").read_text().split()) == sorted(seeds)
    assert len(begun) == 10
    gaps = [after - before for before, after in pairwise(begun)]
    rested = next(place for place, gap in enumerate(gaps) if gap >= 0.9)
    assert gaps[rested + 1] >= 1.9


def test_what_cannot_be_stored_is_fetched_by_this_process_in_the_slot_of_its_host(redis_url, tmp_path):
    with Site(Plan((6, 6), links=1, latency=0.02), tmp_path) as site:
        seeds = [site.url(host, page) for host in range(2) for page in range(6)]
        stats = crawl(redis_url, tmp_path, seeds, mode="unstorable", quiet=False)
        visits = site.visits()
    assert stats["articlebot/frontier/kept_here"] == 12
    assert stats["finish_reason"] == "finished"
    assert len(visits) == 24
    assert overlaps(visits) == 0
    assert audit(read_log([tmp_path / "logs"])).too_close == 0


async def test_an_interrupted_crawl_gives_its_leases_back_and_goes_on_later(redis_url, tmp_path):
    with Site(Plan((40, 40), links=6, latency=0.02), tmp_path) as site:
        seeds = [site.url(0), site.url(1)]
        process = start(redis_url, tmp_path, seeds)
        while len(paths(site)) < 10:  # noqa: ASYNC110 - another process is waited for
            await asyncio.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stats = finish(process, quiet=False)
        assert stats["finish_reason"] == "shutdown"
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            counts = await Frontier(client, spider="tested").counts()
            assert counts.leased == 0
            assert counts.queued > 0
        crawl(redis_url, tmp_path, seeds)
        assert len(paths(site)) == len(set(paths(site))) == 80


async def test_pages_of_a_job_that_no_worker_knows_wait_for_one_that_does(redis_url, tmp_path):
    with Site(Plan((4, 4), links=0), tmp_path) as site:
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            frontier = Frontier(client, spider="tested")
            for job in ("theirs", "mine"):
                hosts = (0,) if job == "mine" else (0, 1)
                pages = [site.url(host, page + 2 * (job == "mine")) for host in hosts for page in range(2)]
                await frontier.links.admit([Candidate(url) for url in pages], job=job)
            stats = crawl(redis_url, tmp_path, [], jobs=["mine"], mode="none")
            assert paths(site) == ["127.0.1.1/p/2", "127.0.1.1/p/3"]
            assert (stats["finish_reason"], stats["articlebot/frontier/job_unknown"] > 0) == ("finished", True)
            counts = await frontier.counts()
            assert (counts.queued, counts.passed, counts.quarantined) == (4, 2, 0)
            assert await frontier.idle_for(0) is None
            stats = crawl(redis_url, tmp_path, [], jobs=["theirs"], mode="none")
            assert len(paths(site)) == 6, stats
            assert (await frontier.counts()).queued == 0


def test_a_worker_that_starts_before_redis_waits_for_it(tmp_path):
    server = PrivateRedis(tmp_path / "redis")
    with Site(Plan((3,), links=2), tmp_path) as site:
        process = start(server.url, tmp_path, [site.url(0)])
        while "Redis is away" not in process.stderr.readline():
            pass
        with server:
            assert finish(process, quiet=False)["finish_reason"] == "finished"
        assert len(paths(site)) == 3
