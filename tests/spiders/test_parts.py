"""Articles of several pages of which one cannot be had."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure

from articlebot.items import Article
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot.visiting.parts import PART_PATIENCE

URL = "http://a.test/news/2026/the-bridge-opens-1234.html"
PROSE = (
    "The council opened the bridge on Monday after four years of work, and the mayor thanked the engineers for it. "
    "Some thousand people walked across in the first hour, among them the oldest citizen of the town. "
)


async def first_page(spider: ArticleSpider) -> list[Any]:
    """What comes of an article's first page, which names a second one."""
    (job,) = spider.book
    request = Request(URL, meta={META_KEY: Visit(job=job.name, kind="article", key=page_key(URL)).meta()})
    pages = f'<div class="pages"><b>1</b> <a href="{URL.replace(".html", "_2.html")}">2</a></div>'
    text = "".join(f"<p>{PROSE}</p>" for _ in range(4))
    page = f"<html><body><article><h1>The bridge opens</h1>{text}</article>{pages}</body></html>"
    return [one async for one in spider.parse(HtmlResponse(URL, body=page, encoding="utf-8", request=request))]


async def fails(spider: ArticleSpider, request: Request, error: Exception) -> list[Any]:
    failure = Failure(error)
    failure.request = request  # type: ignore[attr-defined]
    return [one async for one in spider.failed(failure)]


async def test_an_article_waits_for_a_page_that_cannot_be_had_just_now(spider: ArticleSpider) -> None:
    for visit in range(1, PART_PATIENCE + 1):
        (second,) = await first_page(spider)
        assert await fails(spider, second, ConnectionLost()) == []
        (record,) = await spider.runtime.pages.get([page_key(URL)])
        assert record is not None
        assert record.state.failures == visit
    (second,) = await first_page(spider)
    (article,) = await fails(spider, second, ConnectionLost())
    assert isinstance(article, Article)


async def test_a_page_that_is_gone_for_good_is_not_waited_for(spider: ArticleSpider) -> None:
    (second,) = await first_page(spider)
    forbidden = HttpError(HtmlResponse(second.url, status=403, request=second))
    (article,) = await fails(spider, second, forbidden)
    assert isinstance(article, Article)
    assert "bridge" in article.body


async def test_the_last_page_that_comes_again_after_the_whole_begins_anew(spider: ArticleSpider) -> None:
    (second,) = await first_page(spider)
    answer = HtmlResponse(
        second.url, body=f"<html><body><p>{PROSE}</p></body></html>", encoding="utf-8", request=second
    )
    (article,) = [one async for one in spider.parse_part(answer)]
    assert isinstance(article, Article)
    # Its worker died before the article was safe: the lease of the last page came back.
    (first,) = [one async for one in spider.parse_part(answer)]
    assert isinstance(first, Request)
    assert (first.url, first.callback) == (URL, spider.parse)
    assert Visit.of(first.meta).key == page_key(URL)
