"""A notice, as of maintenance, at the addresses of articles is no new version of them and no article."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import HtmlResponse

from articlebot.dedup import article_text, judge_change
from articlebot.items import Article
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.runtime.fetched import Fetched
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from tests.front_door.site import article

SITE = "http://a.test/"
BACK = (
    "<html lang=en><head><title>Maintenance</title></head><body><article><h1>We will be back soon</h1><p>Sorry for the "
    "inconvenience, we are performing some maintenance at the moment and will be back online shortly.</p></article>"
)
SHORT = BACK.replace("back soon", "sail").replace("maintenance", "songs").replace("back online", "on the quay")


async def visit(spider: ArticleSpider, name: str, body: str, *, failures: int | None = None) -> list[Any]:
    """What a visit publishes; ``failures``: of an article that was read before, the visits since then that failed."""
    url = f"{SITE}2026/11/20/{name}.html"
    if failures is not None:
        whole = spider.runtime.reader.read(
            Fetched(url, article(name).encode(), "text/html", 1.0), spider.book.get("a.test"),  # type: ignore[arg-type]
            Visit(job="a.test", kind="auto", key=page_key(url)),
        )[0]  # fmt: skip
        text = article_text(whole.title, whole.body)
        seen = judge_change(0, 0, text, spider.runtime.config.change)
        state = PageState(
            Kind.ARTICLE, fetches=1 + failures, failures=failures, content_hash=seen.content_hash,
            fingerprint=seen.fingerprint,
        )  # fmt: skip
        await spider.runtime.pages.put_many([PageRecord(page_key(url), url, "a.test", state, form="article")])
    meta = {META_KEY: Visit(job="a.test", kind="auto", key=page_key(url)).meta()}
    headers = {"Content-Type": "text/html; charset=utf-8"}
    answer = HtmlResponse(url, body=body.encode(), headers=headers, request=Request(url, meta=meta))
    page = await spider.desk.answer(answer)
    assert page is not None
    return [one async for one in spider.article_pages.read(page) if isinstance(one, Article)]


async def test_what_stands_at_several_addresses_alike_is_no_new_version(spider: ArticleSpider) -> None:
    assert len(await visit(spider, "harbour-bridge", article("harbour-bridge"), failures=0)) == 1
    assert await visit(spider, "harbour-bridge", BACK, failures=0) == []
    assert await visit(spider, "market-square", BACK, failures=0) == []
    assert await visit(spider, "harbour-bridge", BACK, failures=1) == []
    assert await visit(spider, "never-read", BACK) == []
    assert len(await visit(spider, "market-square", article("market-square"), failures=2)) == 1


async def test_a_long_notice_is_a_version_of_one_article_at_most(spider: ArticleSpider) -> None:
    says = (
        "Dear readers, our technicians are busy with an upgrade of all servers, so none of our pages can be shown "
        "until tonight. Subscribers got an e-mail with details and may call our service line, whose staff will help."
    )
    notice = SHORT.replace("Sorry for the", f"{says}</p><p>{says.upper()}</p><p>{says.title()}</p><p>Sorry for the")
    assert len(await visit(spider, "harbour-bridge", notice, failures=0)) == 1  # as that one is another now
    assert await visit(spider, "market-square", notice, failures=0) == []
    assert await visit(spider, "fish-quay", notice, failures=1) == []


async def test_an_article_that_becomes_another_short_one_is_believed_at_the_second_visit(spider: ArticleSpider) -> None:
    assert await visit(spider, "harbour-bridge", SHORT, failures=0) == []
    assert len(await visit(spider, "harbour-bridge", SHORT, failures=1)) == 1
    assert len(await visit(spider, "short-news", SHORT.replace("sail", "row"))) == 1


async def test_a_list_that_shows_a_notice_tells_it(spider: ArticleSpider) -> None:
    state = PageState(Kind.LIST, fetches=3, content_hash=7)
    await spider.runtime.pages.put_many([PageRecord(page_key(SITE), SITE, "a.test", state, form="list")])
    request = Request(SITE, meta={META_KEY: Visit(job="a.test", kind="list", key=page_key(SITE)).meta()})
    page = await spider.desk.answer(HtmlResponse(SITE, body=BACK.encode(), request=request))
    assert page is not None
    await spider.entry_pages.read(page, "list")
    assert await visit(spider, "never-read", BACK) == []
