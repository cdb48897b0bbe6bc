"""When the site of a job is looked at: never seen, or silent for a day; and that what was known stays known."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from articlebot.diagnosis import Finding
from articlebot.jobs.book import Changes
from articlebot.jobs.looks import Found
from articlebot.runtime.diagnosis import Settled
from articlebot.spiders.article import ArticleSpider
from articlebot.spiders.first_looks import _ends
from articlebot.spiders.site_look import SiteLook

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


async def test_a_job_that_was_forgotten_is_looked_at_when_it_comes_back(spider: ArticleSpider) -> None:
    looks, now = spider.runtime.looks, spider.runtime.now()
    spider.follow(type(spider.book).from_argument(None, SITE))
    await looks.put("a.test", Found(SITE, now, KEYS))
    await spider.looks.know()
    (job,) = spider.book
    for forgotten in (False, True):  # paused and resumed; removed, forgotten, and written again
        if forgotten:
            await looks.forget("a.test")
        spider.jobs_changed(Changes((job,), (), ()))
        await spider._begin_jobs(now)
        assert [one.name for one in spider.book.unseen] == (["a.test"] if forgotten else [])


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


ROWS = [f"<h2><a href='/2026/11/20/story-{n}.html'>Story number {n} of the harbour town</a></h2>" for n in range(40)]
NAV = "<nav><a href='/sport/'>Sport</a><a href='/culture/'>Culture</a></nav>"


async def looked(spider: ArticleSpider, pages: dict[str, str], first: str = "") -> tuple[SiteLook, list[str]]:
    """A look at a site of these pages, and what it asked for of them; who comes for the first time is shown another."""
    asked: list[str] = []
    look = SiteLook(spider.crawler, SITE, 40, thorough=False)

    async def get(url: str, *, again: bool = False, **_: object) -> HtmlResponse | None:
        asked.append(path := url.removeprefix(SITE[:-1]))
        if path not in pages or (asked.count(path) > 1 and not again):
            return None
        shown = first if first and asked == ["/"] else pages[path]
        headers = {"Content-Type": "text/html"} | ({"Set-Cookie": "seen=1"} if first else {})
        body = f"<html lang=en><body>{shown}</body></html>".encode()
        return HtmlResponse(url, body=body, headers=headers, request=Request(url))

    look.fetching.get = get  # type: ignore[method-assign,assignment]
    await look.run()
    look.fetching.close()
    return look, [path for path in asked if path in pages]


async def test_a_home_page_that_goes_on_by_script_is_turned_before_its_sections(spider: ArticleSpider) -> None:
    script = "<div x-data=\"{ next: '/more?page=2', more() { fetch(this.next) } }\"></div>"
    more = "<button data-next='/more?page={}'>Load more</button>"
    pages = {"/": NAV + "".join(ROWS[:8]) + script, "/more?page=4": ""}
    pages |= {f"/more?page={n}": "".join(ROWS[8 * n - 8 : 8 * n]) + more.format(n + 1) for n in (2, 3)}
    pages |= {"/sport/": "".join(ROWS[:24:2][:8]), "/culture/": "".join(ROWS[1:24:2][:8])}
    look, order = await looked(spider, pages, "<h1>We value your privacy</h1>")
    # Who comes for the first time is shown a notice, which sets a cookie.
    assert order == ["/", "/", "/more?page=2", "/more?page=3", "/more?page=4", "/sport/", "/culture/"]
    assert look.turned == set()  # its last page is known, and not asked for again
    assert look.first.goes_on
    assert [one.url for one in (*look.found.list_pages, *look.found.archives)] == [SITE]
    assert [one.url for one in look.found.more] == [f"{SITE}more?page=2"]


async def test_sections_lead_on_where_the_home_page_ends_before_them(spider: ArticleSpider) -> None:
    """A home page of what editors chose ends after some pages; what its sections show first is all on it."""
    pages = {f"/?page={n}" if n > 1 else "/": NAV + "".join(ROWS[8 * n - 8 : 8 * n]) for n in (1, 2)}
    pages["/"] += "<a href='/?page=2'>Older</a>"
    pages |= {"/sport/": "".join(ROWS[:16:2]) + "<a href='?page=2'>Older</a>", "/sport/?page=2": "".join(ROWS[16::2])}
    pages |= {"/culture/": "".join(ROWS[1:16:2]) + "<a href='?page=2'>Older</a>"}
    look, _ = await looked(spider, pages)
    assert {f"{SITE}sport/", f"{SITE}culture/"} <= {one.url for one in look.found.archives}


async def test_a_day_leads_to_the_one_before_though_lists_show_all_of_the_newest(spider: ArticleSpider) -> None:
    days = {day: ROWS[4 * (24 - day) : 4 * (24 - day) + 4] for day in range(16, 25)}
    pages = {
        f"/edition/2026/11/{day}/": f"<a href='/edition/2026/11/{day - 1}/'>the day before</a>" + "".join(rows)
        for day, rows in days.items()
    }
    pages["/"] = "<a href='/edition/2026/11/24/'>Today's edition</a>" + "".join(ROWS[:14])
    look, order = await looked(spider, pages)
    assert look.found.archives, order
