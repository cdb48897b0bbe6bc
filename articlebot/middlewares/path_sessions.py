"""Holds the session that a site writes into the paths of its addresses, which are known without it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from articlebot.middlewares.moved import location_of
from articlebot.runtime.component import Component
from articlebot.urls import PATH_SESSION

logger = logging.getLogger(__name__)
_MOST_HOSTS = 10_000


class PathSessionsMiddleware(Component):
    """Stands next to the downloader: for all others, pages answer under their addresses without a session.

    A server without cookies (ASP.NET's ``cookieless``, servlets' ``;jsessionid=``) answers such an address with a
    redirect to the same one with a new session. That is followed here once, and put into all that is asked for next.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._held: dict[str, Callable[[str], str]] = {}

    async def process_request(self, request: Request) -> Response | None:
        """The answer to an address with its site's session; None where none is held."""
        url = self.with_session(request.url)
        return None if url == request.url or request.method != "GET" else await self._answer(request, url)

    def with_session(self, url: str) -> str:
        """An address with its site's session, where one is held."""
        put = self._held.get(urlsplit(url).netloc)
        return url if put is None else put(url)

    async def process_response(self, request: Request, response: Response) -> Response:
        """The answer, or what it leads to where that is the same address with a session."""
        put, there = None, ""
        if 300 <= response.status < 400 and request.method == "GET":
            there = location_of(request, response)
            put = _putting(there)
        if put is None or put(request.url) != there:
            return response
        if len(self._held) >= _MOST_HOSTS:
            self._held.clear()
        self._held[urlsplit(request.url).netloc] = put
        try:
            return await self._answer(request, there)
        except Exception as error:  # whatever a handler raises: then the redirect is one like others
            logger.debug("%s does not answer with its session: %s", there, error)
            return response

    async def _answer(self, request: Request, url: str) -> Response:
        return (await download(self._crawler, request.replace(url=url))).replace(url=request.url)


async def download(crawler: Crawler, request: Request) -> Response:
    """What a server answers, past all middlewares."""
    assert crawler.engine is not None
    return await crawler.engine.downloader.handlers.download_request_async(request)


def _putting(url: str) -> Callable[[str], str] | None:
    """What puts the session of an address into others; None where it has none."""
    path = urlsplit(url).path
    match = PATH_SESSION.search(path)
    if match is None:
        return None
    first, session = match.start() == 0, match[0]

    def put(other: str) -> str:
        parts = urlsplit(other)
        own = parts.path or "/"
        return urlunsplit(parts._replace(path=session + own if first else own + session))

    return put
