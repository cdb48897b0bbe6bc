"""The soak's plan and verdict, and a short soak with every kind of fault."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.config import Config
from articlebot.frontier import Candidate
from articlebot.frontier.build import frontier_of
from articlebot.recrawl import PageRecord, PageState
from articlebot.recrawl.store import RedisPageStates
from articlebot.urls import page_key
from articlebot_lab.soak.faults import KINDS, plan
from articlebot_lab.soak.run import _fates
from articlebot_lab.soak.verdict import check, delivered_twice, growth, is_flat, unseen
from tests.operations.running import ROOT, crawl_environment


@given(st.floats(25, 3600), st.integers(0, 1000))
def test_the_plan_of_faults(seconds: float, seed: int) -> None:
    faults = plan(seconds, seed)
    assert faults == plan(seconds, seed)
    assert [fault.at for fault in faults] == sorted(fault.at for fault in faults)
    assert all(8 <= fault.at < 0.85 * seconds and 1 <= fault.lasts <= 3 for fault in faults)
    assert {fault.kind for fault in faults[:3]} == set(KINDS[: len(faults[:3])]) or len(faults) < 3
    assert plan(seconds, seed, ()) == []


def test_memory_is_looked_at_once_it_is_warm() -> None:
    warming = [(float(second), min(200.0, 50.0 + 10 * second)) for second in range(160)]
    assert growth(warming) == (200.0, 200.0)
    leaking = [(float(second), 100.0 + 2 * second) for second in range(160)]
    grown = growth(leaking)
    assert grown is not None
    assert not is_flat(grown)
    assert growth([]) is None
    assert growth(leaking[:100]) is None  # nobody knows yet


def test_deliveries_are_known_by_page_and_version() -> None:
    line = {"page_key": "a", "version": 1}
    assert delivered_twice([line, {**line, "version": 2}, {**line, "page_key": "b"}]) == 0
    assert delivered_twice([line, line, line]) == 2


def test_of_a_missed_article_is_told_when_its_list_was_seen() -> None:
    sites = [{"key": "a", "list_pages": ["http://a.test/"], "feeds": [], "sitemaps": []}]
    articles = [{"url": f"http://a.test/{at}", "site": "a", "visible_at": 1000.0 + at} for at in (5, 20, 30, 70)]
    truth = {"started_at": 1000.0, "asked_at": 1100.0, "sites": sites, "articles": articles}
    looks = [(1004.0, "/", 200), (1010.0, "/", 503), (1045.0, "/", 304), (1006.0, "/5", 200), (1060.0, "/", 200)]
    log = [{"at": at, "host": "a.test", "path": path, "status": status} for at, path, status in looks]
    assert unseen(truth, log, ["http://a.test/5", "http://a.test/70"]) == [
        {"url": "http://a.test/5", "at_s": 5.0, "next_look_s": 40.0, "newer": 2},
        {"url": "http://a.test/70", "at_s": 70.0, "next_look_s": None, "newer": 0},
    ]


GOOD: dict[str, Any] = {
    "expected": 5, "missed": [], "lost": 0, "twice": 0, "delivered_again": 0, "overlaps": 0, "leases": {"leased": 0},
    "samples": [(float(second), 100.0) for second in range(200)], "codes": [0, 1], "fell": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "evidence",
    [{"missed": ["http://a.test/"]}, {"expected": 0}, {"lost": 1}, {"twice": 1}, {"delivered_again": 1},
     {"overlaps": 1}, {"fell": 1}, {"leases": {"leased": 1}}, {"codes": [0, -9]},
     {"samples": [(float(s), 100.0 + s) for s in range(200)]}],
)  # fmt: skip
def test_whatever_is_wrong_fails(evidence: dict[str, Any]) -> None:
    assert all(one.good for one in check(**GOOD))
    assert [one.good for one in check(**{**GOOD, **evidence})].count(False) == 1


@pytest.mark.xdist_group("fleet")
def test_a_minute_of_faults(tmp_path: Path) -> None:
    variables = crawl_environment(tmp_path, "")
    del variables["http_proxy"]
    command = [sys.executable, "-m", "scrapy", "soak", "--minutes", "0.8", "--sites", "6", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=800, check=False)
    report = json.loads(done.stdout)
    failed = [f"{one['name']}: {one['figure']}" for one in report["checks"] if one["good"] is False]
    assert not failed, (report["missed"], _tails(tmp_path / "soak"))
    assert done.returncode == 0
    assert set(report["faults"]) == set(KINDS)
    assert done.stderr.splitlines()[-1].startswith("articlebot: soak done: ")


def test_bad_use(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scrapy", "soak", "--minutes", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2


def _tails(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(errors="replace")[-1500:] for path in folder.glob("worker-*.log")}


async def test_what_became_of_missed_articles(redis_url: str) -> None:
    frontier = frontier_of(Config(), redis_url)
    await frontier.links.admit([Candidate("http://a.test/queued")], job="j")
    await frontier.seen.mark([page_key("http://a.test/failed"), page_key("http://a.test/lost")])
    pages = RedisPageStates(frontier.redis)
    await pages.put_many([PageRecord(page_key("http://a.test/failed"), "http://a.test/failed", "j", PageState())])
    await frontier.close()
    missed = [f"http://a.test/{name}" for name in ("queued", "failed", "lost", "never")]
    assert await _fates(Config(), redis_url, missed) == {"queued": 2, "lost": 1, "not_reached": 1}
