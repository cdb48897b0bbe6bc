"""What a page in the browser asks for: its scripts and their data, answered by the crawl; nothing else is let in."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from articlebot.errors import RefusedError
from articlebot.jobs.visit import OF_BROWSER
from articlebot.runtime.failures import fault_of
from articlebot.urls import site

if TYPE_CHECKING:
    from playwright.async_api import Page, Route
    from playwright.async_api import Request as Asked

logger = logging.getLogger(__name__)
# Of what a page asks for: pictures, fonts and the like show a reader more, and say nothing.
_SCRIPTS, _DATA = "script", ("xhr", "fetch")
# Headers of a script's request that the crawl has of its own.
_OWN = frozenset("user-agent cookie host content-length accept-encoding accept-language connection".split())
_PACKED = frozenset("content-encoding content-length transfer-encoding connection".split())
# Of one page; and of one address of it, which scripts may ask again and again whether there is news.
_MOST_REQUESTS, _MOST_SAME = 80, 3
# A page is there when for so long nothing was asked for.
_QUIET_S = 0.6
# Seconds, from when it first rests, in which a page that shows nothing yet may begin.
_GREETING_S = 3.0
# Seconds for the end of what may be gone.
_GRACE_S = 10.0
# On a busy machine its scripts may not even have begun when nothing was asked for a while.
_RESTS = """() => new Promise(rests => {
    const idle = () => requestIdleCallback(rests, {timeout: 3000});
    document.readyState === "complete" ? idle() : addEventListener("load", idle);
})"""

_BARE = "document.links.length < 5 && document.body?.textContent.length < 200 && document.scripts.length > 0"


class Call(NamedTuple):
    """What a page's script asked for, and what came.

    Attributes:
        body: what was sent; "" by GET.
        headers: of the request, in small letters.
    """

    url: str
    method: str
    body: str
    headers: Mapping[str, str]
    answer: Response


class InBrowser:
    """One page in the browser: answers what it asks for.

    Args:
        answer: the page as it came.
        meta: of the requests that it makes.
        download: answers a request; ``keep`` where others may ask for the same.
    """

    def __init__(self, answer: Response, meta: Mapping[str, Any], download: Callable[..., Awaitable[Response]]) -> None:
        self._page, self._meta, self._download = answer, meta, download
        self._site = site(answer.url)
        self._in_flight = self.requests = 0
        self._begun = False
        self._patient = 0.0
        self._asked: Counter[tuple[str, str, str]] = Counter()
        self._moved = asyncio.Event()
        self.calls: list[Call] = []
        self.failed: list[tuple[str, str]] = []

    async def settle(self, page: Page, end: float) -> None:
        """Waits until nothing is asked for any more and the page's scripts rest, or the time is over."""
        while (left := end - monotonic()) > 0:
            self._moved.clear()
            if await _comes(self._moved.wait(), left if self._in_flight else min(left, _QUIET_S)):
                continue
            rests = not self._in_flight and await _comes(page.evaluate(_RESTS), min(left, _GRACE_S))
            if rests and not self._moved.is_set() and not await self._begins(page):
                return

    async def _begins(self, page: Page) -> bool:
        """Whether a page that shows next to nothing, and has asked for nothing, may yet: some greet a reader first."""
        self._patient = self._patient or monotonic() + _GREETING_S
        waits = monotonic() < self._patient and not (self.calls or self.failed)
        return waits and bool(await page.evaluate(_BARE))

    async def answer(self, route: Route) -> None:
        """Answers one request of the page."""
        asked = route.request
        self._in_flight += 1
        self._moved.set()
        try:
            if asked.is_navigation_request():
                await self._document(route)
            elif asked.resource_type == "stylesheet":
                await route.fulfill(status=200, content_type="text/css", body="")
            elif (answer := await self._fetched(asked)) is not None:
                await route.fulfill(status=answer.status, headers=_headers(answer), body=answer.body)
            else:
                await route.abort()
        except Exception as error:  # a page that is gone has no use for an answer
            logger.debug("%s is not answered: %s", asked.url, error)
            await quietly(route.abort())
        finally:
            self._in_flight -= 1
            self._moved.set()

    async def _document(self, route: Route) -> None:
        """The page itself, once: where its scripts would lead elsewhere, it stays."""
        if self._begun or route.request.frame.parent_frame is not None:
            await route.abort("aborted")  # any other fault shows the browser's own page
            return
        self._begun = True
        await route.fulfill(status=200, headers=_headers(self._page), body=self._page.body)

    async def _fetched(self, asked: Asked) -> Response | None:
        """What a script or its data are; None of all else, and of what may not be had."""
        is_data = asked.resource_type in _DATA
        if not (is_data or asked.resource_type == _SCRIPTS) or self.requests >= _MOST_REQUESTS:
            return None
        try:
            if urlsplit(asked.url).scheme not in ("http", "https") or (is_data and site(asked.url) != self._site):
                return None  # data of other sites are theirs: counters, advertisements
        except RefusedError:
            return None
        sent = {
            name: value for name, value in (await asked.all_headers()).items() if name not in _OWN and name[0] != ":"
        }
        body = (asked.post_data or "") if is_data else ""
        meta = {**self._meta, OF_BROWSER: True, "dont_retry": True}
        request = Request(asked.url, method=asked.method, headers=sent, body=body, meta=meta)
        self._asked[asked.method, asked.url, body] += 1
        if self._asked[asked.method, asked.url, body] > _MOST_SAME:
            return None
        self.requests += 1
        try:
            answer = await self._download(request, keep=not is_data)
        except Exception as error:
            if is_data:
                self.failed.append((fault_of(Failure(error)).reason, asked.url))  # type: ignore[no-untyped-call]
            raise
        if is_data:
            self.calls.append(Call(asked.url, asked.method, body, sent, answer))
        return answer


async def _comes(what: Awaitable[Any], seconds: float) -> bool:
    """Whether something happens in so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await what
    except TimeoutError:
        return False
    return True


def _headers(answer: Response) -> dict[str, str]:
    every = {name.decode("latin-1"): answer.headers.get(name) or b"" for name in answer.headers}
    kept = {name: value.decode("latin-1") for name, value in every.items() if name.lower() not in _PACKED}
    return {name: value for name, value in kept.items() if "\n" not in value}


async def quietly(closing: Awaitable[Any]) -> None:
    """Waits for an end that may have come already."""
    try:
        await asyncio.wait_for(closing, _GRACE_S)
    except Exception as error:
        logger.debug("A browser's page or process was gone: %s", error)
