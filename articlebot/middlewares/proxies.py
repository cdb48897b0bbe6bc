"""Sends the requests of jobs that ask for it through the pool, and tells the pool what became of them."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from articlebot.errors import PUT_OFF
from articlebot.extraction.kinds import kind
from articlebot.frontier.breaker import fault_of, unanswered
from articlebot.frontier.scheduler import Scheduler
from articlebot.jobs import Job
from articlebot.jobs.book import followed_by, job_of
from articlebot.jobs.visit import META_KEY
from articlebot.middlewares.jobs import site_of
from articlebot.middlewares.silent import does_not_answer, refuses
from articlebot.page import header, page_of
from articlebot.proxies import DIRECT, Verdict, verdict
from articlebot.proxies.verdict import failure_name
from articlebot.runtime import Runtime
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)

WAY = "articlebot_way"
TRIED = "articlebot_tried"
_MOST_HOSTS = 20_000
_WALL_BYTES = 200_000
_POLL_S = 0.2
# Ways of one download before Scrapy's own retries: three strangers' and the direct one.
TRIES = 4


class ProxyGateMiddleware(Component):
    """Puts the requests of a job that demands a proxy back into the queue while no proxy can serve their site.

    It stands first, so that not even robots.txt is asked for: Scrapy would take its failure for leave to fetch all.
    """

    async def process_request(self, request: Request) -> None:
        """Nothing.

        Raises:
            IgnoreRequest: there is none; the request was queued again.
        """
        job, place = job_of(self._crawler.spider, request.meta), site_of(request)
        if job is None or job.proxies != "required" or place is None:
            return
        live = self._runtime.proxies
        await live.refresh()
        if not live.pool.usable(place, self._runtime.now()):
            raise none_left(self._crawler, request, place)


class ProxiesMiddleware(Component):
    """Chooses a way for each download of a job with ``proxies``; the slot stays the site's, whatever the way.

    It stands between redirects and cookies: before Scrapy's proxy middleware and the identity, which follow its choice.
    It hears of every answer before a redirect or retry is made of it, so that no copy carries a proxy's credentials.
    Requests of other jobs are left alone, with the environment's proxy where there is one.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._section = self._runtime.config.proxies
        self._hosts: dict[str, str] = {}
        if self._section.paid or self._section.paid_file:
            self._runtime.proxies.paid  # noqa: B018 - what is wrong with one's own proxies stops the start

    async def process_request(self, request: Request) -> None:
        """Names the proxy.

        Raises:
            IgnoreRequest: the job demands a proxy and none can be had; the request was queued again.
        """
        job, place = self._job(request), site_of(request)
        if job is None or not job.proxies or place is None:
            return
        _clean(request)
        live = self._runtime.proxies
        await live.refresh()
        self._runtime.note("articlebot/proxies/pool", len(live.pool))
        direct = job.proxies != "required"
        way = self._choose(request, job, place, direct=direct)
        if way is None:
            way = await self._wait(request, job, place)
        request.meta[WAY] = way
        proxy = live.pool.get(way)
        if proxy is None:
            count(self._crawler, "direct")
            return
        count(self._crawler, "through_proxy")
        request.meta["proxy"] = proxy.url
        patience = float(request.meta.get("download_timeout") or self._crawler.settings.getfloat("DOWNLOAD_TIMEOUT"))
        request.meta["download_timeout"] = min(patience, self._section.timeout_s)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer, or the request again where it says nothing about the page but about its way."""
        way, place = request.meta.get(WAY), site_of(request)
        if way is None or place is None:
            return response
        _clean(request)
        if response.status == 200:
            return response  # what it holds is judged when it is decompressed
        again = await judge(self._crawler, request, way, place, status=response.status)
        if again is None and self._is_the_sites(way, place) and refuses(self._crawler, request, response):
            return request
        return again or response

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """The request again by another way, where the way may be to blame.

        Where its host is, because it is silent without a proxy or through several, the request goes back to the queue.
        """
        way, place = request.meta.get(WAY), site_of(request)
        if way is None or place is None:
            return None
        _clean(request)
        if isinstance(exception, IgnoreRequest):
            return None
        again = await judge(self._crawler, request, way, place, failure=failure_name(exception))
        fault = fault_of(exception)
        if again is None and fault and self._is_the_sites(way, place):
            return request if does_not_answer(self._crawler, request, fault) else None
        return again

    def _is_the_sites(self, way: str, place: str) -> bool:
        pool = self._runtime.proxies.pool
        return way == DIRECT or pool.site_fails(place, way) or pool.site_refuses(place, way)

    def _choose(self, request: Request, job: Job, place: str, *, direct: bool) -> str | None:
        pool, tried = self._runtime.proxies.pool, request.meta.get(TRIED, ())
        if direct and len(tried) >= TRIES - 1 and DIRECT not in tried:
            return DIRECT  # the last try is the way that no proxy can spoil
        return pool.choose(job.name, place, self._runtime.now(), tried=tried, direct=direct)

    async def _wait(self, request: Request, job: Job, place: str) -> str:
        """The way of a job that demands a proxy, once the pool was read anew."""
        count(self._crawler, "waited")
        ends_at = self._runtime.now() + self._runtime.proxies.reload_s + _POLL_S
        while self._runtime.now() < ends_at:
            await asyncio.sleep(_POLL_S)
            await self._runtime.proxies.refresh()
            if (way := self._choose(request, job, place, direct=False)) is not None:
                return way
        raise none_left(self._crawler, request, place)

    def _job(self, request: Request) -> Job | None:
        """The job of a request; for a host's robots.txt, which is of none, the one whose pages there demand a proxy."""
        book = followed_by(self._crawler.spider)
        if book is None or request.meta.get(META_KEY):
            return job_of(self._crawler.spider, request.meta)
        host = urlsplit(request.url).netloc
        if host not in self._hosts:
            if len(self._hosts) >= _MOST_HOSTS:
                self._hosts.clear()
            self._hosts[host] = next((j.name for j in book if j.proxies == "required" and j.owns(request.url)), "")
        return book.get(self._hosts[host])

    def jobs_changed(self) -> None:
        self._hosts.clear()


