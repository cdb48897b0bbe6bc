"""Articles that were never read, whose pages are refused."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet.error import DNSLookupError
from twisted.python.failure import Failure

from articlebot.jobs.visit import META_KEY, Visit
from articlebot.recrawl import PageRecord
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot.visiting.desk import REFUSED_PATIENCE

URL = "http://a.test/news/2026/the-bridge-opens-1234.html"
CAPTCHA = "<html><body><h1>Security</h1><p>To continue, please complete the captcha below.</p></body></html>"
LOGIN = "<html><body><h1>Sign in</h1><p>Please log in to continue reading this article.</p></body></html>"


async def visit(
    spider: ArticleSpider, status: int, page: str, *, anchor: str = "", url: str = URL
) -> PageRecord | None:
    """What is kept of the page after it was answered so; ``anchor``: of the link to it."""
    (job,) = spider.book
    request = Request(url, meta={META_KEY: Visit(job=job.name, kind="auto", key=page_key(url), anchor=anchor).meta()})
    answer = HtmlResponse(url, status=status, body=page, encoding="utf-8", request=request)
    answer.headers["Content-Type"] = "text/html"
    if status < 300:
        assert [one async for one in spider.parse(answer)] == []
    else:
        failure = Failure(HttpError(answer))
        failure.request = request  # type: ignore[attr-defined]
        assert [one async for one in spider.failed(failure)] == []
    (record,) = await spider.runtime.pages.get([page_key(url)])
    return record


@pytest.mark.parametrize(("status", "page"), [(403, "Forbidden"), (200, CAPTCHA)], ids=["403", "captcha"])
async def test_a_page_that_is_refused_is_visited_again_and_then_given_up(
    spider: ArticleSpider, status: int, page: str
) -> None:
    for failures in range(1, REFUSED_PATIENCE + 1):
        record = await visit(spider, status, page)
        assert record is not None
        assert record.state.failures == failures
    assert await visit(spider, status, page) is None


OTHER = "<html><head><title>Database</title></head><body><p>Error establishing a database connection</p></body></html>"
HOME = "<html><head><title>The Daily</title></head><body><a href=/x>The bridge opens on Monday</a></body></html>"


@pytest.mark.parametrize(
    ("status", "page"), [(418, "Teapot"), (200, ""), (200, "  \n"), (200, OTHER), (200, HOME), (204, "")],
    ids=["418", "empty", "blank", "error", "home", "204"],
)  # fmt: skip
async def test_what_shows_nothing_of_what_its_link_said_is_visited_again(
    spider: ArticleSpider, status: int, page: str
) -> None:
    for failures in range(1, REFUSED_PATIENCE + 1):
        anchor = "The bridge opens on Monday" if failures == 1 else ""
        record = await visit(spider, status, page, anchor=anchor)
        assert record is not None
        assert record.state.failures == failures
    assert await visit(spider, status, page) is None


GALLERY = "<html><head><title>Pictures: bridge opens on a Monday</title></head><body><p>12 pictures</p></body></html>"


@pytest.mark.parametrize(
    ("anchor", "page"), [("The bridge opens on Monday", GALLERY), ("More pictures", HOME)], ids=["named", "unnamed"]
)
async def test_what_its_link_named_and_is_no_article_ends_at_once(
    spider: ArticleSpider, anchor: str, page: str
) -> None:
    assert await visit(spider, 200, page, anchor=anchor, url="http://a.test/news/1234.html") is None


@pytest.mark.parametrize(("status", "page"), [(404, ""), (401, ""), (200, LOGIN)], ids=["404", "401", "login"])
async def test_what_is_not_for_a_crawler_ends_at_once(spider: ArticleSpider, status: int, page: str) -> None:
    assert await visit(spider, status, page) is None


async def test_a_page_that_was_away_is_kept(spider: ArticleSpider) -> None:
    for failures in range(1, REFUSED_PATIENCE + 3):
        record = await visit(spider, 500, "")
        assert record is not None
        assert record.state.failures == failures


@pytest.mark.parametrize("there", ["http://..../", "http://exa mple.test/", "http://%FF.test/"])
async def test_a_redirect_to_what_is_no_address_is_a_visit_that_failed(spider: ArticleSpider, there: str) -> None:
    (job,) = spider.book
    meta = {META_KEY: Visit(job=job.name, kind="auto", key=page_key(URL)).meta(), "redirect_urls": [URL]}
    failure = Failure(DNSLookupError())
    failure.request = Request(there, meta=meta)  # type: ignore[attr-defined]
    assert [one async for one in spider.failed(failure)] == []
    (record,) = await spider.runtime.pages.get([page_key(URL)])
    assert record is not None
    assert (record.url, record.state.failures) == (URL, 1)
