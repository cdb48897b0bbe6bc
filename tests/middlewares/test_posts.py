"""Lists by POST: what is downloaded in place of an address."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import gzip
import json
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import HtmlResponse, Response

from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.visit import META_KEY, SENT
from articlebot.middlewares.jobs import JobsMiddleware
from articlebot.middlewares.posts import PostsMiddleware
from articlebot.page import page_of
from articlebot.sources.further import next_page
from articlebot.urls import asking
from tests.crawlers import crawler_with

BARE = "http://a.test/list.php"
JOB = {"name": "a", "list_pages": ["http://a.test/"]}


def crawler(answered: list[Request], **job: Any) -> Any:
    async def download(request: Request) -> Response:
        answered.append(request)
        return Response(request.url, body=b"[]")

    handlers = SimpleNamespace(download_request_async=download)
    engine = SimpleNamespace(downloader=SimpleNamespace(handlers=handlers))
    book = JobBook([Job(**JOB, **job)])
    return SimpleNamespace(
        spider=SimpleNamespace(book=book), engine=engine, get_downloader_middleware=lambda _: None,
        signals=SimpleNamespace(connect=lambda *_: None),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("key", "own", "query", "body"),
    [
        ("forms", "", "page=2&cat=a%20b", "page=2&cat=a%20b"),
        ("forms", "?s=/news/list", "page=2", "page=2"),
        ("json_forms", "?act=list", "page=2", json.dumps({"page": 2})),
        ("json_forms", "", "page=2&cat=a%20b", json.dumps({"page": 2, "cat": "a b"})),
        (
            "json_forms",
            "",
            "query=%7B%20a%20%7D&variables=%7B%22n%22:1%7D",
            json.dumps({"query": "{ a }", "variables": {"n": 1}}),
        ),
    ],
)
async def test_what_is_sent_is_the_query_of_the_address(key: str, own: str, query: str, body: str) -> None:
    answered: list[Request] = []
    used = crawler(answered, **{key: [BARE + own]})
    request = Request(asking(BARE + own, query), meta={META_KEY: {"job": "a"}})
    JobsMiddleware(used).process_request(request)
    answer = await PostsMiddleware(used).process_request(request)
    assert answer is not None
    assert answer.url == request.url
    (sent,) = answered
    assert (sent.method, sent.url, sent.body.decode()) == ("POST", BARE + own, body)


@pytest.mark.parametrize(("allowed", "asked"), [(True, ["http://a.test/api/detail?id=7"]), (False, [])])
async def test_the_data_of_an_article_are_asked_for_in_place_of_its_empty_page(allowed: bool, asked: list[str]) -> None:
    answered: list[Request] = []
    used = crawler(answered, article_url="/detail/{id}", article_data="/api/detail?id={id}")
    posts = PostsMiddleware(used)
    posts._runtime = SimpleNamespace(usage=SimpleNamespace(allows=lambda _: allowed))
    for path in ("/detail/7", "/list/7"):
        request = Request(f"http://a.test{path}", meta={META_KEY: {"job": "a"}})
        JobsMiddleware(used).process_request(request)
        answer = await posts.process_request(request)
        assert answer is None or answer.url == request.url
    assert [one.url for one in answered] == asked


async def test_other_addresses_are_left_to_the_downloader() -> None:
    used = crawler([], forms=[BARE])
    request = Request("http://a.test/list?page=2", meta={META_KEY: {"job": "a"}})
    JobsMiddleware(used).process_request(request)
    assert SENT not in request.meta
    assert await PostsMiddleware(used).process_request(request) is None


async def test_what_is_pressed_is_posted_with_the_state_of_the_page() -> None:
    answered: list[Request] = []
    used = PostsMiddleware(crawler(answered))
    shown = (
        b"<form><input type=hidden name=__VIEWSTATE value='/wEP=='><a href=\"javascript:__doPostBack('P','2')\">2</a>"
    )
    listed = HtmlResponse(f"{BARE}?cid=3", body=shown)
    used.response_received(listed, Request(listed.url))
    url = next_page(page_of(listed))
    assert url == f"{BARE}?cid=3&__EVENTTARGET=P&__EVENTARGUMENT=2"
    answer = await used.process_request(Request(url))
    assert answer is not None
    assert answer.url == url
    (sent,) = answered
    assert (sent.method, sent.url) == ("POST", listed.url)
    assert sent.body.decode() == "__VIEWSTATE=%2FwEP%3D%3D&__EVENTTARGET=P&__EVENTARGUMENT=2"


def test_pages_of_many_buttons_that_post_are_not_kept_without_end() -> None:
    used = PostsMiddleware(crawler([]))
    for number in range(3):
        body = "".join(f"<button hx-post=/more/{number}/{one}>More</button>" for one in range(300))
        listed = HtmlResponse(f"http://a.test/{number}", body=body.encode())
        used.response_received(listed, Request(listed.url))
    assert len(used._forms) == 200
    assert listed.url in used._forms


@pytest.mark.parametrize(
    "pager",
    ['<a href="javascript:go(2)">2</a>', "<a href='#' onclick=\"go('2')\">下一页</a>", "<a href=javascript:goPage(2,15)>2</a>",
     "<button name=page value=2>下一页</button>"],
)  # fmt: skip
async def test_the_form_that_a_pager_sends_by_its_script_is_posted_with_its_fields(pager: str) -> None:
    answered: list[Request] = []
    used = PostsMiddleware(crawler(answered))
    form = f"<form method=post action='list.php?cid=3'><input type=hidden name=key value=a><input type=hidden name=page value=1>{pager}</form>"
    listed = HtmlResponse(f"{BARE}?cid=3", body=form.encode())
    used.response_received(listed, Request(listed.url))
    url = next_page(page_of(listed))
    assert url == f"{BARE}?cid=3&__POSTED=page:2"
    assert await used.process_request(Request(url)) is not None
    (sent,) = answered
    assert (sent.method, sent.url, sent.body.decode()) == ("POST", listed.url, "key=a&page=2")
    # Its number is that which was asked for, whatever the field says; the last page calls no further one.
    assert next_page(page_of(HtmlResponse(url, body=form.replace("2", "3", 3).encode()))) is not None
    assert next_page(page_of(HtmlResponse(url, body=form.encode()))) is None


async def test_the_state_of_a_page_that_comes_packed_is_read() -> None:
    used, sent = crawler([]), []

    async def download(request: Request) -> Response:
        sent.append(request)
        page = gzip.compress(b"<form><input type=hidden name=__VIEWSTATE value='/wEP=='></form>")
        return Response(request.url, body=page, headers={"Content-Type": "text/html", "Content-Encoding": "gzip"})

    used.engine.downloader.handlers.download_request_async = download
    packing = HttpCompressionMiddleware.from_crawler(crawler_with())
    used.get_downloader_middleware = lambda kind: packing if kind is HttpCompressionMiddleware else None
    await PostsMiddleware(used).process_request(Request(f"{BARE}?__EVENTTARGET=P&__EVENTARGUMENT=2"))
    assert b"VIEWSTATE=%2FwEP" in sent[-1].body


async def test_a_page_whose_state_is_not_known_is_asked_for_first() -> None:
    answered: list[Request] = []
    url = f"{BARE}?__EVENTTARGET=P&__EVENTARGUMENT=2"
    await PostsMiddleware(crawler(answered)).process_request(Request(url))
    assert [(one.method, one.url) for one in answered] == [("GET", BARE), ("POST", BARE)]
