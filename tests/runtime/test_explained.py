from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from articlebot.console.view import chinese, filled, translator
from articlebot.frontier.breaker import Silence
from articlebot.frontier.crawl_log import Download
from articlebot.frontier.inspect import SlotView
from articlebot.frontier.lookup import Waiting, Whereabouts
from articlebot.frontier.quarantine import Quarantined
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.looks import Found
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.runtime.explained import Explained, _downloads

URL = "https://news.example.com/a"
NOW = 1000.0
NOWHERE = Whereabouts(False, (), (), None)
UNKNOWN = Explained(url=URL, place=NOWHERE, record=None, fetches=[], robots=None, versions=[], deliveries=[])


def download(at: float, url: str = URL, status: int = 200) -> Download:
    return Download(at, at, "news.example.com", 1, 0, url, status, 9, "worker", "example", "auto", 1.0)


def record(form: str) -> PageRecord:
    failed = int(form == "list")
    return PageRecord(1, URL, "example", PageState(kind=Kind.ARTICLE, fetches=3, failures=failed), form=form)


QUEUED = Whereabouts(True, (Waiting("queued", 1, 4, None, ()),), (), SlotView(1, "h", 5, False, NOW + 2.5, 8.0))
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": ({}, "Never admitted: nothing of the host news.example.com was ever queued"),
    "seen": ({"place": replace(NOWHERE, seen=True)}, "Seen and done with"),
    "forbidden": (
        {"place": replace(NOWHERE, seen=True), "reason": "robots"},
        "robots.txt of its host forbids it; set robots = false in its job where you may",
    ),
    "walled": (
        {"record": record("auto"), "reason": "wall_login"},
        "it shows a wall (login) instead of an article; only readers with an account see it",
    ),
    "reserved": (
        {"place": replace(NOWHERE, seen=True), "reason": "tdm_reservation"},
        "its use for text and data mining is reserved; leave tdm-reservation out of ARTICLEBOT_MANNERS_OBEY",
    ),
    "forbidden list": (
        {"record": record("list"), "reason": "robots"},
        "An entry page (list) of job example: visited for its links; robots.txt of its host forbids it; set robots",
    ),
    "failing": (
        {"record": record("auto"), "reason": "http_500"},
        "its last visit ended with http_500",
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
        "Withdrawn: version 2 says so; its page is gone for good",
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
        "1970-01-01T00:00:01+00:00: asked for as a further page of a list or by the look at its site; not an entry "
        "page of a job; the last download had no",
    ),
    "host known": ({"place": replace(NOWHERE, slot=QUEUED.slot)}, "Never admitted: no page that was visited"),
}
ELSEWHERE = {"list_pages": "https://other.example/"}
HERE = {"list_pages": "https://news.example.com/"}
JOBS: dict[str, tuple[dict[str, Any], bool, str]] = {
    "no job": (ELSEWHERE, False, "Never admitted: the host news.example.com is no job's; links to it are followed by "
               "a job that names it in allowed_domains"),
    "allowed": ({**ELSEWHERE, "allowed_domains": "example.com"}, False, "Never admitted: job j has its host, and no "
                "page that it visits down to depth 1"),
    "depth": ({**HERE, "depth": 3}, False, "Never admitted: job j has its host, and no "
              "page that it visits down to depth 3"),
    "excluded": ({**HERE, "article_exclude": "/a"}, False, "Not followed: article_exclude of job j"),
    "pattern": ({**HERE, "article_pattern": "/b"}, True, "No article to job j: its article_pattern does not match"),
    "entry": ({"list_pages": URL}, False, "An entry page of job j that was not visited"),
    "taken": (HERE, True, "Seen and done with"),
}  # fmt: skip


@pytest.mark.parametrize("case", JOBS)
def test_the_key_that_keeps_a_page_from_a_job_is_named(case: str) -> None:
    keys, seen, begins = JOBS[case]
    book = JobBook([Job.model_validate({"name": "j", **keys})])
    [clause] = replace(UNKNOWN, place=replace(NOWHERE, seen=seen)).why(NOW, book)
    assert str(clause).startswith(begins)
    assert clause.text in chinese()


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (
            {"left_out": {"https://news.example.com/a": "a look at a site takes no more pages"}},
            "left out https://news.",
        ),
        ({"reaches_back": False}, "found no way back to older articles"),
        ({"left_out": {"https://news.example.com/b": "by its name no list of news"}, "reaches_back": True}, ""),
    ],
)
def test_what_the_look_at_its_site_has_to_do_with_it_is_told(report: dict[str, Any], said: str) -> None:
    look = Found("https://news.example.com/", NOW, {}, report=report)
    _, *clauses = replace(UNKNOWN, look=look).why(NOW)
    assert [said in str(clause) for clause in clauses] == [True] * bool(said)
    assert all(clause.text in chinese() for clause in clauses)


@pytest.mark.parametrize("case", CASES)
def test_why_a_page_stands_where_it_stands(case: str) -> None:
    changes, begins = CASES[case]
    explained = replace(UNKNOWN, **changes)
    clauses = explained.why(NOW)
    assert "; ".join(map(str, clauses)).startswith(begins)
    assert explained.is_known == (case not in ("unknown", "host known"))
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


def test_an_entry_page_that_has_answered_since_is_kept_from_nothing() -> None:
    known = replace(UNKNOWN, reason="robots_unreachable")
    assert replace(known, record=record("list")).kept_from == "robots_unreachable"
    assert replace(known, record=record("feed")).kept_from is None
    assert replace(known, versions=[{"version": 1, "event": "new"}]).kept_from is None
