"""Stops downloads whose headers say that the page is as it was, before its bytes come."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response

from articlebot.bounded import Bounded
from articlebot.jobs.visit import UNLESS
from articlebot.recrawl import Validators
from articlebot.recrawl.trust import states_the_same
from articlebot.runtime.component import Component
from articlebot.times import http_time

# A body that fits into the first window of TCP (RFC 6928: ten segments) is here with its headers: to stop it saves
# nothing and costs a connection.
_FIRST_WINDOW = 14_600
_MOST_HOSTS = 10_000
_CONDITIONS = ("If-None-Match", "If-Modified-Since")


@dataclass(slots=True)
class _Usual:
    """What bodies of a host cost: how many came, their bytes, and seconds after their headers."""

    bodies: int = 0
    size: int = 0
    seconds: float = 0.0


class UnchangedMiddleware(Component):
    """Where a page states what it stated at the visit before, and its site has proved true, its body is not fetched.

    To all others such an answer is a 304. It stands next to the downloader.

    Stats: ``articlebot/recrawl/stopped``, and what that saved, ``stopped_bytes`` and ``stopped_ms``: the stated
    length, or the host's mean one where none is stated, at the speed of the host's other pages. ``contradicted``
    counts each 304 that states a later modification than was asked about: its page is fetched.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._begun: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._stopped: WeakKeyDictionary[Request, int] = WeakKeyDictionary()
        self._usual: Bounded[str, _Usual] = Bounded(_MOST_HOSTS)

    def headers_received(self, headers: Headers, body_length: int | str, request: Request) -> None:
        """Stops the download of a page that states what it did before."""
        self._begun[request] = monotonic()
        # Scrapy hands Twisted's word on where the answer comes in chunks and states no length.
        length = body_length if isinstance(body_length, int) else -1
        kept = request.meta.get(UNLESS)
        if not kept or 0 <= length <= _FIRST_WINDOW:
            return
        if states_the_same(Validators(*kept), Validators.of(headers.get)):
            self._stopped[request] = length
            raise StopDownload(fail=False)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """A stopped download is a 304; of others it is noted what they cost. One that contradicts itself is none."""
        if response.status == 304 and contradicts(response, request):
            self._runtime.count("recrawl/contradicted")
            again = request.replace(dont_filter=True)
            for name in _CONDITIONS:
                again.headers.pop(name, None)
            return again
        begun, length = self._begun.pop(request, None), self._stopped.pop(request, None)
        host = str(request.meta.get("download_slot", ""))
        if length is not None and response.status == 200 and "download_stopped" in response.flags:
            self._count(host, length)
            return response.replace(status=304, body=b"")
        if begun is not None and response.body:
            usual = self._usual.setdefault(host, _Usual())
            usual.bodies, usual.size = usual.bodies + 1, usual.size + len(response.body)
            usual.seconds += monotonic() - begun
        return response

    def _count(self, host: str, length: int) -> None:
        usual = self._usual.get(host, _Usual())
        size = length if length >= 0 else usual.size // max(1, usual.bodies)
        self._runtime.count("recrawl/stopped")
        self._runtime.count("recrawl/stopped_bytes", size)
        self._runtime.count("recrawl/stopped_ms", round(1000 * usual.seconds * size / max(1, usual.size)))


def contradicts(answer: Response, request: Request) -> bool:
    """Whether a 304 states a later modification than that since which it was asked: its ETag has stood still."""
    kept = http_time(request.headers.get("If-Modified-Since"))
    stated = http_time(answer.headers.get("Last-Modified"))
    return kept is not None and stated is not None and stated > kept
