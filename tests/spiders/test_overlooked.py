"""What a look has left out, or what came later, is followed once it names what no entry page does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError, ResponseFailed

from articlebot.actions.short import alike, falls_short
from articlebot.jobs.book import JobBook
from articlebot.jobs.follow import MOST_LIST_PAGES
from articlebot.jobs.looks import Found
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key

SITE, FEED = "http://a.test/", "http://a.test/feed"
NAV = "<nav><a href='/sport/'>Sport</a><a href='/culture/'>Culture</a><a href='/vote/'>Elections</a></nav>"
ROWS = "".join(
    f"<h2><a href='/2026/11/20/story-{n}.html'>Story number {n} of the harbour town</a></h2>" for n in range(6)
)


@pytest.fixture
async def tried(spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that are asked for as candidates; the site is followed by its feed."""
    queued: list[str] = []

    async def queue(*requests: Request) -> None:
        queued.extend(one.url for one in requests if one.meta[META_KEY].get("candidate"))

    monkeypatch.setattr(spider.desk, "queue", queue)
    monkeypatch.setattr(spider.runtime.rng, "random", lambda: 0.99)
    spider.follow(type(spider.book).from_argument(None, SITE))
    found = Found(SITE, spider.runtime.now(), {"feeds": [FEED]}, report={"menu": [f"{SITE}sport/", f"{SITE}culture/"]})
    await spider.runtime.looks.put("a.test", found)
    await spider.looks.know()
    return queued


async def read(spider: ArticleSpider, url: str, body: str = "", *, status: int = 200, **visit: Any) -> None:
    asked = Visit(job="a.test", key=page_key(url), **{"kind": "list", **visit})
    request = Request(url, meta={META_KEY: asked.meta()})
    made = HtmlResponse if body.startswith("<nav") else Response
    page = await spider.desk.answer(made(url, status=status, body=body.encode(), request=request))
    assert page is not None
    await spider.entry_pages.read(page, asked.kind)


