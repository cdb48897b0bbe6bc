"""Pages that lead elsewhere by a meta element, over what Scrapy does with them."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from articlebot.middlewares.refresh import RefreshMiddleware

URL = "http://a.test/news/"


def after(page: str, url: str = URL, *, reasons: list[str] | None = None, **headers: str) -> Request | Response:
    """What becomes of the answer to an address."""
    used = RefreshMiddleware.from_crawler(get_crawler(settings_dict={"REFERER_ENABLED": False}))
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


@pytest.mark.parametrize("page", ['<base href="http://["><p>', '<meta http-equiv="refresh" content="0; url=http://[">'])
def test_what_is_no_address_costs_no_page(page: str) -> None:
    assert isinstance(after(page), Response)


@pytest.mark.parametrize("name", ["zlib", "idna", "undefined", "punycode", "rot13", "no-such"])
def test_a_charset_that_is_none_costs_no_page(name: str) -> None:
    assert isinstance(after("<p>Größe", **{"Content-Type": f"text/html; charset={name}"}), Response)
