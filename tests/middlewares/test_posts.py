"""Lists by POST: what is downloaded in place of an address."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.visit import META_KEY, SENT
from articlebot.middlewares.jobs import JobsMiddleware
from articlebot.middlewares.posts import PostsMiddleware

BARE = "http://a.test/list.php"
JOB = {"name": "a", "list_pages": ["http://a.test/"]}


def crawler(answered: list[Request], **job: Any) -> Any:
    async def download(request: Request) -> Response:
        answered.append(request)
        return Response(request.url, body=b"[]")

    handlers = SimpleNamespace(download_request_async=download)
    engine = SimpleNamespace(downloader=SimpleNamespace(handlers=handlers))
    return SimpleNamespace(spider=SimpleNamespace(book=JobBook([Job(**JOB, **job)])), engine=engine)


@pytest.mark.parametrize(
    ("key", "body"), [("forms", "page=2&cat=a%20b"), ("json_forms", json.dumps({"page": 2, "cat": "a b"}))]
)
async def test_what_is_sent_is_the_query_of_the_address(key: str, body: str) -> None:
    answered: list[Request] = []
    used = crawler(answered, **{key: [BARE]})
    request = Request(f"{BARE}?page=2&cat=a%20b", meta={META_KEY: {"job": "a"}})
    JobsMiddleware(used).process_request(request)
    answer = await PostsMiddleware(used).process_request(request)
    assert answer is not None
    assert answer.url == request.url
    (sent,) = answered
    assert (sent.method, sent.url, sent.body.decode()) == ("POST", BARE, body)


async def test_other_addresses_are_left_to_the_downloader() -> None:
    used = crawler([], forms=[BARE])
    request = Request("http://a.test/list?page=2", meta={META_KEY: {"job": "a"}})
    JobsMiddleware(used).process_request(request)
    assert SENT not in request.meta
    assert await PostsMiddleware(used).process_request(request) is None
