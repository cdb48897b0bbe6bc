"""When the site of a job is looked at: never seen, or silent for a day; and that what was known stays known."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from articlebot.diagnosis import Finding
from articlebot.jobs.looks import Found
from articlebot.runtime.diagnosis import Settled
from articlebot.spiders.article import ArticleSpider
from articlebot.spiders.first_looks import _ends

SITE = "http://a.test/"
KEYS = {"feeds": ["http://a.test/feed"]}


@pytest.mark.parametrize(
    ("age", "severity", "again"), [(2 * 86_400, "fault", 1), (3600, "fault", 0), (2 * 86_400, "passing", 0)]
)
async def test_a_site_that_falls_silent_is_looked_at_again_after_a_day(
    spider: ArticleSpider, age: float, severity: str, again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, asked = spider.runtime.now(), []
    await spider.runtime.looks.put("a.test", Found(SITE, now - age, KEYS))
    await spider.looks.know()
    assert spider.book.get("a.test").feeds == ("http://a.test/feed",)  # type: ignore[union-attr]

    async def look(job: object) -> None:
        asked.append(job)

    monkeypatch.setattr(spider.looks, "_look", look)
    assert await spider.looks.tend(now) == 0  # it is known, and well
    finding = Finding("a.test", "fewer_links", "said", "advice", severity)  # type: ignore[arg-type]
    spider.looks.settled(Settled(findings=(finding,), at=now))
    assert bool(await spider.looks.tend(now + 10)) is bool(again)
    assert spider.book.get("a.test").feeds == ("http://a.test/feed",)  # type: ignore[union-attr]


async def test_what_was_found_of_another_address_counts_for_nothing(spider: ArticleSpider) -> None:
    spider.follow(type(spider.book).from_argument(None, SITE))
    await spider.runtime.looks.put("a.test", Found("http://b.test/", spider.runtime.now(), KEYS))
    await spider.looks.know()
    assert [job.name for job in spider.book.unseen] == ["a.test"]


def test_the_oldest_archive_of_a_look_leads_on_and_what_lists_archives_alone() -> None:
    read = {
        "/": {"/b"},
        "/tag?datum=2026-11-22": {"/b"},
        "/tag?datum=2026-11-21": {"/c"},
        "/b": {"/c"},
        "/archive/2026/11": set(),
    }
    seen = [
        SimpleNamespace(form="list", response=SimpleNamespace(url=f"http://a.test{path}"), articles=named)
        for path, named in read.items()
    ]
    ends = {"http://a.test/tag?datum=2026-11-21", "http://a.test/archive/2026/11"}
    assert _ends(SimpleNamespace(seen=seen)) == ends  # type: ignore[arg-type]
    assert _ends(SimpleNamespace(seen=[])) == set()  # type: ignore[arg-type]
