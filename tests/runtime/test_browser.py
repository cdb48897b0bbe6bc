"""Pages in a real Chromium that keep it, crash it, leave it or ask for what is none of theirs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings

from articlebot.config import Browser as Section
from articlebot.config import Config
from articlebot.errors import ConfigError
from articlebot.runtime.browser import Browser, missing

pytest.importorskip("playwright", reason="no browser tests: playwright is not installed")
pytestmark = [
    pytest.mark.skipif(not any(map(shutil.which, ("chromium", "google-chrome"))), reason="no Chromium on PATH"),
    pytest.mark.xdist_group("browser"),  # of one process: a Chromium takes seconds to start
]
HOME = "http://a.test/news/1"


class Site:
    """Answers what pages ask for, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request)
        if "/missing" in request.url:
            raise OSError("no such host")
        return TextResponse(request.url, body=b'{"said": "what came"}', headers={"Content-Type": "application/json"})


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
async def browser(site: Site) -> AsyncIterator[Browser]:
    made = Browser(Section(pages=2, seconds=20, memory_mb=128), site.fetch)
    yield made
    await made.close()


def page(script: str, body: str = "<p id=p>as it came</p>") -> HtmlResponse:
    text = f"<html><head><title>t</title></head><body>{body}<script>{script}</script></body></html>"
    return HtmlResponse(HOME, body=text.encode(), request=Request(HOME), encoding="utf-8")


async def test_scripts_run_and_what_they_ask_for_is_answered_and_told(browser: Browser, site: Site) -> None:
    write = "document.getElementById('p').textContent"
    script = (
        f"fetch('/api?id=1', {{headers: {{'X-Own': 'yes'}}}}).then(r => r.json()).then(d => {{ {write} = d.said }});"
        "fetch('/post', {method: 'POST', body: new URLSearchParams({page: 2})})"
    )
    shown = await browser.show(page(script), {"kept": 1})
    assert shown is not None
    assert "what came" in shown.page.text
    assert [(call.method, call.url, call.body) for call in shown.calls] == [
        ("GET", "http://a.test/api?id=1", ""), ("POST", "http://a.test/post", "page=2"),
    ]  # fmt: skip
    assert shown.requests == 2
    assert site.asked[0].headers["X-Own"] == b"yes"
    assert site.asked[0].meta["kept"] == 1


@pytest.mark.parametrize(
    "script",
    [
        "while (true) {}", "const all = []; while (true) all.push(new Array(1e6).fill(1))", "alert('stop')",
        "location.reload()", "location.href = 'http://elsewhere.test/'", "window.open('http://elsewhere.test/')",
        "fetch('http://elsewhere.test/counter')", "new WebSocket('ws://a.test/')", "fetch('/missing')",
        "document.body.innerHTML += '<iframe src=/frame></iframe><img src=/picture.png>'", "throw 1",
        "navigator.sendBeacon('/beacon', 'x'); new EventSource('/events')", "window.close()",
    ],
)  # fmt: skip
async def test_whatever_a_page_does_it_ends_and_the_next_one_is_shown(
    browser: Browser, site: Site, script: str
) -> None:
    async with asyncio.timeout(200):
        shown = await browser.show(page(script), {})
    assert shown is None or "as it came" in shown.page.text
    assert {request.url for request in site.asked} <= {"http://a.test/missing"}
    assert await browser.show(page(""), {}) is not None


async def test_who_asks_for_the_same_again_and_again_is_not_answered(browser: Browser, site: Site) -> None:
    polls = "setInterval(() => fetch('/news?'), 20)"
    async with asyncio.timeout(200):
        shown = await browser.show(page(polls), {}, seconds=3)
    assert shown is not None
    assert len(site.asked) == 3


async def test_one_that_does_not_start_is_told_of_once_and_costs_no_page_after(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    broken = Browser(Section(pages=2, program="/bin/false"), site.fetch)
    assert [await broken.show(page(""), {}) for _ in range(3)] == [None] * 3
    await broken.close()
    assert sum("install chromium" in one.message for one in caplog.records if one.levelname == "WARNING") == 1


def test_what_is_missing_is_named() -> None:
    assert missing(Section(pages=0)) == "ARTICLEBOT_BROWSER_PAGES is 0"
    with pytest.raises(ConfigError, match=r"ARTICLEBOT_BROWSER_PROGRAM: .*/no/such/program cannot be run"):
        Config.from_settings(Settings({"ARTICLEBOT_BROWSER_PROGRAM": "/no/such/program"}))
    assert missing(Section()) == ""
