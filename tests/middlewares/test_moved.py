"""Pages that only lead on by script."""

# ruff: noqa: E501  pages read best unbroken

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from articlebot.middlewares.refresh import RefreshMiddleware

HOME = "http://paper.test/"


def led(markup: str) -> str | None:
    """Where a page leads, None where it is taken as it is."""
    page = HtmlResponse(HOME, body=f"<html><head><title>Paper</title></head><body>{markup}</body></html>".encode())
    followed = RefreshMiddleware.from_crawler(get_crawler()).process_response(Request(HOME), page)
    assert followed is page or isinstance(followed, Request)
    return None if isinstance(followed, Response) else followed.url


@pytest.mark.parametrize(
    ("markup", "url"),
    [
        ('<script>window.location.href = "pc/layout/202611/20/node_01.html";</script>', "pc/layout/202611/20/node_01.html"),
        ("<script type=text/javascript>location.replace('./html/index.htm?a=1&b=2')</script>Loading", "html/index.htm?a=1&b=2"),
        ("<script>if(/Android/.test(ua)){location='/pc/'}else{location.href='/m/index.html'}</script>", "pc/"),
        ('<meta http-equiv=refresh content="0; url=/2026/">', "2026/"),
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
        "<script>location.href='/old/'</script>" + "<p>The council met on Monday and decided to build it.</p>" * 9,
        "<script>location.href='/old/'</script>" + "".join(f"<a href=/{n}>{n}</a>" for n in range(9)),
    ],
)
def test_what_shows_something_or_waits_stays(markup: str) -> None:
    assert led(markup) is None
