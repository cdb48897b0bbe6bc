"""Lets the requests of jobs with ``identity = "browser"`` look like a browser's; all others stay honest."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response

from articlebot.frontier.requests import keys_of
from articlebot.jobs.book import job_of
from articlebot.middlewares.proxies import WAY
from articlebot.proxies import DIRECT
from articlebot.proxies.identity import HEADERS, POOL_SIZE, Identities, draw_browsers
from articlebot.runtime.component import Component

WORN = "articlebot_identity"


class IdentityMiddleware(Component):
    """Puts user agent, headers and cookie jar of slot and way on a request, after its way was chosen.

    robots.txt is asked for, and read, under the honest name. After the download everything is taken off again: a retry
    may go by another way, and a stored request must not wear an old identity.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        rng = self._runtime.rng
        self._identities = Identities(rng, lambda: draw_browsers(rng, POOL_SIZE), forget=self._forget_jar)

    def process_request(self, request: Request) -> None:
        job = job_of(self._crawler.spider, request.meta)
        if job is None or job.identity != "browser":
            return
        slot, way = keys_of(request).host, str(request.meta.get(WAY, DIRECT))
        session = self._identities.session(slot, way, self._runtime.now())
        for name, value in session.browser.headers(job.language).items():
            request.headers[name] = value
        request.meta["cookiejar"] = session.jar
        request.meta[WORN] = True
        self._runtime.count("identity/browser")

    def process_response(self, request: Request, response: Response) -> Response:
        self._take_off(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._take_off(request)

    def _take_off(self, request: Request) -> None:
        if request.meta.pop(WORN, None):
            for name in HEADERS:
                request.headers.pop(name, None)
            request.headers.pop("Cookie", None)
            request.meta.pop("cookiejar", None)

    def _forget_jar(self, jar: str) -> None:
        cookies = self._crawler.get_downloader_middleware(CookiesMiddleware)
        if cookies is not None:
            cookies.jars.pop(jar, None)
