"""Sessions in paths: what is downloaded in place of an address without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from articlebot.middlewares.path_sessions import PathSessionsMiddleware
from articlebot.urls import canonical_url

SHOWN = "http://a.test/List.aspx?cid=3"


def crawler(asked: list[str], *, fails: bool = False) -> Any:
    async def download(request: Request) -> Response:
        asked.append(request.url)
        if fails:
            raise OSError("the connection was closed")
        return Response(request.url, body=b"here")

    handlers = SimpleNamespace(download_request_async=download)
    return SimpleNamespace(engine=SimpleNamespace(downloader=SimpleNamespace(handlers=handlers)))


@pytest.mark.parametrize(
    ("there", "next_one"),
    [
        ("/(S(lit3py55t21z))/List.aspx?cid=3", "http://a.test/(S(lit3py55t21z))/b"),
        ("/List.aspx;jsessionid=0AF3?cid=3", "http://a.test/b;jsessionid=0AF3"),
    ],
)
async def test_a_session_is_followed_once_and_held(there: str, next_one: str) -> None:
    asked: list[str] = []
    used, request = PathSessionsMiddleware(crawler(asked)), Request(SHOWN)
    assert await used.process_request(request) is None
    answer = await used.process_response(request, Response(SHOWN, 302, headers={"Location": there}))
    assert (answer.url, answer.status, answer.body) == (SHOWN, 200, b"here")
    assert canonical_url(asked[0]) == SHOWN
    again = await used.process_request(Request("http://a.test/b"))
    assert again is not None
    assert again.url == "http://a.test/b"
    assert asked == [f"http://a.test{there}", next_one]
    assert await used.process_request(Request("http://b.test/b")) is None


@pytest.mark.parametrize(
    "there",
    [
        "/other",
        "/(S(x1))/elsewhere",
        "",
        "http://b.test/(S(x1))/List.aspx?cid=3",
        "http://[broken",
        "http://[/(S(x1))/",
    ],
)
async def test_other_redirects_are_left_alone(there: str) -> None:
    used, request = PathSessionsMiddleware(crawler([])), Request(SHOWN)
    answer = Response(SHOWN, 302, headers={"Location": there})
    assert await used.process_response(request, answer) is answer
    assert await used.process_request(Request("http://a.test/b")) is None


async def test_a_session_that_is_not_answered_is_a_redirect_like_others() -> None:
    used, request = PathSessionsMiddleware(crawler([], fails=True)), Request(SHOWN)
    answer = Response(SHOWN, 302, headers={"Location": "/(S(x1))/List.aspx?cid=3"})
    assert await used.process_response(request, answer) is answer
