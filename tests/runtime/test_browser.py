"""Pages in a real Chromium that keep it, crash it, leave it, ask for what is none of theirs, or go on when asked to."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings

from articlebot.config import Browser as Section
from articlebot.config import Config
from articlebot.errors import ConfigError
from articlebot.runtime import in_browser
from articlebot.runtime.browser import Browser, missing

pytest.importorskip("playwright", reason="no browser tests: playwright is not installed")
pytestmark = [
    pytest.mark.skipif(not any(map(shutil.which, ("chromium", "google-chrome"))), reason="no Chromium on PATH"),
    pytest.mark.xdist_group("browser"),  # of one process: a Chromium takes seconds to start
    pytest.mark.asyncio(loop_scope="module"),
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


@pytest.fixture(scope="module")
def everything() -> Site:
    return Site()


@pytest.fixture
def site(everything: Site) -> Site:
    everything.asked.clear()
    return everything


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium(everything: Site) -> AsyncIterator[Browser]:
    made = Browser(Section(pages=2, seconds=20, memory_mb=128), everything.fetch)
    yield made
    await made.close()


@pytest.fixture
def browser(chromium: Browser, site: Site, monkeypatch: pytest.MonkeyPatch) -> Browser:
    monkeypatch.setattr(in_browser, "_GREETING_S", 0.0)  # most pages below show next to nothing
    return chromium


def page(script: str, body: str = "<p id=p>as it came</p>") -> HtmlResponse:
    text = f"<html><head><meta charset=utf-8><title>t</title></head><body>{body}<script>{script}</script></body></html>"
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
    # Side by side: either may come first.
    assert sorted((call.method, call.url, call.body) for call in shown.calls) == [
        ("GET", "http://a.test/api?id=1", ""), ("POST", "http://a.test/post", "page=2"),
    ]  # fmt: skip
    assert (shown.requests, shown.failed) == (2, ())
    (asked,) = (one for one in site.asked if one.method == "GET")
    assert asked.headers["X-Own"] == b"yes"
    assert asked.meta["kept"] == 1


@pytest.mark.parametrize(
    "script",
    [
        "while (true) {}", "const all = []; while (true) all.push(new Array(1e6).fill(1))", "alert('stop')",
        "location.reload()", "location.href = 'http://elsewhere.test/'", "window.open('http://elsewhere.test/')",
        "fetch('http://elsewhere.test/counter')", "new WebSocket('ws://a.test/')", "fetch('/missing')",
        "document.body.innerHTML += '<iframe src=/frame></iframe><img src=/picture.png>'", "throw 1",
        "Document.prototype.querySelectorAll = 1",
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


@pytest.mark.parametrize(
    ("script", "waits"), [("fetch('/api')", False), ("setTimeout(() => fetch('/api'), 1500)", True)]
)
async def test_a_page_that_greets_its_reader_is_waited_for(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch, script: str, *, waits: bool
) -> None:
    monkeypatch.setattr(in_browser, "_GREETING_S", 30.0 if waits else 1e6)
    async with asyncio.timeout(200):
        shown = await browser.show(page(script), {})
    assert shown is not None
    assert [call.url for call in shown.calls] == ["http://a.test/api"]


async def test_what_could_not_be_had_is_told(browser: Browser) -> None:
    shown = await browser.show(page("fetch('/missing')"), {})
    assert shown is not None
    assert [url for _, url in shown.failed] == ["http://a.test/missing"]


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


async def test_what_is_missing_is_named() -> None:
    assert missing(Section(pages=0)) == "ARTICLEBOT_BROWSER_PAGES is 0"
    with pytest.raises(ConfigError, match=r"ARTICLEBOT_BROWSER_PROGRAM: .*/no/such/program cannot be run"):
        Config.from_settings(Settings({"ARTICLEBOT_BROWSER_PROGRAM": "/no/such/program"}))
    assert missing(Section()) == ""


_ADD = """let n = 0; const add = list => { for (let i = 0; i < 3 && n < 9; i++) {
    list.insertAdjacentHTML("beforeend", `<li><a href="/r/${++n}">Report ${n}</a></li>`) } };"""
_LIST = "<ul id=list></ul>"


def _named(text: str) -> list[str]:
    return re.findall(r'href="(?:http://a\.test)?/r/(\d)"', text)


def _pressed(element: str) -> tuple[str, str]:
    """A list that goes on when an element below it is pressed."""
    script = f"{_ADD} add(list); document.querySelector('#more').addEventListener('click', () => add(list))"
    return script, _LIST + element


def _box(inside: str) -> str:
    """A part of a page that is scrolled by itself."""
    return f"<div id=box style='height: 99px; overflow: auto'>{inside}</div>"


_PAGER = f"""{_ADD} const show = () => {{ list.innerHTML = ""; add(list) }}; show();
    document.querySelector("#more").addEventListener("click", show)"""
_TABS = f"""{_ADD} const tabs = [...document.querySelectorAll("[role=tab]")];
    for (const one of tabs) one.onclick = () => {{
        for (const other of tabs) other.setAttribute("aria-selected", other === one);
        list.innerHTML = "";
        add(list) }};
    tabs[0].click()"""
_WINDOW = """const row = n => `<p style="position: absolute; top: ${33 * n}px"><a href="/r/${n + 1}">Report</a></p>`;
    const draw = () => { const n = Math.round(box.scrollTop / 33);
        box.firstChild.innerHTML = row(n) + row(n + 1) + row(n + 2) };
    draw(); box.onscroll = draw"""
_OVER = "<div style='position: fixed; inset: 0; background: white'><button onclick='n = 9'>Accept all</button></div>"


_LISTS = {
    "button": _pressed("<button id=more>Show more</button>"),
    "older": _pressed("<button id=more>Older posts</button>"),
    "counted": _pressed("<button id=more>Load 3 more</button>"),
    "div": _pressed("<div id=more>点击加载更多新闻</div>"),
    "span": _pressed("<span id=more>Load more</span><p>Three more bridges</p>"),
    "beneath a notice": _pressed(f"<button id=more>Show more</button>{_OVER}"),
    "mouse": (f"{_ADD} add(list); more.onmousedown = () => add(list)", f"{_LIST}<button id=more>More</button>"),
    "tabs": (_TABS, f"<div role=tab>Town</div><div role=tab>Coast</div><a href='#hills' role=tab>Hills</a>{_LIST}"),
    "pager": (_PAGER, f"{_LIST}<a href='javascript:;' id=more>下一页</a>"),
    "pager without words": (_PAGER, f"{_LIST}<button id=more aria-label=下一页><i></i></button>"),
    "box": (f"{_ADD} add(list); box.onscroll = () => add(list)", _box(f"{_LIST}<p style='height: 999px'></p>")),
    "window": (_WINDOW, _box("<div style='height: 297px; position: relative'></div>")),
    "component": (
        _ADD + "class L extends HTMLElement { connectedCallback() { const r = this.attachShadow({mode: 'open'});"
        "r.innerHTML = '<ul></ul><button>More</button>'; add(r.querySelector('ul'));"
        "r.querySelector('button').onclick = () => add(r.querySelector('ul')) } };"
        "customElements.define('a-list', L)",
        "<a-list></a-list>",
    ),
}


@pytest.mark.parametrize(("script", "body"), _LISTS.values(), ids=_LISTS)
async def test_a_list_goes_on_while_it_brings_links(browser: Browser, script: str, body: str) -> None:
    once = await browser.show(page(script, body), {})
    further = await browser.show(page(script, body), {}, further=9)
    assert once is not None
    assert further is not None
    assert (sorted(_named(once.page.text)), once.goes_on) == (["1", "2", "3"], False)
    assert (sorted(_named(further.page.text)), further.goes_on) == (list("123456789"), True)


@pytest.mark.parametrize(
    "body",
    ["<p>加载更多</p><p id=more>加载更多</p>", "<a href=/all id=more>More</a>", "<button id=more>›</button>"],
    ids=["many of these words", "a link", "an arrow"],
)
async def test_what_may_be_something_else_is_not_pressed(browser: Browser, body: str) -> None:
    shown = await browser.show(page(*_pressed(body)), {}, further=9)
    assert shown is not None
    assert (sorted(_named(shown.page.text)), shown.goes_on) == (["1", "2", "3"], False)


async def test_what_components_show_stands_where_they_stand(browser: Browser) -> None:
    script = (
        "class Card extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML ="
        " '<style>p {}</style><h2>Head</h2><slot></slot><p>Foot</p>' } }; customElements.define('a-card', Card);"
        "class Shut extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'closed'}) } };"
        "customElements.define('a-shut', Shut)"
    )
    body = "<p>Before</p><a-card><b>Middle</b></a-card><a-shut></a-shut><template><i>Never</i></template><p>After</p>"
    shown = await browser.show(page(script, body), {})
    assert shown is not None
    said = shown.page.xpath("//body//*[not(self::script or self::style or ancestor::template)]/text()").getall()
    assert said == ["Before", "Head", "Middle", "Foot", "After"]


async def test_dates_are_written_as_the_page_s_readers_have_them(browser: Browser) -> None:
    write = "p.textContent = new Date(Date.UTC(2026, 10, 5, 11, 10)).toLocaleString() + ' ' + navigator.language"
    for lang, written in {
        "en-GB": "05/11/2026, 11:10:00 en-GB", "zh_CN": "2026/11/5 11:10:00 zh-CN",
        "en-US-US": "en-US", "{lang}": "en-US",
    }.items():  # fmt: skip
        answer = page(write)
        answer = answer.replace(body=answer.body.replace(b"<html>", f"<html lang='{lang}'>".encode()))
        shown = await browser.show(answer, {}, zone="UTC")
        assert shown is not None
        assert written in shown.page.text.replace("\u202f", " ")