class ProxyWallsMiddleware(Component):
    """Judges what came through a way by what it holds; it stands after decompression and before Scrapy's retries."""

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The page, or the request again by another way where it is a wall."""
        way, place = request.meta.get(WAY), site_of(request)
        if way is None or place is None or response.status != 200:
            return response
        told = {"status": 200, "wall": _is_wall(response)} if response.body else {"failure": "cut_off"}
        return await judge(self._crawler, request, way, place, **told) or response


async def judge(
    crawler: Crawler, request: Request, way: str, place: str, *, status: int | None = None, failure: str = "",
    wall: bool = False,
) -> Request | None:  # fmt: skip
    """Tells the pool how a download ended; returns the request to try by another way, None where that is no help."""
    live = Runtime.of(crawler).proxies
    fails, refuses = live.pool.site_fails(place, way), live.pool.site_refuses(place, way)
    outcome = verdict(status, failure, wall=wall, site_fails=fails, site_refuses=refuses)
    refused = wall or outcome is Verdict.BAN
    live.pool.note_way(
        place, way, failed=outcome in (Verdict.PROXY, Verdict.SITE) and status != 407 and not refused, refused=refused
    )
    if way != DIRECT:
        count(crawler, outcome.value)
        await live.report(way, place, outcome)
    if outcome is Verdict.BAN or (outcome is Verdict.PROXY and way != DIRECT):
        logger.debug("%s by %s: %s", request.url, way, outcome.value)
        return _again(crawler, request, way)
    return None


def none_left(crawler: Crawler, request: Request, place: str) -> IgnoreRequest:
    """What to raise for a request that no proxy can serve; it is queued again for when one may.

    It waits longer than a crawl for cron would, so that this one ends.
    """
    runtime, scheduler = Runtime.of(crawler), Scheduler.of(crawler)
    if scheduler is not None:
        scheduler.in_hand.postpone(request, runtime.config.frontier.idle_wait_s + runtime.proxies.reload_s)
    count(crawler, "none_left")
    if META_KEY in request.meta:  # robots.txt is nobody's page
        fault = "proxies_fail" if len(runtime.proxies.pool) else "no_proxy"
        crawler.signals.send_catch_log(unanswered, request=request, fault=fault)
    return IgnoreRequest(f"{PUT_OFF}: no proxy for {place}, and its job demands one")


def count(crawler: Crawler, name: str) -> None:
    """Counts one of the component's outcomes."""
    Runtime.of(crawler).count(f"proxies/{name}")


def _again(crawler: Crawler, request: Request, way: str) -> Request | None:
    runtime = Runtime.of(crawler)
    tried = [*request.meta.get(TRIED, ()), way]
    if len(tried) >= TRIES or not len(runtime.proxies.pool):
        request.meta[TRIED] = tried
        return None
    count(crawler, "retried")
    again = request.replace(dont_filter=True)
    again.meta[TRIED] = tried
    return again


def _clean(request: Request) -> None:
    """Takes the last way off a request, so that neither a copy nor a stored one carries it."""
    for name in ("proxy", "_auth_proxy", "_scheme_proxy"):
        request.meta.pop(name, None)
    request.headers.pop("Proxy-Authorization", None)


def _is_wall(response: Response) -> bool:
    is_small = 0 < len(response.body) <= _WALL_BYTES
    return is_small and "html" in header(response, "Content-Type") and kind(page_of(response)).name == "wall"
