"""Pages of a first look answer the links that lead to them: once each, and no visit of a list."""

from __future__ import annotations

import weakref
from ipaddress import ip_address

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from articlebot.jobs.visit import LOOKED
from articlebot.middlewares import looked
from articlebot.runtime import Runtime
from tests.crawlers import crawler_with

URL = "http://a.example/video/1"


def asks(kind: str, url: str = URL, **meta: object) -> Request:
    return Request(url, meta={"articlebot": {"job": "a", "kind": kind, "key": 1}, **meta})


@pytest.fixture
def middleware(monkeypatch: pytest.MonkeyPatch) -> looked.LookedMiddleware:
    monkeypatch.setattr(looked, "_MOST_BYTES", 100)
    return looked.LookedMiddleware(crawler_with({}))


def keep(middleware: looked.LookedMiddleware, url: str = URL, *, size: int = 30, status: int = 200) -> None:
    answer = HtmlResponse(url, body=b"x" * size, status=status)
    assert middleware.process_response(asks("list", url, **{LOOKED: True}), answer) is answer


async def test_a_page_of_a_look_answers_one_link_and_no_list(middleware: looked.LookedMiddleware) -> None:
    keep(middleware)
    for request in (asks("list"), asks("auto", URL + "0"), Request(URL), asks("auto", articlebot_sent="form")):
        assert middleware.process_request(request) is None
    answer = middleware.process_request(asks("auto"))
    assert isinstance(answer, Response)
    assert (answer.body, answer.request) == (b"x" * 30, None)
    assert middleware.process_request(asks("auto")) is None
    await Runtime.of(middleware._crawler).close()


async def test_a_page_that_was_led_to_answers_the_link_that_led_there(middleware: looked.LookedMiddleware) -> None:
    there = HtmlResponse("http://a.example/story", body=b"x")
    led = asks("list", there.url, **{LOOKED: True, "redirect_urls": [URL]})
    assert middleware.process_response(led, there) is there
    request = asks("auto")
    answer = middleware.process_request(request)
    assert isinstance(answer, Response)
    assert (answer.url, request.meta["redirect_urls"]) == (there.url, [URL])
    assert middleware.process_request(asks("auto")) is None
    direct = asks("auto", there.url)
    assert middleware.process_request(direct) is not None
    assert "redirect_urls" not in direct.meta
    await Runtime.of(middleware._crawler).close()


@pytest.mark.parametrize("proxy", [None, "http://10.0.0.1:3128"])
async def test_a_kept_page_came_from_no_proxy(middleware: looked.LookedMiddleware, proxy: str | None) -> None:
    """Of whom the address is, those ask who refuse private networks; that of a site itself is asked for again."""
    address = ip_address("10.0.0.1")
    asked = asks("list", **{LOOKED: True}, **({"proxy": proxy} if proxy else {}))
    middleware.process_response(asked, HtmlResponse(URL, body=b"x", ip_address=address))
    answer = middleware.process_request(asks("auto"))
    assert isinstance(answer, Response)
    assert answer.ip_address == (None if proxy else address)
    await Runtime.of(middleware._crawler).close()


async def test_what_was_parsed_of_a_kept_page_is_let_go(middleware: looked.LookedMiddleware) -> None:
    answer = HtmlResponse(URL, body=b"x")
    parsed = weakref.ref(answer)
    middleware.process_response(asks("list", **{LOOKED: True}), answer)
    del answer
    assert parsed() is None
    assert middleware.process_request(asks("auto")) is not None
    await Runtime.of(middleware._crawler).close()


async def test_what_is_kept_is_bounded_and_grows_old(
    middleware: looked.LookedMiddleware, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        keep(middleware, f"{URL}{number}")
    keep(middleware, f"{URL}/gone", status=404)
    keep(middleware, f"{URL}/long", size=101)
    middleware.process_response(asks("auto", f"{URL}/read"), HtmlResponse(f"{URL}/read", body=b"x"))
    assert not middleware._pages  # the one that is too long has pushed out all others
    keep(middleware)
    now = looked.monotonic()
    monkeypatch.setattr(looked, "monotonic", lambda: now + looked._KEPT_S + 1)
    assert middleware.process_request(asks("auto")) is None
    await Runtime.of(middleware._crawler).close()
