"""The parts that need no server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
from markupsafe import Markup

from articlebot import classify
from articlebot.archive.edits import _SHOWN
from articlebot.archive.snippet import Snippet
from articlebot.console.articles import clean
from articlebot.console.cached import Cached
from articlebot.console.jobs import closed_cells
from articlebot.console.plots import Series, bars, heat_map, lines
from articlebot.console.rounds import rhythms
from articlebot.console.view import chinese, duration, marked, translator
from articlebot.jobs import Window
from articlebot.jobs.history import RoundRecord


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
