from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from articlebot.console.view import chinese, filled, translator
from articlebot.frontier.breaker import Silence
from articlebot.frontier.crawl_log import Download
from articlebot.frontier.inspect import Quarantined, SlotView
from articlebot.frontier.lookup import Waiting, Whereabouts
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.runtime.explained import Explained, _downloads

URL = "https://news.example.com/a"
NOW = 1000.0
NOWHERE = Whereabouts(False, (), (), None)
UNKNOWN = Explained(url=URL, place=NOWHERE, record=None, fetches=[], robots=None, versions=[], deliveries=[])


def download(at: float, url: str = URL, status: int = 200) -> Download:
    return Download(at, at, "news.example.com", 1, 0, url, status, 9, "worker", "example", "auto", 1.0)


def record(form: str) -> PageRecord:
    return PageRecord(1, URL, "example", PageState(kind=Kind.ARTICLE, fetches=3), form=form)


QUEUED = Whereabouts(True, (Waiting("queued", 1, 4, None, ()),), (), SlotView(1, "h", 5, False, NOW + 2.5, 8.0))
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": ({}, "Never admitted"),
    "seen": ({"place": replace(NOWHERE, seen=True)}, "Seen and done with"),
    "forbidden": (
        {"place": replace(NOWHERE, seen=True), "reason": "robots"},
        "Seen and done with, and not kept: no article was found on it, it failed for good, or it is another address of "
        "an article that is kept; robots.txt of its host forbids it",
    ),
    "walled": (
        {"record": record("auto"), "reason": "wall_login"},
        "Known, and nothing of it was published in 3 visits; it shows a wall (login) instead of an article",
    ),
    "failing": (
        {"record": record("auto"), "reason": "http_500"},
        "Known, and nothing of it was published in 3 visits; its last visit ended with http_500",
    ),
    "mended": (
        {"versions": [{"version": 1, "event": "new", "withdrawn_at": None}], "record": record("auto"), "reason": "x"},
        "Published: version 1 is the newest (new)",
    ),
    "known": ({"record": record("auto")}, "Known, and nothing of it was published in 3 visits"),
    "entry": ({"record": record("feed")}, "An entry page (feed) of job example"),
    "published": (
        {"record": record("auto"), "versions": [{"version": 2, "event": "corrected"}]},
        "Published: version 2",
    ),
    "gone": (
        {"versions": [{"version": 2, "event": "withdrawn", "withdrawn_at": 5.0}]},
        "Published: version 2 is the newest (withdrawn); its page is gone for good",
    ),
    "quiet": (
        {"versions": [{"version": 1, "event": "new", "withdrawn_at": None}]},
        "Published: version 1 is the newest (new); it is visited no more: it was quiet for long",
    ),
    "removed": ({"removed_at": 5.0}, "Removed by retention"),
    "silent": (
        {"place": replace(QUEUED, silence=Silence("h", NOW - 90, NOW - 5, 4, "dns"))},
        "Queued, with 4 requests of its slot before it; its host has not answered for 90 s (dns)",
    ),
    "leased": (
        {"place": replace(QUEUED, waiting=(Waiting("leased", None, None, "w1", ()),))},
        "Being fetched by worker w1",
    ),
    "queued": (
        {"place": QUEUED},
        "Queued, with 4 requests of its slot before it; its slot rests for 2.5 s more; backing off by 8 s",
    ),
    "running": (
        {"place": replace(QUEUED, slot=SlotView(1, "h", 5, True, None, 0))},
        "Queued, with 4 requests of its slot before it; one request",
    ),
    "failed": (
        {"fetches": [download(1, status=0)]},
        "Never admitted: no page that was visited has linked to it, or no job wants it; the last download had no",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_why_a_page_stands_where_it_stands(case: str) -> None:
    changes, begins = CASES[case]
    explained = replace(UNKNOWN, **changes)
    clauses = explained.why(NOW)
    assert "; ".join(map(str, clauses)).startswith(begins)
    assert explained.is_known == (case != "unknown")
    for clause in clauses:
        assert clause.text in chinese()
        assert filled(clause, translator("zh")) != str(clause)


def test_a_page_in_quarantine_says_what_failed_last() -> None:
    dead = Quarantined(id="00", url=URL, job="example", at=1.0, history=((1.0, "w", "timeout"),))
    [clause] = replace(UNKNOWN, place=replace(NOWHERE, quarantined=(dead,))).why(NOW)
    assert "timeout" in str(clause)
    assert clause.text in chinese()


def test_the_last_downloads_are_found_in_the_newest_logs(tmp_path: Path) -> None:
    assert _downloads(tmp_path, URL) == ([], None)
    robots = download(3, "https://news.example.com/robots.txt")
    rows = [download(n) for n in range(1, 8)]
    first, second = tmp_path / "crawl-20260101-w-0.jsonl", tmp_path / "crawl-20260102-w-0.jsonl"
    first.write_text("\n".join(row.to_line() for row in [*rows[:4], robots, download(9, URL + "b")]), "utf-8")
    second.write_text("".join(row.to_line() + "\n" for row in rows[4:]) + rows[0].to_line()[:-9], "utf-8")
    assert _downloads(tmp_path, URL) == (rows[2:], robots)
