"""Requests that cannot be stored: they wait in this process and end with it, as Scrapy's do under JOBDIR."""

from __future__ import annotations

import heapq
from collections.abc import Collection

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.dupefilters import RFPDupeFilter

from articlebot.errors import RefusedError
from articlebot.frontier.requests import keys_of


class ProcessQueue:
    """Highest priority first, equal ones in the order they came; of each host one at a time.

    Not http(s), a request has no host and waits for nobody.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._dupefilter = RFPDupeFilter.from_crawler(crawler)
        self._waiting: dict[str, list[tuple[int, int, Request]]] = {}
        self._in_flight: dict[Request, str] = {}
        self._order = 0

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values())) + len(self._in_flight)

    def __contains__(self, request: Request) -> bool:
        """Whether the request was handed out and is not done."""
        return request in self._in_flight

    def push(self, request: Request, spider: Spider) -> bool:
        """Takes a request; False where it was seen before and may be filtered."""
        if not request.dont_filter and self._dupefilter.request_seen(request):
            self._dupefilter.log(request, spider)
            return False
        self._order += 1
        entry = -request.priority, self._order, request
        heapq.heappush(self._waiting.setdefault(_host_of(request), []), entry)
        return True

    def pop(self) -> Request | None:
        """The next request whose host is free of others of this queue."""
        busy = set(self._in_flight.values()) - {""}
        free = [(entries[0][:2], host) for host, entries in self._waiting.items() if host not in busy]
        if not free:
            return None
        _, host = min(free)
        _, _, request = heapq.heappop(self._waiting[host])
        if not self._waiting[host]:
            del self._waiting[host]
        self._in_flight[request] = host
        return request

    def settle(self, in_progress: Collection[Request]) -> None:
        """Forgets requests that are done."""
        for request in [request for request in self._in_flight if request not in in_progress]:
            del self._in_flight[request]


def _host_of(request: Request) -> str:
    try:
        return keys_of(request).host
    except RefusedError:
        return ""
