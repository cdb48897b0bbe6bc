"""Redirects that change nothing but the spelling of addresses: seen twice, they are done before it is asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from articlebot.jobs.visit import META_KEY
from articlebot.middlewares.moved import MovedMiddleware
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.twins.spellings import Spellings
from articlebot.urls import page_key


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> MovedMiddleware:
    async def mark(keys: list[int]) -> int:
        return sum(key in {page_key(f"http://n.test/{name}") for name in ("new", "c")} for key in keys)

    async def look_up(_: object, url: str) -> SimpleNamespace:
        return SimpleNamespace(waiting=url == "http://n.test/waits")

    monkeypatch.setattr("articlebot.middlewares.moved.look_up", look_up)
    used = MovedMiddleware(SimpleNamespace())  # type: ignore[arg-type]
    frontier = SimpleNamespace(of_host=lambda host: SimpleNamespace(seen=SimpleNamespace(mark=mark)))
    runtime = SimpleNamespace(count=lambda event: None, twins=Spellings(), pages=Pages(), frontier=frontier)
    used.__dict__["_runtime"] = runtime
    return used


class Pages:
    """Page states with one article, ``/read``, and one list, ``/``."""

    async def get(self, keys: list[int]) -> list[PageRecord | None]:
        known = {"/read": PageState(Kind.ARTICLE, fetches=1), "/": PageState(Kind.LIST, fetches=1)}
        urls = {page_key(f"http://n.test{path}"): (f"http://n.test{path}", state) for path, state in known.items()}
        return [PageRecord(key, urls[key][0], "n.test", urls[key][1]) if key in urls else None for key in keys]


def asked(url: str) -> Request:
    return Request(url, meta={META_KEY: {"kind": "auto"}})


async def answers(moved: MovedMiddleware, url: str, there: str = "", status: int = 301) -> Any:
    request = await moved.process_request(asked(url)) or asked(url)
    headers = {"Location": there} if there else {}
    return await moved.process_response(request, Response(request.url, status if there else 200, headers=headers))


@pytest.mark.parametrize(
    ("pairs", "url", "spelled"),
    [
        ([("/a", "/a/"), ("/b", "/b/")], "/c?x=1", "http://n.test/c/?x=1"),
        ([("/a/", "/a"), ("/b/", "/b")], "/c/", "http://n.test/c"),
        ([("/News/A", "/news/a"), ("/News/B", "/news/b")], "/News/C", "http://n.test/news/c"),
        ([("/a", "https://www.n.test/a"), ("/b", "https://www.n.test/b")], "/c", "https://www.n.test/c"),
        ([("/a", "https://n.test/a/"), ("/b", "https://n.test/b/")], "/c.html", "https://n.test/c.html"),
        ([("/a", "/a/"), ("/b", "/b/")], "/c/", None),
        ([("/a", "/a/"), ("/b", "")], "/c", None),
        ([("/a", "/a/"), ("/b", "/elsewhere"), ("/d", "http://x.test/d")], "/c", None),
        ([("/a", "/a/"), ("/b", "http://[broken")], "/c", None),
    ],
)
async def test_what_redirects_have_in_common_is_done_at_once(
    moved: MovedMiddleware, pairs: list[tuple[str, str]], url: str, spelled: str | None
) -> None:
    for here, there in pairs:
        await answers(moved, f"http://n.test{here}", there)
    found = await moved.process_request(asked(f"http://n.test{url}"))
    assert (found and found.url) == spelled
    if found is not None:
        assert found.meta["redirect_urls"] == [f"http://n.test{url}"]
        assert await moved.process_request(found) is None
        assert await moved.process_request(Request(f"http://n.test{url}")) is None


@pytest.mark.parametrize(("status", "there"), [(404, ""), (301, "/c")])
async def test_what_does_not_answer_so_is_asked_for_as_it_was(moved: MovedMiddleware, status: int, there: str) -> None:
    for name in "ab":
        await answers(moved, f"http://n.test/{name}", f"/{name}/")
    spelled = await moved.process_request(asked("http://n.test/c"))
    assert spelled is not None
    answer = await moved.process_response(spelled, Response(spelled.url, status, headers={"Location": there}))
    if isinstance(answer, Request):
        assert (answer.url, "redirect_urls" in answer.meta) == ("http://n.test/c", False)
        assert await moved.process_request(answer) is None
    assert isinstance(answer, Request) is (status == 404)
    assert await moved.process_request(asked("http://n.test/d")) is None


async def test_a_page_that_asks_for_a_login_is_asked_for_once(moved: MovedMiddleware) -> None:
    body = b"<html><title>Sign in</title><h1>Sign in to read on</h1><form><input name=e><input type=password></form>"
    at = "http://n.test/account/sign-in?next=/"
    first = asked("http://n.test/a")
    found = await moved.process_response(first, Response(first.url, 302, headers={"Location": f"{at}a"}))
    assert found.status == 302
    login = asked(f"{at}a").replace(meta={**first.meta, "redirect_urls": [first.url]})
    await moved.process_response(login, HtmlResponse(login.url, body=body, request=login))
    second = asked("http://n.test/b")
    found = await moved.process_response(second, Response(second.url, 302, headers={"Location": f"{at}b"}))
    assert (found.status, found.url, found.body) == (200, f"{at}b", body)
    assert second.meta["redirect_urls"] == ["http://n.test/b"]
    other = await moved.process_response(second, Response(second.url, 302, headers={"Location": "http://n.test/c"}))
    assert other.status == 302


async def test_an_article_is_not_lost_whose_other_spelling_counts_as_seen(moved: MovedMiddleware) -> None:
    links = [(f"http://{host}n.test/{name}", "The bridge is closed") for host in ("", "www.") for name in "abc"]
    moved._runtime.twins.others(links)  # type: ignore[attr-defined]  # those with "www." are taken for those without
    for name in "ab":
        request = asked(f"http://n.test/{name}")
        await moved.process_response(
            request, Response(request.url, 301, headers={"Location": f"http://www.n.test/{name}"})
        )
        assert request.dont_filter
    spelled = await moved.process_request(asked("http://n.test/c"))
    assert spelled is not None
    assert (spelled.url, spelled.dont_filter) == ("http://www.n.test/c", True)
    # so is one that was linked beside another host's, or by another worker; what was read, or waits, is not
    moved._learn("http://old.n.test/e", "http://n.test/e")
    moved._learn("http://old.n.test/f", "http://n.test/f")
    for name, again in (("d", True), ("new", True), ("read", False), ("waits", False)):
        other = await moved.process_request(asked(f"http://old.n.test/{name}"))
        assert other is not None
        assert (other.url, other.dont_filter) == (f"http://n.test/{name}", again)


@pytest.mark.parametrize(("there", "is_asked"), [("/read", False), ("/", True), ("/maintenance", True)])
async def test_only_what_leads_to_an_article_that_was_read_is_known_by_that(
    moved: MovedMiddleware, there: str, is_asked: bool
) -> None:
    request = asked("http://n.test/a")
    await moved.process_response(request, Response(request.url, 302, headers={"Location": there}))
    assert request.dont_filter is is_asked
