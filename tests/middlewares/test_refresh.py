"""Pages that lead elsewhere by a meta element, over what Scrapy does with them, or by script alone."""

# ruff: noqa: E501  pages read best unbroken

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from articlebot.middlewares.refresh import RefreshMiddleware
from tests.crawlers import crawler_with

URL, HOME = "http://a.test/news/", "http://paper.test/"


def after(page: str, url: str = URL, *, reasons: list[str] | None = None, **headers: str) -> Request | Response:
    """What becomes of the answer to an address."""
    used = RefreshMiddleware.from_crawler(crawler_with({"REFERER_ENABLED": False}))
    response = HtmlResponse(url, body=page.encode(), headers={"Content-Type": "text/html", **headers})
    return used.process_response(Request(url, meta={"redirect_reasons": reasons or []}), response)


@pytest.mark.parametrize("where", ["60; url=/news/", "0; url=http://a.test/news/#top", "60"])
def test_a_page_that_reloads_itself_is_the_page(where: str) -> None:
    assert isinstance(after(f'<meta http-equiv="refresh" content="{where}">'), Response)


def test_it_is_asked_for_once_more_for_its_cookie() -> None:
    page = '<meta http-equiv="refresh" content="0; url=/news/">'
    assert isinstance(after(page, **{"Set-Cookie": "seen=1"}), Request)
    assert isinstance(after(page, reasons=["meta refresh"], **{"Set-Cookie": "seen=1"}), Response)


def test_others_are_followed() -> None:
    led = after('<meta http-equiv="refresh" content="0; url=/news/today">')
    assert isinstance(led, Request)
    assert led.url == "http://a.test/news/today"
    assert isinstance(after('<meta http-equiv="refresh" content="0; url=https://a.test/news/">'), Request)


def test_the_header_is_followed_as_the_element_is() -> None:
    led = after("", Refresh="0; URL='/news/today'")
    assert isinstance(led, Request)
    assert led.url == "http://a.test/news/today"
    for stays in ("60; url=/news/", "60", "300"):
        assert isinstance(after("<p>News", Refresh=stays), Response)


@pytest.mark.parametrize("page", ['<base href="http://["><p>', '<meta http-equiv="refresh" content="0; url=http://[">'])
def test_what_is_no_address_costs_no_page(page: str) -> None:
    assert isinstance(after(page), Response)


@pytest.mark.parametrize("name", ["zlib", "idna", "undefined", "punycode", "rot13", "no-such"])
def test_a_charset_that_is_none_costs_no_page(name: str) -> None:
    assert isinstance(after("<p>Größe", **{"Content-Type": f"text/html; charset={name}"}), Response)


def led(markup: str) -> str | None:
    """Where the home page of a paper leads, None where it is taken as it is."""
    found = after(f"<html><head><title>Paper</title></head><body>{markup}</body></html>", HOME)
    return None if isinstance(found, Response) else found.url


@pytest.mark.parametrize(
    ("markup", "url"),
    [
        ('<script>window.location.href = "pc/layout/202611/20/node_01.html";</script>', "pc/layout/202611/20/node_01.html"),
        ("<script type=text/javascript>location.replace('./html/index.htm?a=1&b=2')</script>Loading", "html/index.htm?a=1&b=2"),
        ("<script>if(/Android/.test(ua)){location='/pc/'}else{location.href='/m/index.html'}</script>", "pc/"),
        ('<meta http-equiv=refresh content="0; url=/2026/">', "2026/"),
        ("<script>window.location.href='/m/index.html';</script>", "m/index.html"),
    ],
)  # fmt: skip
def test_a_page_that_shows_nothing_leads_on(markup: str, url: str) -> None:
    assert led(markup) == HOME + url


@pytest.mark.parametrize(
    "markup",
    [
        "<script>if (location.href == '/x') {} var at = location.href;</script>",
        "<script>setTimeout(\"location.href='/'\", 3000)</script>This page is gone",
        "<button onclick=\"location.href='/a'\">Enter</button>",
        "<script>location.href='/'</script>",
        "<div id=app></div><script>if (!window.Promise) location.href='/old.html'</script><script src=/a.js></script>",
        "<script>if (small) location.href='http://m.paper.test/'</script>",
        "<script>screen.width < 700 && (location.href='http://m.paper.test/')</script>",
        "<script>location.href='/old/'</script>" + "<p>The council met on Monday and decided to build it.</p>" * 9,
        "<script>location.href='/old/'</script>" + "".join(f"<a href=/{n}>{n}</a>" for n in range(9)),
    ],
)
def test_what_shows_something_or_waits_stays(markup: str) -> None:
    assert led(markup) is None
