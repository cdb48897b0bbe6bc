"""The parts that need no server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
from markupsafe import Markup

from articlebot import classify
from articlebot.actions.short import alike
from articlebot.actions.status import _ONLY_TOLD
from articlebot.alerts.messages import text_of
from articlebot.alerts.store import Alert
from articlebot.archive.edits import _SHOWN
from articlebot.archive.snippet import Snippet
from articlebot.console.articles import clean
from articlebot.console.jobs import closed_cells
from articlebot.console.opml import read_opml
from articlebot.console.plots import Series, bars, heat_map, lines
from articlebot.console.rounds import rhythms
from articlebot.console.sources import Cached
from articlebot.console.view import chinese, in_chinese, marked, translator
from articlebot.diagnosis.advice import _tables, advised, unread
from articlebot.diagnosis.coverage import _STOPS, Coverage
from articlebot.jobs import Window
from articlebot.jobs.history import RoundRecord
from articlebot.runtime.known_archive import _OFFER
from articlebot.seeds.jobblock import NOT_BACK
from articlebot.times import duration


def _texts() -> Iterator[str]:
    package = files("articlebot.console")
    for part in (*package.joinpath("templates").iterdir(), *package.iterdir()):
        if part.name.endswith((".html", ".py")):
            for match in re.finditer(r"""\bt\(\s*(?:"([^"]+)"|'([^']+)')\)""", part.read_text("utf-8")):
                yield match[1] or match[2]
            for match in re.finditer(r'(?:missing\(request, |message=)"([^"]+)"', part.read_text("utf-8")):
                yield match[1]


def test_every_text_has_its_chinese() -> None:
    assert not sorted(set(_texts()) - set(chinese()))
    assert not {name.replace("_", " ") for name in _SHOWN} - set(chinese())
    assert not set(classify.load(None).labels) - set(chinese())
    assert all(re.search(r"[\u4e00-\u9fff]|，", shown) for shown in chinese().values())


@pytest.mark.parametrize(
    "again", ["it is looked at again within 1 h", "it is asked again by itself", "ask again later"]
)
def test_what_the_crawl_says_of_sites_has_its_chinese(again: str) -> None:
    values = {"url": "http://a.test:81/x", "detail": "12", "again": again, "found": "1", "usual": "40"}
    for reason in (*_tables()["entry"], "http_503", "http_403"):
        told = f"job a: {'. '.join(advised(reason, values))}"
        shown = in_chinese(told)
        assert shown, told
        assert "{" not in shown
        assert ("a.test" in shown) == ("a.test" in told), shown
    for reason in _tables()["page"]:
        _, said, advice = unread(reason, "http://a.test/x")
        assert in_chinese(f"sites: a: none of 14 new pages could be published: {said}. {advice}"), said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("12 leases, and no worker lives", "有 12 个请求被占用，却没有在线的工作进程"),
        ("sites: a: 3 of 14 new pages could be published: they look like lists or other pages, such as http://a/b. "
         "Say which links are articles with article_pattern in the job; scrapy extract URL shows what is read from one",
         "网站：任务 a：14 个新网页中只有 3 个可以发布：它们像是列表或其他网页，例如 http://a/b。"
         "请在任务中用 article_pattern 说明哪些链接是文章；scrapy extract URL 显示从网页读到的内容"),
        ("declared, with a hub", "由网站声明，带推送中心（hub）"),
        ("", ""),
        ("what nobody has said before", None),
        ("the home page, and what nobody has said before", None),
        ("a b refuses the connection", None),
        (200 * "the home page, ", None),
    ],
)  # fmt: skip
def test_sentences_in_chinese(said: str, shown: str | None) -> None:
    assert in_chinese(said) == shown


def test_what_waits_for_a_person_has_its_chinese() -> None:
    data = {"silent_h": 50.2, "longest_h": 20.4}
    for kind in _ONLY_TOLD:
        assert in_chinese(text_of(Alert(kind, "a.test", data, at=0.0, open=True, since=0.0))), kind
    assert in_chinese(f"The archive /a.db is an older copy, without the last 3 versions. {_OFFER}")


def test_what_falls_short_has_its_chinese() -> None:
    run = Coverage("a.test", {"list": 1200}, {"article": 1200}, _STOPS).said().removeprefix("a.test: ")
    short = {"a.test": [f"the last run came to this: {run}", NOT_BACK], "b.test": [NOT_BACK]}
    lines = alike(short)
    assert [line.partition(": ")[0] for line in lines] == ["a.test, b.test", "a.test"]
    assert all(map(in_chinese, lines)), lines


def test_what_would_help_many_sites_is_one_line_whatever_their_figures() -> None:
    runs = [Coverage("", {"list": n}, {"article": n}, _STOPS).said().removeprefix(": ") for n in range(10, 60)]
    short = {f"{n}.test": [f"the last run came to this: {run}"] for n, run in enumerate(runs)}
    (line,) = alike({"z.test": [NOT_BACK], **short})[:-1]
    assert line == f"0.test, 1.test, 2.test, 3.test, 4.test and 45 more: the last run came to this: {_STOPS}"
    assert in_chinese(line)


