"""Asks for lists by POST whose addresses have what is sent as their query."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl

from articlebot.jobs.visit import SENT

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_TYPES = {"form": "application/x-www-form-urlencoded; charset=UTF-8", "json": "application/json"}


class PostsMiddleware:
    """Stands next to the downloader: for all others, the answer is that of the address with its query."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> Response | None:
        """Downloads what is asked for by POST itself; all else is left to the downloader."""
        sent = request.meta.get(SENT)
        if sent is None:
            return None
        bare, _, query = request.url.partition("?")
        posted = request.replace(url=bare, method="POST", body=json.dumps(_values(query)) if sent == "json" else query)
        posted.headers["Content-Type"] = _TYPES[sent]
        posted.headers["X-Requested-With"] = "XMLHttpRequest"
        engine = self._crawler.engine
        assert engine is not None
        answer = await engine.downloader.handlers.download_request_async(posted)
        return answer.replace(url=request.url)


def _values(query: str) -> dict[str, Any]:
    """What a query says, with numbers as numbers, as scripts have them."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return {name: int(value) if value.isdecimal() and len(value) < 10 else value for name, value in pairs}
