"""Pages as a browser shows them, of sites whose pages are empty until their scripts have run.

The browser reaches nothing by itself. Whatever a page asks for is downloaded as any other page is: robots.txt, delays,
proxies, cookies, bounds of size and refusals of private addresses hold, and the crawl log has it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import re
import shutil
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from articlebot.config import Browser as Section
from articlebot.page import page_of
from articlebot.runtime.download import fetch
from articlebot.runtime.in_browser import Call, InBrowser, quietly
from articlebot.runtime.in_page import go_on, whole

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

logger = logging.getLogger(__name__)
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No address is looked up, no component fetched, nothing synchronised: requests are answered by the crawl.
_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
)  # fmt: skip
# Seconds for what a browser itself does: a page whose scripts keep it longer is given up, and the browser with it.
_GRACE_S = 10.0
# Scripts of sites, kept between their pages.
_MOST_KEPT_BYTES = 32_000_000
# Seconds after which a browser that does not start is tried again.
_AGAIN_S = 600.0
# With script and country; of any other form Chromium refuses the page.
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{4})?(?:-[a-z]{2})?", re.I)
# Pages after which the browser is begun anew: its memory grows with each.
_MOST_SHOWN = 200


class Shown(NamedTuple):
    """A page as it was shown.

    Attributes:
        calls: the data that its scripts asked for, in their order.
        requests: how many the page made; scripts that were known are none.
        failed: reasons and addresses of data that could not be had, as robots.txt forbids some.
        goes_on: whether its list has gone on as it was scrolled or pressed.
    """

    page: HtmlResponse
    calls: tuple[Call, ...]
    requests: int
    failed: tuple[tuple[str, str], ...]
    goes_on: bool


def missing(section: Section) -> str:
    """Why no page can be shown, with what to do; "" where it can."""
    if not section.pages:
        return "ARTICLEBOT_BROWSER_PAGES is 0"
    if find_spec("playwright") is None:
        return "install articlebot[browser]"
    return ""


def browser_of(crawler: Crawler | None, section: Section) -> Browser | None:
    """The browser of a crawl, which ends with it; None where there is none."""
    if crawler is None or missing(section):
        return None
    browser = Browser(section, lambda request: fetch(crawler, request))
    crawler.signals.connect(browser.close, signals.engine_stopped)
    return browser


class Browser:
    """One headless Chromium of a crawl: begun when a page first needs it, ended with the crawl.

    Args:
        fetch: downloads what a page asks for.
    """

    def __init__(self, section: Section, fetch: Callable[[Request], Awaitable[Response]]) -> None:
        self._section, self._fetch = section, fetch
        self._places, self._starting = asyncio.Semaphore(max(1, section.pages)), asyncio.Lock()
        self._not_before = 0.0
        self._driver: Any = None
        self._browser: Any = None
        self._shown = self._open = self._kept_bytes = 0
        self._kept: OrderedDict[str, Response] = OrderedDict()

    async def show(
        self, answer: Response, meta: Mapping[str, Any], *, zone: str | None = None, further: int = 0,
        seconds: float = math.inf,
    ) -> Shown | None:  # fmt: skip
        """A page when its scripts have run; None where it cannot be shown.

        Args:
            answer: the page as it came; it is not asked for again.
            meta: of the requests that it makes.
            zone: time zone in which its scripts write times.
            seconds: at most, if fewer than its setting.
            further: how often it is scrolled to its end, and a button for more pressed, so that its list goes on.
        """
        async with self._places:
            if monotonic() < self._not_before:
                return None
            try:
                seconds = min(seconds, self._section.seconds)
                async with asyncio.timeout(seconds + _GRACE_S):
                    return await self._show(answer, meta, zone, seconds, further=further)
            except TimeoutError:
                logger.info("%s keeps the browser: it is begun anew", answer.url)
                await self._end_browser()
            except Exception as error:  # whatever a page does to its browser, the crawl has the page as it came
                logger.info("%s cannot be shown in a browser: %s", answer.url, error or type(error).__name__)
            return None

    async def close(self) -> None:
        """Ends the browser and what drives it."""
        await self._end_browser()
        driver, self._driver = self._driver, None
        if driver is not None:
            await quietly(driver.stop())

    async def _show(
        self, answer: Response, meta: Mapping[str, Any], zone: str | None, seconds: float, *, further: int
    ) -> Shown:
        agent = (answer.request.headers.get("User-Agent") if answer.request is not None else None) or b""
        browser = await self._started()
        self._open += 1
        context: BrowserContext = await browser.new_context(
            service_workers="block",
            timezone_id=zone,
            locale=_reader_of(answer),
            user_agent=agent.decode("latin-1") or None,
        )
        try:
            visit = InBrowser(answer, meta, self._download)
            await context.route("**/*", visit.answer)
            page = await context.new_page()
            end = monotonic() + seconds
            await page.goto(answer.url, wait_until="commit", timeout=1000 * _GRACE_S)
            await visit.settle(page, end)
            goes_on = await go_on(page, visit, end, further)
            async with asyncio.timeout(_GRACE_S):
                text = await whole(page)
        finally:
            self._open, self._shown = self._open - 1, self._shown + 1
            await quietly(context.close())
        headers = {name: value for name, value in answer.headers.items() if name.lower() != b"content-encoding"}
        headers[b"Content-Type"] = [b"text/html; charset=utf-8"]
        shown = HtmlResponse(
            answer.url, headers=headers, body=text.encode("utf-8", "replace"), encoding="utf-8", request=answer.request
        )
        return Shown(shown, tuple(visit.calls), visit.requests, tuple(visit.failed), goes_on)

    async def _started(self) -> Any:
        async with self._starting:
            old = self._shown >= _MOST_SHOWN and not self._open
            if self._browser is not None and (old or not self._browser.is_connected()):
                await self._end_browser()
            if self._browser is None:
                from playwright.async_api import async_playwright  # noqa: PLC0415 - an extra

                self._driver = self._driver or await async_playwright().start()
                program = self._section.program or next(filter(None, map(shutil.which, _PROGRAMS)), None)
                flags = [*_FLAGS, f"--js-flags=--max-old-space-size={self._section.memory_mb}"]
                flags += ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has none for root
                try:
                    self._browser = await self._driver.chromium.launch(
                        executable_path=program,
                        args=flags,
                        handle_sigint=False,
                        handle_sigterm=False,
                        handle_sighup=False,
                    )
                except Exception as error:
                    self._not_before = monotonic() + _AGAIN_S
                    why = str(error).partition("\n")[0]
                    logger.warning("No browser starts (%s): install chromium, or set ARTICLEBOT_BROWSER_PROGRAM", why)
                    raise
                self._shown = 0
            return self._browser

    async def _end_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            await quietly(browser.close())

    async def _download(self, request: Request, *, keep: bool) -> Response:
        """What a page asks for; scripts are kept for the next page."""
        if keep and (kept := self._kept.get(request.url)) is not None:
            self._kept.move_to_end(request.url)
            return kept
        answer = await self._fetch(request)
        if keep and answer.status == 200 and request.url not in self._kept:
            self._kept[request.url] = answer
            self._kept_bytes += len(answer.body)
            while self._kept_bytes > _MOST_KEPT_BYTES:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1].body)
        return answer


def _reader_of(answer: Response) -> str | None:
    """The language of a page's readers: scripts write dates, and some the whole page, as their browsers are set."""
    language = page_of(answer).lang.replace("_", "-")
    return language if _LANGUAGE.fullmatch(language) else None
