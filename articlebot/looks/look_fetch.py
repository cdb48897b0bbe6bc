"""The fetches of a look: within a budget, one after the other, and as slow as the site wishes."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from time import monotonic
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from articlebot.errors import RefusedError
from articlebot.extraction.walls import wall_in
from articlebot.jobs import Job
from articlebot.jobs.book import job_of
from articlebot.jobs.model import sent_as
from articlebot.jobs.visit import CONSENT, LOOKED, SENT, SHOWN
from articlebot.page import Page, header
from articlebot.runtime import Runtime
from articlebot.runtime.download import fetch, limit_slot
from articlebot.runtime.failures import fault_of
from articlebot.seeds.jobblock import SiteSeeds
from articlebot.times import parse_retry_after
from articlebot.urls import canonical_url, subdomain

logger = logging.getLogger(__name__)
# Downloads in a row without any answer, after which a site is left alone.
_MOST_SILENT = 3
# Refusals for haste that are waited out, and the longest wait in seconds: a look is no crawl, which would come again.
_MOST_WAITS, _LONGEST_WAIT_S = 3, 30.0
_HASTE = (429, 503)
# Faults of a server that often pass at once, and how many pages of a look are asked for once more for them.
_MOMENTS, _MOST_MOMENTS = (500, 502, 504), 5
_NOT_THERE = (404, 410)


class LookFetch:
    """Fetches for one look.

    Args:
        found: counts pages and problems.
        max_pages: fetched at most.
        meta: of each request.
        seconds: from now on, after which nothing is fetched any more; None for no end.

    Attributes:
        heard: whether the site has answered anything.
        gone: what it has said to be not there.
    """

    def __init__(
        self, crawler: Crawler, found: SiteSeeds, max_pages: int, *, meta: dict[str, Any], seconds: float | None
    ) -> None:
        self._crawler, self._found, self.max_pages, self.meta = crawler, found, max_pages, meta
        self._runtime = Runtime.of(crawler)
        self._end = None if seconds is None else monotonic() + seconds
        self._asked: set[str] = set()
        self._robots: dict[str, Response] = {}
        self._delays: dict[str, float] = {}
        self._silent = self._moments = 0
        self.heard = False
        self.scripts = self.maps = self.vain = 0
        self.tried = set[str]()  # of what scripts ask for
        self.gone = set[str]()
        crawler.signals.connect(self._heard, signals.response_received)

    async def get(
        self, url: str, *, guessed: bool = False, sent: str = "", form: str = "auto", again: bool = False,
        kept: bool = True, insist: bool = False, shown: bool = False, repeats: bool = False,
    ) -> Response | None:  # fmt: skip
        """An answer with status 200, once per address and within the budget; else None, counted.

        Args:
            form: what it is read as: "list", "feed", "sitemap" or "auto".
            guessed: nothing names the address, so that it is no problem where it is not there.
            sent: how it is asked for, see ``jobs.model.sent_as``; "": as the look has found out of such addresses.
            again: though it was asked before.
            kept: a link to it that the crawl comes to is answered by what came.
            insist: asked for once more where the site did not answer: all else depends on it.
            shown: in a browser, where the page is empty without.
            repeats: it has come in another way, so that it is no problem where it does not come in this.
        """
        if (url in self._asked and not again) or self.spent:
            return None
        self._asked.add(url)
        sent = sent or sent_as(url, self._found.forms, self._found.json_forms, self._found.ajax)
        failed = False
        for wait in range(_MOST_WAITS + 1):
            answer = await self._once(url, sent, kept=kept, shown=shown)
            if answer is None and insist and not wait and self._silent:
                continue
            if answer is None or answer.status == 200:
                self._asked |= _addresses(answer)  # where it was led to needs no second look
                return answer if answer is None or await self._can_read(answer, form) else None
            after = self._after(answer)
            self.gone |= {url} if answer.status in _NOT_THERE else set()
            is_moment = answer.status in _MOMENTS and not failed and wait < _MOST_WAITS
            if is_moment and self._may_pass(after, insist=insist, guessed=guessed):
                failed = True
                await asyncio.sleep(after)
                continue
            if not ((guessed and answer.status in _NOT_THERE) or (repeats and answer.status not in _HASTE)):
                self.problem(f"http_{answer.status}", answer.url)
            # One page that is out of order by itself: each further pause, twice the last, would hold up all others.
            alone = answer.status == 503 and wait > 0 and not insist and "Retry-After" not in answer.headers
            if alone or answer.status not in _HASTE or wait == _MOST_WAITS or not self._has(after):
                return None
            self._delays[subdomain(url)] = max(after, self._delays.get(subdomain(url), 0.0))
            if self._found.fetched > self.max_pages + _MOST_WAITS:
                return None
        return None

    async def robots(self, home: str, named: Callable[[bytes, str], tuple[str, ...]]) -> tuple[str, ...]:
        """The sitemaps that the robots.txt of a host names; the file that the crawl has read is not asked for again."""
        answer = self._robots.get(subdomain(home))
        if answer is None:
            scheme, _, rest = home.partition("://")
            answer = await self.get(f"{scheme}://{rest.partition('/')[0]}/robots.txt", guessed=True)
        return named(answer.body, answer.url) if answer is not None and answer.status == 200 else ()

    @property
    def spent(self) -> bool:
        """Whether nothing may be fetched any more."""
        return self._found.fetched >= self.max_pages or self._silent >= _MOST_SILENT or not self._has(0.0)

    @property
    def left(self) -> float:
        """Seconds until nothing is fetched any more."""
        return math.inf if self._end is None else max(0.0, self._end - monotonic())

    @property
    def job(self) -> Job | None:
        """The job whose look this is, None where nobody follows the site."""
        return job_of(self._crawler.spider, self.meta)

    def may_show(self) -> bool:
        """Whether pages may be shown in a browser: the job whose look this is lets them."""
        return self.job is None or self.job.browser

    def allow(self, pages: int, seconds: float) -> None:
        """Lets so many more pages be fetched, for so many seconds at least."""
        self.max_pages = max(self.max_pages, self._found.fetched + pages)
        if self._end is not None:
            self._end = max(self._end, monotonic() + seconds)

    def close(self) -> None:
        """Listens no longer."""
        self._crawler.signals.disconnect(self._heard, signals.response_received)

    def problem(self, name: str, url: str = "") -> None:
        """Counts what went wrong; ``url``: where it did first."""
        if url:
            self._found.problem_at.setdefault(name, url)
        self._found.problems[name] = self._found.problems.get(name, 0) + 1

    def is_walled(self, page: Page | None) -> bool:
        """Whether a page is a wall, which is noted."""
        wall = wall_in(page) if page is not None and page.tree is not None else None
        if page is not None and wall is not None:
            self._found.walls[page.url] = wall
            self.problem(f"wall_{wall}", page.url)
        return wall is not None

    def _may_pass(self, after: float, *, insist: bool, guessed: bool) -> bool:
        """Whether a page that a server has failed at is asked for once more, after so many seconds."""
        self._moments += not insist and not guessed
        return self._has(after) and (insist or (not guessed and self._moments <= _MOST_MOMENTS))

    async def _can_read(self, answer: Response, form: str) -> bool:
        if await self._runtime.trial.reads(form, answer.body, answer.url, header(answer, "Content-Type")):
            return True
        self.problem("too_heavy", answer.url)
        return False

    async def _once(self, url: str, sent: str = "", *, kept: bool = True, shown: bool = False) -> Response | None:
        config = self._runtime.config
        self._found.fetched += 1
        logger.info("%d: %s", self._found.fetched, url)
        host = subdomain(url)
        try:
            if not self.meta:  # a crawl's scheduler keeps its own delays
                limit_slot(self._crawler, host, delay=config.delays.click_interval_s)
            # A site that has asked for a pause once is asked no faster from then on.
            await asyncio.sleep(self._delays.get(host, 0.0))
            meta = {
                CONSENT: "given", **self.meta, "download_slot": host, "download_timeout": config.seeds.timeout_s,
                "dont_retry": True, **({SENT: sent} if sent else {LOOKED: True} if kept else {}),
                **({SHOWN: True} if shown else {}),
            }  # fmt: skip
            answer = await fetch(self._crawler, Request(url, meta=meta))
        except Exception as error:  # a page that cannot be had is counted, whatever the reason
            self._silent += not isinstance(error, IgnoreRequest)
            self.problem(fault_of(Failure(error)).reason, url)  # type: ignore[no-untyped-call]
            return None
        self._silent, self.heard = 0, True
        return answer

    def _after(self, answer: Response) -> float:
        """Seconds that the site asks to be left alone for."""
        stated = parse_retry_after(answer.headers.get("Retry-After"), self._runtime.now())
        return max(0.5, stated if stated is not None else self._runtime.config.delays.back_off_s / 5)

    def _has(self, seconds: float) -> bool:
        return seconds <= _LONGEST_WAIT_S and (self._end is None or monotonic() + seconds < self._end)

    def _heard(self, response: Response, request: Request) -> None:
        if request.url.endswith("/robots.txt") and len(self._robots) < 100:
            self._robots[subdomain(request.url)] = response


def _addresses(answer: Response | None) -> set[str]:
    try:
        return set() if answer is None else {answer.url, canonical_url(answer.url)}
    except RefusedError:
        return set()