@pytest.mark.parametrize(
    "html",
    [
        "<svg onload=alert(1)>", "<p style='x'>a</p>", "<form><input></form>", "<a href='data:x'>b</a>",
        "<img src=http://a/>", "<iframe src=//a>", "<math><mi//xlink:href='data:x'>",
    ],
)  # fmt: skip
def test_cleaning_leaves_nothing_that_runs_or_loads(html: str) -> None:
    safe = clean(html)
    assert isinstance(safe, Markup)
    assert not re.search(r"svg|style|form|input|data:|img|iframe|math|onload", safe)


def test_marks_are_escaped_piece_by_piece() -> None:
    assert marked(Snippet("<a> <b>", ((4, 7),))) == "&lt;a&gt; <mark>&lt;b&gt;</mark>"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, "–"), (0.2, "0.2 s"), (45, "45 s"), (720, "12 min"), (12000, "3 h 20 min"), (400000, "4.6 d")],
)
def test_durations(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown
    assert not re.search("[a-z]", duration(seconds, translator("zh")))


def test_plots_hold_escaped_names_and_survive_nothing() -> None:
    for plot in (bars, lines):
        assert "<b>" not in plot([Series("<b>", "a", [1, 0])], ["<b>", "x"], "<b>")
        assert plot([], [], "empty").startswith("<svg")
        assert "nan" not in plot([Series("a", "a", [None, None])], ["x", "y"], "t").lower()
    for plot in (bars, lines):
        assert "nothing in it" in plot([Series("a", "a", [None, None])], ["x"] * 2, "t", "nothing in it")
        assert "nothing in it" not in plot([Series("a", "a", [None, 2])], ["x"] * 2, "t", "nothing in it")
    gaps = lines([Series("a", "a", [1, None, 2, 3])], ["x"] * 4, "t")
    assert gaps.count("<circle") == 1  # a value between gaps is a dot
    assert gaps.count("M") - gaps.count('class="grid"') == 1
    empty = heat_map([[None] * 24] * 7, ["<b>"] * 7, [[False] * 24] * 7, "t")
    assert empty.count("heat-none") == 168
    assert "<b>" not in empty


def test_rhythm_is_told_in_the_jobs_own_hours() -> None:
    monday_noon = 1704110400.0  # 2024-01-01 12:00 UTC, 20:00 in Shanghai
    rounds = [RoundRecord("a", monday_noon, new_items=3), RoundRecord("a", monday_noon + 600, failed=1)]
    rhythm = rhythms(rounds, lambda _: "Asia/Shanghai")["a"]
    assert rhythm.rates()[0][20] == 1.5
    assert rhythm.rates()[0][12] is None
    assert (rhythm.total, rhythm.failed, rhythm.gaps(1)) == ((2, 3), 1, [(monday_noon + 600, 600.0)])


def test_of_many_visits_the_last_are_kept_in_order() -> None:
    rounds = [RoundRecord("a", float(n * 7919 % 1000), new_items=n % 2) for n in range(1000)]
    last = rhythms(rounds, lambda _: "UTC")["a"].last
    assert [at for at, _ in last] == [float(n) for n in range(760, 1000)]


async def test_a_page_does_not_wait_for_what_takes_long() -> None:
    ready = asyncio.Event()

    async def read() -> str:
        await ready.wait()
        return "read"

    kept = Cached(read, 60, lambda: 0.0)
    assert await kept.get_within(0.01) is None
    waiting = asyncio.ensure_future(kept.get())
    ready.set()
    assert await waiting == "read"
    assert await kept.get_within(0.01) == "read"


def test_closed_cells_follow_windows_over_midnight() -> None:
    cells = closed_cells([Window(days=("mon",), hours="22-2")])
    assert [(day, hour) for day in range(7) for hour in range(24) if not cells[day][hour]] == [
        (0, 22),
        (0, 23),
        (1, 0),
        (1, 1),
    ]
    assert not any(map(any, closed_cells([])))


def test_each_site_of_an_opml_document_is_a_job_of_its_own() -> None:
    outlines = (
        ("https://many.example/@ann", "https://many.example/feed/@ann"),
        ("http://www.many.example/@ann/", "https://many.example/comments/@ann"),
        ("https://many.example/@bob", "https://many.example/feed/@bob"),
        ("https://many.example/p?u=1", ""),
        ("https://many.example/p?u=2", ""),
        ("", "https://feeds.example/a"),
        ("", "https://feeds.example/b"),
    )
    written = "".join(f'<outline htmlUrl="{site}" xmlUrl="{feed}"/>' for site, feed in outlines)
    found, refused = read_opml(f"<opml><body>{written}</body></opml>".encode())
    assert (found, refused) == (
        {
            "many.example": {
                "site": "https://many.example/@ann",
                "feeds": ["https://many.example/feed/@ann", "https://many.example/comments/@ann"],
            },
            "many.example--bob": {"site": "https://many.example/@bob", "feeds": ["https://many.example/feed/@bob"]},
            "many.example-p": {"site": "https://many.example/p?u=1"},
            "many.example-p-3": {"site": "https://many.example/p?u=2"},
            "feeds.example": {
                "site": "https://feeds.example/",
                "feeds": ["https://feeds.example/a", "https://feeds.example/b"],
            },
        },
        {},
    )
