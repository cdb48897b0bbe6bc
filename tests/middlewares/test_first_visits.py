"""Lists that show nothing to who comes for the first time, and set the cookie with which they do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from articlebot.jobs.visit import META_KEY
from articlebot.middlewares.first_visits import FirstVisitsMiddleware

ROWS = "".join(
    f"<li><a href='/news/2026/the-bridge-of-the-north-{n}.html'>The bridge of the north opens {n}</a></li>"
    for n in range(6)
)
EMPTY, LIST = "<h1>News</h1><p></p><a href='/about'>About us</a>", f"<h1>News</h1><ul>{ROWS}</ul>"
ARTICLE = "<h1>The bridge</h1>" + "<p>The council met on Monday and decided after a long debate to build it.</p>" * 9


@pytest.fixture
def first() -> FirstVisitsMiddleware:
    used = FirstVisitsMiddleware(SimpleNamespace())  # type: ignore[arg-type]
    used.__dict__["_runtime"] = SimpleNamespace(count=lambda event: None)
    return used


def asked(cookie: str = "", path: str = "/news/", **meta: Any) -> Request:
    headers = {"Cookie": cookie} if cookie else {}
    return Request(f"http://a.test{path}", headers=headers, meta={META_KEY: {"kind": "list"}, **meta})


def shown(request: Request, body: str, cookie: str = "sid=1; Path=/") -> Response:
    headers = {"Content-Type": "text/html", **({"Set-Cookie": cookie} if cookie else {})}
    return HtmlResponse(request.url, body=f"<html><body>{body}</body></html>".encode(), headers=headers)


@pytest.mark.parametrize(
    ("carried", "body", "cookie", "again"),
    [
        ("", EMPTY, "sid=1; Path=/", True),
        ("lang=en", EMPTY, "sid=1", True),
        ("sid=0", EMPTY, "sid=1", False),
        ("", EMPTY, "", False),
        ("", LIST, "sid=1", False),
        ("", ARTICLE, "sid=1", False),
    ],
)  # fmt: skip
def test_a_page_without_articles_is_asked_for_with_the_cookie_that_it_sets(
    first: FirstVisitsMiddleware, carried: str, body: str, cookie: str, again: bool
) -> None:
    request = asked(carried)
    found = first.process_response(request, shown(request, body, cookie))
    assert isinstance(found, Request) is again
    if isinstance(found, Request):
        assert (found.url, found.dont_filter) == (request.url, True)
        assert isinstance(first.process_response(found, shown(found, body, "other=1")), Response)  # once


def test_a_host_whose_pages_stay_empty_is_asked_for_two_of_them_twice(first: FirstVisitsMiddleware) -> None:
    twice = 0
    for n in range(5):
        request = asked(path=f"/{n}/")
        found = first.process_response(request, shown(request, EMPTY))
        if isinstance(found, Request):
            twice += 1
            first.process_response(found, shown(found, EMPTY))
    assert twice == 2


def test_what_is_no_visit_of_a_page_is_left_as_it_is(first: FirstVisitsMiddleware) -> None:
    request = Request("http://a.test/judge")
    assert isinstance(first.process_response(request, shown(request, EMPTY)), Response)
