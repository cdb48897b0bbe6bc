"""How the requests in hand go, as Scrapy's signals tell it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from redis.exceptions import RedisError
from scrapy import Request, signals
from scrapy.http import Response

from articlebot.errors import StoreUnavailable, exhausted
from articlebot.frontier.fetch import Fetch
from articlebot.frontier.scripts import passes

# A signal of the crawler with ``request`` and ``fetch``, a ``Fetch``: the downloader is done with a request.
fetched = object()


class Progress:
    """Writes down when a request was begun, answered and ended, and whether what came of it failed.

    Args:
        fetches: the requests in hand.
        ended: called with a request that the downloader is done with.
        not_kept: called where what came could not be stored for now.
        now: the wall clock, epoch seconds.
        send: sends a signal of the crawler.
    """

    def __init__(
        self, fetches: Mapping[Request, Fetch], ended: Callable[[Request, Fetch], None],
        not_kept: Callable[[], None], *, now: Callable[[], float], send: Callable[..., Any],
    ) -> None:  # fmt: skip
        self._fetches, self._ended, self._not_kept = fetches, ended, not_kept
        self._now, self._send = now, send
        self._time = asyncio.get_running_loop().time

    def listen(self, connect: Callable[[Any, Any], Any]) -> None:
        """Connects to the signals."""
        connect(self._on_start, signals.request_reached_downloader)
        connect(self._on_headers, signals.headers_received)
        connect(self._on_response, signals.response_downloaded)
        connect(self._on_end, signals.request_left_downloader)
        connect(self._on_error, signals.item_error)
        connect(self._on_error, signals.spider_error)

    def _on_start(self, request: Request) -> None:
        fetch = self._fetches.get(request)
        if fetch is not None and fetch.started_at is None:
            fetch.started_at = self._time()

    def _on_headers(self, request: Request) -> None:
        if (fetch := self._fetches.get(request)) is not None:
            fetch.heard_at = self._time()

    def _on_response(self, response: Response, request: Request) -> None:
        if (fetch := self._fetches.get(request)) is not None:
            fetch.hear(response, self._now())

    def _on_end(self, request: Request) -> None:
        fetch = self._fetches.get(request)
        if fetch is None or fetch.started_at is None:
            return
        fetch.ended_at = self._time()
        self._ended(request, fetch)
        self._send(fetched, request=request, fetch=fetch)

    def _on_error(self, response: Response | None, failure: Any, signal: object) -> None:
        # What the page led to may not be safe: it is fetched again rather than lost. Should the error come with every
        # try, quarantine keeps the request; a store that is away for now, or memory that is wanting, is no fault of the
        # page and counts as no try.
        request = getattr(response, "request", None)
        fetch = self._fetches.get(request) if request is not None else None
        if fetch is None:
            return
        if exhausted(failure.value) or (failure.check(StoreUnavailable, RedisError) and passes(failure.value)):
            fetch.postponed_s = 0.0
            self._not_kept()
        else:
            where = "item" if signal is signals.item_error else "callback"
            fetch.failure = f"{where}: {failure.type.__name__}"
