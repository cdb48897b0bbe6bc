"""Passes pages that ask for consent to cookies, as far as a job allows it (its key ``consent``)."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from http.cookiejar import Cookie
from typing import Any

from redis.exceptions import RedisError
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from articlebot.extraction.consent import Step, step_again, step_past
from articlebot.extraction.walls import asks_consent
from articlebot.jobs.book import job_of
from articlebot.jobs.visit import CONSENT
from articlebot.middlewares.jobs import site_of
from articlebot.page import Page, header, page_of
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
_ASKED = "articlebot_consent_asked"
_MOST_BYTES = 100_000
# Chinese, in the charsets that it comes in; big5 has no simplified characters.
_EASTERN = [word.encode(charset).lower() for charset in ("utf-8", "gb18030") for word in ("隐私", "隱私", "同意")]
_EASTERN += [word.encode("big5").lower() for word in ("隱私", "同意")]
# Of other pages nothing is parsed for this.
_ABOUT = (
    b"cookie", b"consent", b"privac", b"privat", b"datenschutz", b"zustimm", b"einwillig", b"rgpd", b"vie priv",
    *_EASTERN,
)  # fmt: skip
_KEPT_S = 180 * 86_400
_REDIRECT_META = ("redirect_urls", "redirect_reasons", "redirect_times", "redirect_ttl")


class ConsentMiddleware(Component):
    """Takes the step past such a page once for a request, then asks for the page again.

    ``accept`` presses what the page offers, or sets the cookie that its script would set; forms with a password, and
    what leads to another site, are left alone. ``given`` presses nothing: it asks again where the page itself has just
    set a cookie, by its header or, where it shows nothing else, by its script. ``never`` does neither. The site's
    cookies are kept in Redis: other workers and later runs have them.

    Stats: ``articlebot/consent/{passed,failed}``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._loaded: set[str] = set()

    async def process_request(self, request: Request) -> None:
        """Puts the cookies that a worker was given for the site into the jar, once."""
        place = site_of(request)
        if place is None or place in self._loaded or self._mode(request) == "never":
            return
        self._loaded.add(place)
        try:
            stored = await self._runtime.clients.of().get(self._key(place))
        except (RedisError, OSError) as error:
            logger.debug("Cookies of %s cannot be had: %s", place, error)
            return
        jar = self._jar(request)
        for fields in json.loads(stored) if stored and jar is not None else ():
            jar.set_cookie(Cookie(**fields))

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer, or the request again, with what passes the page."""
        mode, place, jar = self._mode(request), site_of(request), self._jar(request)
        asked = request.meta.pop(_ASKED, False)
        if mode == "never" or place is None or jar is None:
            return response
        page = _asking(response)
        if page is None and response.status != HTTPStatus.OK:
            return response
        if asked:
            self._runtime.count("consent/passed" if page is None else "consent/failed")
            if page is None:
                await self._store(place, jar)
        if page is None or asked:
            return response
        if step := step_again(page) or (step_past(page) if mode == "accept" else None):
            led = await self._take(step, request, response)
            if led is not None and led.url == response.url and led.status == HTTPStatus.OK and _asking(led) is None:
                # What was pressed has led back to the page: it is there.
                self._runtime.count("consent/passed")
                await self._store(place, jar)
                return led.replace(request=request)
        elif not any(place.partition(":")[0] in cookie.domain for cookie in jar.jar):
            return response
        first = request.meta.get("redirect_urls", [request.url])[0]
        meta = {name: value for name, value in request.meta.items() if name not in _REDIRECT_META}
        logger.info("%s asks for consent or a cookie: passed as the job allows", place)
        return request.replace(url=first, meta={**meta, _ASKED: True}, dont_filter=True)

    async def _take(self, step: Step, request: Request, response: Response) -> Response | None:
        """What came where something was pressed."""
        jar, engine = self._jar(request), self._crawler.engine
        assert jar is not None
        assert engine is not None
        if step.cookies:
            given = Response(response.url, headers={"Set-Cookie": list(step.cookies)})
            for cookie in jar.make_cookies(given, request.replace(url=response.url)):
                jar.set_cookie_if_ok(cookie, request.replace(url=response.url))
        if step.url:
            headers = {"Referer": response.url}
            if step.method == "POST":
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            meta: dict[str, Any] = {name: request.meta[name] for name in ("cookiejar", "proxy") if name in request.meta}
            pressed = Request(
                step.url, method=step.method, body=step.body, headers=headers, callback=NO_CALLBACK,
                meta={**meta, "dont_retry": True},
            )  # fmt: skip
            try:
                return await engine.download_async(pressed)
            except Exception as error:  # whatever it is: the page that asks is the answer then
                logger.info("%s cannot be had: %s", pressed, error)
        return None

    async def _store(self, place: str, jar: Any) -> None:
        own = [cookie for cookie in jar.jar if place.partition(":")[0] in cookie.domain]
        kept = json.dumps([{**{n: v for n, v in vars(one).items() if n != "_rest"}, "rest": {}} for one in own])
        try:
            await self._runtime.clients.of().set(self._key(place), kept, ex=_KEPT_S)
        except (RedisError, OSError) as error:
            logger.debug("Cookies of %s are not kept: %s", place, error)

    def _mode(self, request: Request) -> str:
        """``accept``, ``given`` or ``never``."""
        job = job_of(self._crawler.spider, request.meta)
        return job.consent if job is not None else str(request.meta.get(CONSENT, "never"))

    def _jar(self, request: Request) -> Any:
        cookies = self._crawler.get_downloader_middleware(CookiesMiddleware)
        return None if cookies is None else cookies.jars[request.meta.get("cookiejar")]

    def _key(self, place: str) -> str:
        return f"{self._runtime.config.general.key_prefix}:consent:{place}"


def _asking(response: Response) -> Page | None:
    """The page of an answer that only asks for consent, or for a cookie; the latter whatever its status is (521)."""
    if "html" not in header(response, "Content-Type") or not 0 < len(response.body) <= _MOST_BYTES:
        return None
    body = response.body.lower()
    if not any(word in body for word in _ABOUT):  # an expression that ignores case takes ten times as long
        return None
    page = page_of(response)
    return page if (response.status == HTTPStatus.OK and asks_consent(page)) or step_again(page) else None
