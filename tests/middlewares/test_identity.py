from __future__ import annotations

import random
import re

import pytest

from articlebot.proxies.identity import HEADERS, Browser, Identities, draw_browsers
from tests.middlewares.test_proxies import NewsSite, crawl
from tests.proxies.serving import serve


class CookieSite(NewsSite):
    """The news site, giving each client without a cookie one."""

    def end_headers(self) -> None:
        if "Cookie" not in self.headers:
            self.server.number = getattr(self.server, "number", 0) + 1
            self.send_header("Set-Cookie", f"who={self.server.number}; Path=/")
        super().end_headers()


def test_headers_fit_the_browser():
    for browser in draw_browsers(random.Random(3), 200):
        headers = browser.headers("zh")
        assert set(headers) <= set(HEADERS)
        chromium = browser.name in ("Chrome", "Edge")
        assert ("Sec-CH-UA" in headers) == chromium
        if chromium:
            assert re.search(rf"Chrome/{browser.major}\.", headers["User-Agent"])
            assert f'"Chromium";v="{browser.major}"' in headers["Sec-CH-UA"]
        assert headers["Accept-Language"].startswith("zh-CN")
        assert "articlebot" not in headers["User-Agent"]


def identities(**kwargs):
    pool = [Browser(f"agent {n}", "Firefox", 120, "Linux") for n in range(50)]
    ended = []
    kwargs = {"requests": 10, "seconds": 100.0, **kwargs}
    return Identities(random.Random(1), lambda: pool, forget=ended.append, **kwargs), ended


def test_an_identity_stays_with_slot_and_way():
    found, _ = identities()
    first = found.session("a.test", "direct", 0)
    assert all(found.session("a.test", "direct", 1) is first for _ in range(3))
    assert found.session("a.test", "http://8.8.8.8:80", 1).jar != first.jar
    assert found.session("b.test", "direct", 1).jar != first.jar


@pytest.mark.parametrize(("requests", "seconds", "times"), [(4, 1e9, range(20)), (10**6, 10.0, range(0, 60, 3))])
def test_a_session_is_bounded(requests, seconds, times):
    found, ended = identities(requests=requests, seconds=seconds)
    jars = [found.session("a.test", "direct", at).jar for at in times]
    assert len(set(jars)) >= 5
    assert len(ended) == len(set(jars)) - 1


@pytest.mark.parametrize("identity", ["browser", "honest"])
def test_only_a_job_that_asks_looks_like_a_browser(tmp_path, identity):
    with serve(CookieSite) as (site,):
        stats, log = crawl(tmp_path, site, [], proxies=f'false\nidentity = "{identity}"')
    asked = ("/robots.txt", "/.well-known/tdmrep.json")  # what a crawler asks as itself
    pages = [headers for path, headers in site.seen if path not in asked]
    robots = [headers for path, headers in site.seen if path == "/robots.txt"]
    assert "articlebot" in robots[0]["user-agent"]
    assert len({headers["user-agent"] for headers in pages}) == 1
    assert ("articlebot" in pages[0]["user-agent"]) == (identity == "honest")
    assert stats.get("articlebot/identity/browser", 0) == (len(pages) if identity == "browser" else 0)
    assert len({headers.get("cookie") for headers in pages[1:]}) == 1
    assert stats.get("log_count/ERROR", 0) == 0, log