async def test_the_home_page_is_asked_where_a_feed_is_gone_or_has_stood_still_for_long(
    spider: ArticleSpider, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [
        f"<item><title>Story number {n} of the town</title><link>{SITE}2026/11/20/story-{n}.html</link></item>"
        for n in range(4)
    ]
    now = spider.runtime.now()
    for minutes, shown in ((0, 2), (10, 3), (20, 4), (25, 4)):
        monkeypatch.setattr(spider.desk, "now", lambda at=now + 60 * minutes: at)
        await read(spider, FEED, f"<rss><channel>{''.join(items[:shown])}</channel></rss>", kind="feed")
    assert tried == []
    monkeypatch.setattr(spider.desk, "now", lambda: now + 3600)  # there was one item in ten minutes
    await read(spider, FEED, f"<rss><channel>{''.join(items)}</channel></rss>", kind="feed")
    assert tried == [SITE]
    await read(spider, FEED, status=404, kind="feed")
    assert tried == [SITE, SITE]
    assert "a.test" not in await falls_short(spider.runtime, ["a.test"])
    for _ in range(3):
        await read(spider, FEED, status=404, kind="feed")
    (said,) = (await falls_short(spider.runtime, ["a.test"]))["a.test"]
    assert said == f"{FEED} failed 4 times in a row; scrapy explain {FEED} says how"


async def test_the_home_page_of_a_site_that_sleeps_is_asked_ever_more_rarely(
    spider: ArticleSpider, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [f"<item><title>Story {n}</title><link>{SITE}2026/11/20/story-{n}.html</link></item>" for n in range(20)]
    now, asked = spider.runtime.now(), []
    monkeypatch.setattr(spider.runtime.rng, "random", lambda: 0.21)
    for hour in range(0, 240, 2):
        monkeypatch.setattr(spider.desk, "now", lambda at=now + 3600 * hour: at)
        await read(spider, FEED, f"<rss><channel>{''.join(items[: hour // 2])}</channel></rss>", kind="feed")
        if hour > 40 and tried:
            asked.append(hour)
        tried.clear()
    # The last item came at 40 h: at a random number of .21 each visit asks until the silence is 47 visits long.
    assert asked[:10] == list(range(asked[0], asked[0] + 20, 2))
    assert (asked[0] < 50, asked[-1]) == (True, 134)


async def test_a_sitemap_of_a_month_that_is_over_does_not_ask_the_home_page(
    spider: ArticleSpider, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spider.runtime.rng, "random", lambda: 0.0)
    await read(spider, f"{SITE}sitemap-2026-10.xml", status=304, kind="sitemap")
    assert tried == []
    await read(spider, FEED, status=304, kind="feed")
    assert tried == [SITE]


@pytest.mark.parametrize("error", [
    IgnoreRequest("Forbidden by robots.txt"), ResponseFailed([Failure(ParseError("?", b"?"))]),
])  # fmt: skip
async def test_the_home_page_is_asked_where_a_feed_may_not_be_read_any_more_and_now_and_then_where_it_fails(
    spider: ArticleSpider, tried: list[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    for _ in range(2):
        asked = Visit(job="a.test", kind="feed", key=page_key(FEED))
        failure: Any = Failure(error)
        failure.request = Request(FEED, meta={META_KEY: asked.meta()})
        assert [one async for one in spider.failed(failure)] == []
        monkeypatch.setattr(spider.runtime.rng, "random", lambda: 0.0)
    assert tried == [SITE] * (2 if isinstance(error, IgnoreRequest) else 1)


async def test_a_home_page_that_names_more_is_followed_and_so_are_sections_of_it(
    spider: ArticleSpider, tried: list[str]
) -> None:
    home = {"part": MOST_LIST_PAGES, "candidate": True}
    await read(spider, SITE, NAV + ROWS, **home)
    job = spider.book.get("a.test")
    assert job is not None
    assert (job.list_pages, job.feeds) == ((SITE,), (FEED,))
    assert [one.url for one in await spider.runtime.pages.get([page_key(SITE)]) if one] == [SITE]
    # What a look leaves out beside a feed is tried as well.
    assert tried == [f"{SITE}sport/", f"{SITE}culture/", f"{SITE}vote/"]
    found = (await spider.runtime.looks.get(["a.test"]))["a.test"]
    assert found.why == {SITE: "names what no other entry page does"}
    # Another worker hears of it.
    book = spider.book
    spider.follow(JobBook.from_argument(None, SITE))
    await spider.looks.tend(spider.runtime.now())
    assert spider.book.get("a.test") == book.get("a.test")


@pytest.mark.parametrize(("candidate", "times"), [(True, 0), (False, 1)])
async def test_a_home_page_without_articles_is_no_list_that_ended(
    spider: ArticleSpider, tried: list[str], candidate: bool, times: int
) -> None:
    await read(spider, SITE, NAV, part=MOST_LIST_PAGES, candidate=candidate)
    assert spider.crawler.stats is not None
    assert spider.crawler.stats.get_value("articlebot/page/lists/put_off", 0) == times


async def test_a_section_that_is_new_in_the_menu_is_tried_once_and_followed_where_it_has_news(
    spider: ArticleSpider, tried: list[str]
) -> None:
    await read(spider, SITE, NAV + ROWS, part=MOST_LIST_PAGES)
    await read(spider, SITE, NAV + ROWS, part=MOST_LIST_PAGES)
    assert tried == [f"{SITE}vote/"]
    await read(spider, tried[0], NAV + ROWS, part=MOST_LIST_PAGES, candidate=True)
    assert spider.book.get("a.test").list_pages == ()  # type: ignore[union-attr]
    more = ROWS.replace("story-", "poll-")
    await read(spider, tried[0], NAV + more, part=MOST_LIST_PAGES, candidate=True)
    assert spider.book.get("a.test").list_pages == (f"{SITE}vote/",)  # type: ignore[union-attr]


async def test_a_job_that_names_its_entry_pages_is_followed_by_these_alone(
    spider: ArticleSpider, tried: list[str]
) -> None:
    (job,) = spider.book.stated
    spider.follow(JobBook([job.model_copy(update={"feeds": (f"{SITE}other",)})], found={"a.test": {"feeds": [FEED]}}))
    await read(spider, f"{SITE}other", status=404, kind="feed")
    await read(spider, SITE, NAV + ROWS, part=MOST_LIST_PAGES)
    assert tried == []


@pytest.mark.parametrize(("status", "wanted"), [(301, ["a.test"]), (302, [])])
async def test_a_site_that_has_moved_to_another_one_for_good_is_looked_at_again_once_an_hour(
    spider: ArticleSpider, tried: list[str], status: int, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spider.looks, "_begin", lambda _: asyncio.sleep(0))
    request = Request(FEED, meta={META_KEY: Visit(job="a.test", kind="list", key=page_key(FEED)).meta()})
    request.meta.update(redirect_urls=[FEED], redirect_reasons=[status])
    now = spider.runtime.now()
    for at in (now, now + 60):
        page = await spider.desk.answer(HtmlResponse("http://b.test/", body=ROWS.encode(), request=request))
        assert page is not None
        await spider.entry_pages.read(page, "list")
        await spider.looks.tend(at)
        assert [job.name for job in spider.looks._wanted(at)] == wanted
        spider.looks._again.clear()  # it was looked at, and is followed by what it was
        wanted = []


def test_what_is_said_of_several_jobs_is_said_once() -> None:
    said = {name: ["it is small"] for name in "abcdefg"} | {"h": ["it is large"]}
    assert alike(said) == ["a, b, c, d, e and 2 more: it is small", "h: it is large"]


async def test_an_entry_page_of_which_redis_knows_nothing_is_read_though_it_is_as_it_was(
    spider: ArticleSpider, tried: list[str]
) -> None:
    item = f"<item><title>Story of the town</title><link>{SITE}2026/11/20/story-1.html</link></item>"

    async def passed_over() -> int:
        await read(spider, FEED, f"<rss><channel>{item}</channel></rss>", kind="feed")
        assert spider.crawler.stats is not None
        return int(spider.crawler.stats.get_value("articlebot/recrawl/read_before", 0))

    assert [await passed_over() for _ in range(3)] == [0, 1, 2]
    await spider.runtime.pages.forget(page_key(FEED))
    assert [await passed_over() for _ in range(2)] == [2, 3]
