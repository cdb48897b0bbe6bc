"""A crawl through real proxies of all kinds, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from tests.hurried import scrapy_with
from tests.proxies.running import scrapy
from tests.proxies.serving import WALL, Quiet, dead, proxy_handler, serve

ROOT = Path(__file__).resolve().parents[2]
ARTICLES = 12


class NewsSite(Quiet):
    """A list page and its articles; counts how many requests are in flight."""

    def do_GET(self) -> None:
        server = self.server
        with server.lock:
            server.flying += 1
            server.most = max(server.most, server.flying)
        server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        if self.path == "/robots.txt":
            self.answer(404)
        elif self.path == "/":
            links = "".join(
                f'<li><a href="/2026/story-{n}.html">A long headline number {n} of the day</a></li>'
                for n in range(ARTICLES)
            )
            self.answer(200, f"<html><body><ul>{links}</ul></body></html>".encode())
        else:
            words = f"Story {self.path} tells at length what happened in the town that day. " * 12
            self.answer(
                200,
                f"<html><head><title>{self.path}</title></head><body><h1>Story</h1><p>{words}</p></body></html>".encode(),
            )
        with server.lock:
            server.flying -= 1


def crawl(
    folder: Path, site: Any, paid: list[str], *, proxies: str, until: str = "idle", published: int | None = None,
    timeout_s: int = 300, code: int | None = None, tries: int = 4, **variables: str,
) -> tuple[dict[str, Any], str]:  # fmt: skip
    site.lock, site.flying, site.most = threading.Lock(), 0, 0
    jobs = folder / "jobs.toml"
    jobs.write_text(
        f'[[site]]\nname = "local"\nlist_pages = "http://{site.address}/"\narticle_pattern = "story"\n'
        f"allow_private = true\nproxies = {proxies}\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {
        "ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_PROGRESS_S": "0", "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
        "ARTICLEBOT_DELAYS_MEAN_S": "0.02", "ARTICLEBOT_DELAYS_BACK_OFF_S": "0.2",
        "ARTICLEBOT_PROXIES_PAID": ",".join(paid),
        # A machine that is busy must not take a proxy for dead.
        "ARTICLEBOT_PROXIES_TIMEOUT_S": "300", **variables,
    }  # fmt: skip
    log = folder / "crawl.log"
    command = [
        *scrapy_with({"articlebot.proxies.live:LivePool.reload_s": 0.5, "articlebot.middlewares.proxies:TRIES": tries}),
        "crawl", "article", "-a", f"jobs={jobs}", "-a", f"until={until}",
        "-s", f"LOG_FILE={log}", "-s", "LOG_LEVEL=DEBUG", "-s", f"DOWNLOAD_TIMEOUT={timeout_s}",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    if published is not None:
        lines = folder / "published" / "articles.jsonl"
        while process.poll() is None and not (lines.exists() and lines.read_text().count("\n") >= published):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
    if code is None:
        code = 3 if proxies == '"required"' and not paid and published is None else 0
    assert process.wait(500) == code
    return json.loads((folder / "last-run.json").read_text())["stats"], log.read_text()


def test_no_page_is_lost_while_proxies_die(tmp_path):
    calls = iter(range(10**6))
    kinds = [
        proxy_handler(),
        proxy_handler(account="anna:s3cret"),
        proxy_handler(works=lambda: next(calls) < 2),  # dies after two pages
        proxy_handler(status=403),
        proxy_handler(status=200, body=WALL.encode()),
        proxy_handler(status=407),
    ]
    with serve(NewsSite, *kinds) as (site, *servers), dead() as (away,):
        paid = [f"http://{server.address}" for server in servers]
        paid[1] = f"http://anna:s3cret@{servers[1].address}"
        stats, log = crawl(tmp_path, site, [*paid, f"http://{away}"], proxies="true")
    pages = [path for path, _ in site.seen if "story" in path]
    assert stats["articlebot/publish/new"] == ARTICLES, {k: v for k, v in stats.items() if "articlebot" in k}
    assert len(set(pages)) == ARTICLES
    assert site.most == 1  # the slot stayed the site's
    assert stats["articlebot/proxies/ok"] > 0
    assert stats["articlebot/proxies/retried"] > 0
    assert stats.get("log_count/ERROR", 0) == 0
    # Each way is drawn, the direct one too.
    assert stats.get("articlebot/proxies/direct", 0) + stats["articlebot/proxies/through_proxy"] > ARTICLES
    assert "s3cret" not in log
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != "crawl.log":
            assert b"s3cret" not in path.read_bytes(), path


def test_a_job_that_demands_a_proxy_waits_for_one(tmp_path, redis_url):
    """With an empty pool nothing is asked for; what dies with the pool waits in the queue; a proxy ends the wait."""
    waits = {"ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "1", "REDIS_URL": redis_url}
    calls = iter(range(10**6))
    dying = proxy_handler(works=lambda: next(calls) < 4)
    with serve(NewsSite, dying, proxy_handler()) as (site, first, second):
        stats, log = crawl(tmp_path, site, [], proxies='"required"', tries=2, **waits)
        assert site.seen == []
        assert "demand a proxy and wait" in log
        assert stats["articlebot/publish/new"] == 0
        stats, _ = crawl(tmp_path, site, [f"http://{first.address}"], proxies='"required"', tries=2, **waits)
        published = stats.get("articlebot/publish/new", 0)
        assert 0 < published < ARTICLES
        assert stats["articlebot/frontier/postponed"] >= 1
        # What waits for its slot, however long that rests, is waited for now.
        waits["ARTICLEBOT_FRONTIER_IDLE_WAIT_S"] = "30"
        stats, _ = crawl(tmp_path, site, [f"http://{second.address}"], proxies='"required"', tries=2, **waits)
    assert stats["articlebot/publish/new"] == ARTICLES - published
    assert "articlebot/proxies/direct" not in stats
    assert {headers["host"] for _, headers in site.seen} == {site.address}
    assert len(first.seen) + len(second.seen) >= len(site.seen)  # no request but through them


def add_once_it_waits(folder: Path, address: str, variables: dict[str, str], ended: threading.Event) -> None:
    log = folder / "crawl.log"
    while not ended.wait(0.1):
        if log.exists() and "demand a proxy and wait" in log.read_text():
            scrapy(folder, "proxies", "add", f"http://{address}", seconds=500, **variables)
            return


def test_a_crawl_that_waits_goes_on_when_a_proxy_comes(tmp_path, redis_url):
    waits = {"ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "1", "REDIS_URL": redis_url}
    with serve(NewsSite, proxy_handler()) as (site, proxy):
        ended = threading.Event()
        adding = threading.Thread(target=add_once_it_waits, args=(tmp_path, proxy.address, waits, ended))
        adding.start()
        try:
            stats, log = crawl(tmp_path, site, [], proxies='"required"', until="forever", published=ARTICLES, **waits)
        finally:
            ended.set()
            adding.join()
    assert stats["articlebot/publish/new"] == ARTICLES
    assert "no job waits any more" in log


class HangingSite(NewsSite):
    """Its articles never answer."""

    def do_GET(self) -> None:
        if "story" in self.path:
            self.server.seen.append((self.path, {}))
            time.sleep(20)
        else:
            super().do_GET()


def test_a_host_that_is_silent_through_every_way_rests(tmp_path):
    waits = {"ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "3", "ARTICLEBOT_DELAYS_BACK_OFF_S": "1"}
    with serve(HangingSite, proxy_handler(), proxy_handler()) as (site, *servers):
        paid = [f"http://{server.address}" for server in servers]
        stats, _ = crawl(
            tmp_path, site, paid, proxies="true", code=3, timeout_s=4, ARTICLEBOT_PROXIES_TIMEOUT_S="4", **waits
        )
    asked = [path for path, _ in site.seen if "story" in path]
    # Three ways to find the host silent, then one probe after each pause; without the breaker each of the 12 pages has
    # three ways and three tries.
    assert 2 <= len(asked) <= 12, asked
    assert stats["articlebot/frontier/no_answer/timeout"] >= 1
    assert stats.get("articlebot/frontier/failed", 0) == 0


class ProvingSite(NewsSite):
    """Its articles ask for proof of a reader, with 503 as such walls have it."""

    def do_GET(self) -> None:
        if "story" in self.path:
            self.server.seen.append((self.path, {}))
            self.answer(503, WALL.encode())
        else:
            super().do_GET()


def test_a_wall_that_every_way_meets_is_no_haste(tmp_path):
    waits = {"ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "3", "ARTICLEBOT_DELAYS_BACK_OFF_S": "1"}
    with serve(ProvingSite, proxy_handler(), proxy_handler()) as (site, *servers):
        paid = [f"http://{server.address}" for server in servers]
        stats, _ = crawl(tmp_path, site, paid, proxies="true", code=0, **waits)
    # No patience moves it: Scrapy's own tries end it, as without a proxy.
    assert "articlebot/frontier/too_soon/503" not in stats
    assert stats["retry/count"] >= 1


class Emptying(Quiet):
    """A proxy that answers with nothing."""

    def do_GET(self) -> None:
        self.answer(200)


def test_an_empty_answer_is_the_fault_of_its_proxy(tmp_path):
    with serve(NewsSite, proxy_handler(), Emptying) as (site, *servers):
        paid = [f"http://{server.address}" for server in servers]
        stats, _ = crawl(tmp_path, site, paid, proxies='"required"')
    assert stats["articlebot/publish/new"] == ARTICLES
    assert stats["articlebot/proxies/proxy_fault"] >= 1


def test_a_run_whose_proxies_all_fail_says_so(tmp_path):
    with serve(NewsSite) as (site,), dead() as (gone,):
        crawl(tmp_path, site, [f"http://{gone}"], proxies='"required"', code=3)
    findings = json.loads((tmp_path / "last-run.json").read_text())["findings"]
    assert [one["reason"] for one in findings] == ["proxies_fail"]
