"""Answers with what the first look at a site has fetched, where a link leads there again."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from time import monotonic

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from articlebot.errors import RefusedError
from articlebot.jobs.visit import ENTRIES, LOOKED, META_KEY, SENT
from articlebot.runtime.component import Component
from articlebot.urls import canonical_url, page_key

# All kept pages together: of eight looks at once, 40 pages of 100 kB each are 32 MB.
_MOST_BYTES = 32_000_000
# A crawl of one address comes to a link within minutes; what is older may have changed.
_KEPT_S = 1800.0


class LookedMiddleware(Component):
    """Keeps the pages of looks in memory; each answers one visit of a link, whatever the page turns out to be.

    Lists that a look has read are none of its business: they are read as they came.

    Stats: ``articlebot/seeds/not_fetched_twice``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pages: OrderedDict[int, tuple[float, Response]] = OrderedDict()
        self._bytes = 0

    def process_request(self, request: Request) -> Response | None:
        """The page, where a look has fetched it; all else is left to the downloader."""
        visit = request.meta.get(META_KEY)
        if not self._pages or visit is None or visit.get("kind") in ENTRIES or SENT in request.meta:
            return None
        at, response = self._take(page_key(request.url))
        if response is None or self._is_old(at):
            return None
        self._runtime.count("seeds/not_fetched_twice")
        if canonical_url(response.url) != canonical_url(request.url):  # as after a redirect, which it was
            request.meta["redirect_urls"] = [*request.meta.get("redirect_urls", ()), request.url]
        return response

    def process_response(self, request: Request, response: Response) -> Response:
        """Keeps what a look has fetched: its requests say so."""
        if LOOKED in request.meta and response.status == 200 and isinstance(response, HtmlResponse):
            with suppress(RefusedError):
                asked = request.meta.get("redirect_urls", [response.url])[0]
                # Behind a proxy the address is the proxy's: who asks for the kept page goes through none.
                kept = response.replace(ip_address=None) if request.meta.get("proxy") else response
                for url in dict.fromkeys(map(canonical_url, (asked, response.url))):
                    self._keep(page_key(url), kept)
        return response

    def _keep(self, key: int, response: Response) -> None:
        self._take(key)
        # A copy: with the answer itself lives what was parsed of it, ten times its size.
        self._pages[key] = monotonic(), response.replace(request=None)
        self._bytes += len(response.body)
        while self._pages and (self._bytes > _MOST_BYTES or self._is_old(next(iter(self._pages.values()))[0])):
            self._take(next(iter(self._pages)))

    def _is_old(self, at: float) -> bool:
        return monotonic() - at > _KEPT_S

    def _take(self, key: int) -> tuple[float, Response | None]:
        at, response = self._pages.pop(key, (0.0, None))
        self._bytes -= 0 if response is None else len(response.body)
        return at, response
