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
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot.visiting.parts import PART_PATIENCE

URL = "http://a.test/news/2026/the-bridge-opens-1234.html"
PROSE = (
    "The council opened the bridge on Monday after four years of work, and the mayor thanked the engineers for it. "
    "Some thousand people walked across in the first hour, among them the oldest citizen of the town. "
)


async def first_page(spider: ArticleSpider, url: str = URL) -> list[Any]:
    """What comes of an article's first page, which names a second one."""
    (job,) = spider.book
    request = Request(url, meta={META_KEY: Visit(job=job.name, kind="article", key=page_key(url)).meta()})
    pages = f'<div class="pages"><b>1</b> <a href="{URL.replace(".html", "_2.html")}">2</a></div>'
    text = "".join(f"<p>{PROSE}</p>" for _ in range(4))
    head = '<h1>The bridge opens</h1><time datetime="2026-11-01T09:00:00+00:00">1 November 2026</time>'
    page = f"<html><body><article>{head}{text}</article>{pages}</body></html>"
    return [one async for one in spider.parse(HtmlResponse(url, body=page, encoding="utf-8", request=request))]


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


async def test_an_article_waits_for_a_page_that_is_empty(spider: ArticleSpider) -> None:
    (second,) = await first_page(spider)
    empty = HtmlResponse(second.url, body=b"", request=second)
    assert [one async for one in spider.parse_part(empty)] == []
    (record,) = await spider.runtime.pages.get([page_key(URL)])
    assert record is not None
    assert record.state.failures == 1


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


async def test_an_article_of_several_pages_is_known_at_another_address_by_its_first(spider: ArticleSpider) -> None:
    await first_page(spider)
    # The whole is kept, of which the first page is a part.
    state = PageState(Kind.ARTICLE, fetches=1, content_hash=7)
    await spider.runtime.pages.put_many([PageRecord(page_key(URL), URL, "a.test", state, form="article")])
    assert await first_page(spider, f"{URL}?shown=top") == []


async def test_a_next_article_is_no_further_page(spider: ArticleSpider) -> None:
    (second,) = await first_page(spider)
    head = '<h1>{}</h1><time datetime="{}T10:00:00+00:00">{}</time>'
    another = head.format("The lighthouse is sold", "2026-11-02", "2 November 2026")
    page = f"<html><body><article>{another}<p>{PROSE.replace('bridge', 'tower')}</p></article></body></html>"
    answer = HtmlResponse(second.url, body=page, encoding="utf-8", request=second)
    (article,) = [one async for one in spider.parse_part(answer)]
    assert isinstance(article, Article)
    assert "tower" not in article.body
