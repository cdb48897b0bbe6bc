"""Tries each known proxy on pages of the crawl's own history and makes the good ones the pool."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

from scrapy import Request
from scrapy.http import Response

from articlebot.config import Proxies
from articlebot.errors import ConfigError, RefusedError
from articlebot.page import header
from articlebot.proxies import Proxy, Verdict, verdict
from articlebot.proxies.checks import Baseline, Look, Trial, addresses_in, can_pass, evaluate, leaks, sample
from articlebot.proxies.store import Record
from articlebot.runtime.download import fetch, limit_slot
from articlebot.spiders.apart import APART, ApartSpider
from articlebot.urls import canonical_url, site, subdomain

logger = logging.getLogger(__name__)
_PAGES = 40
_PROGRESS = 200
_SHOWN = 200_000
# The operator's own page is asked in parallel, even where it stands on a host of the history.
_JUDGE_SLOT = "articlebot-judge"
# The least number of which two passed are above, and one below, the share of 0.6 that the pool asks for.
_TRIALS = 3
# A host still gets one at a time.
_PARALLEL = 64
# A round draws five: a hundred rounds without a repeat.
_POOL_SIZE = 500
# Checked hourly, a proxy that was away for a night is still known.
_DROP_AFTER = 10
# Seconds after which a trial has failed: a little more than the slowest proxy that is taken (checks.MAX_MEDIAN_S).
TRIAL_S = 10.0
# Seconds between two trials at one host: as long as a person takes to click (ARTICLEBOT_DELAYS_CLICK_INTERVAL_S).
TRIAL_DELAY_S = 1.0


class ProxyCheckSpider(ApartSpider):
    """Checks proxies.

    A host of the history still gets one request at a time with a delay between, whatever the number of proxies. What
    does not even take a connection is sorted out first; the judge page, where there is one, then sorts out what hangs.

    Args:
        urls: pages to try on, separated by commas; absent: a sample of the crawl log.
        only: proxies to check, by key or address, separated by commas; absent: all that are known.
    """

    name = "proxy_check"
    # robots.txt was obeyed when the pages were crawled; asking for it through each proxy would only be more load.
    custom_settings = {**APART, "ROBOTSTXT_OBEY": False, "REDIRECT_ENABLED": False, "CONCURRENT_REQUESTS": 1000}

    def __init__(self, urls: str = "", only: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls = self.check_arguments(urls)
        self.only = {name.strip() for name in only.split(",") if name.strip()}
        self.pages: list[Baseline] = []
        self.secure: list[Baseline] = []
        self.own: frozenset[str] = frozenset()
        self.done = 0

    @staticmethod
    def check_arguments(urls: str = "", **_: Any) -> list[str]:
        """The pages that the argument names.

        Raises:
            ConfigError: one is no http or https URL.
        """
        try:
            return [canonical_url(url) for url in urls.split(",") if url.strip()]
        except RefusedError as error:
            raise ConfigError(f"-a urls: {error}") from None

    @property
    def section(self) -> Proxies:
        """The settings."""
        return self.runtime.config.proxies

    async def work(self) -> None:
        """The whole check, in bounded parallel."""
        store = self.runtime.proxies.store
        records = [record for record in await store.known() if not self.only or self.only & _names(record.proxy)]
        if not records:
            logger.warning("No proxy to check; see scrapy crawl proxy_lists and scrapy proxies add")
            self.runtime.end("no_proxies")
            return
        await self._look_directly()
        if not self.pages:
            self.runtime.end("no_pages")
            return
        room = asyncio.Semaphore(_PARALLEL)
        checked = await asyncio.gather(*(self._bounded(record, room, len(records)) for record in records))
        await self._keep(list(checked))

    async def _look_directly(self) -> None:
        """Fetches the pages without a proxy: what cannot be had so says nothing of one."""
        urls = self.urls or sample(self.runtime.config.general.data_dir / "logs", _PAGES, self.runtime.rng)
        for url in urls:
            limit_slot(self.crawler, subdomain(url), delay=TRIAL_DELAY_S)
        baselines = await asyncio.gather(*(self._baseline(url) for url in urls))
        self.pages = [page for page in baselines if page is not None]
        self.secure = [page for page in self.pages if page.url.startswith("https:")]
        judge = self.section.judge_url
        if judge:
            limit_slot(self.crawler, _JUDGE_SLOT, delay=0.0, parallel=_PARALLEL)
            answer = await self._fetch(judge)
            if isinstance(answer, Response):
                self.own = addresses_in(answer.body[:_SHOWN].decode("utf-8", "replace"))
        if not self.pages:
            # Without this a check while the own line is down would empty the pool.
            logger.warning("No page to try proxies on could be fetched directly (of %d); the pool stays", len(urls))

    async def _baseline(self, url: str) -> Baseline | None:
        answers = [await self._fetch(url), await self._fetch(url)]
        looks = tuple(_look(answer) for answer in answers if isinstance(answer, Response) and answer.status == 200)
        return Baseline(url, 200, looks) if len(looks) == len(answers) else None

    async def _bounded(self, record: Record, room: asyncio.Semaphore, total: int) -> Record:
        async with room:
            found = await self._check(record.proxy)
        self.done += 1
        if self.done % _PROGRESS == 0:
            logger.info("%d of %d proxies checked", self.done, total)
        self.count(found["reason"] or "good")
        return record.checked(self.runtime.now(), **found)

    async def _check(self, proxy: Proxy) -> dict[str, Any]:
        section = self.section
        if not await _reachable(proxy):
            return {**evaluate([], _TRIALS), "reason": "unreachable"}
        leaking = None
        if section.judge_url:
            answer = await self._fetch(section.judge_url, proxy)
            if not isinstance(answer, Response) or answer.status != 200:
                return evaluate([], _TRIALS)
            leaking = leaks(self.own, answer.body[:_SHOWN].decode("utf-8", "replace"), proxy.host)
        trials: list[Trial] = []
        honest: bool | None = None
        pages = self._choice(_TRIALS)
        for page in pages:
            if not can_pass(sum(t.passed for t in trials), len(trials), _TRIALS):
                break
            trial, tls = await self._try(page, proxy)
            trials.append(trial)
            honest = tls if honest is None or tls is False else honest
        return evaluate(trials, _TRIALS, leaking=leaking, honest_tls=honest)

    def _choice(self, count: int) -> list[Baseline]:
        """Pages for one proxy; one of them over TLS where there is any."""
        rng = self.runtime.rng
        chosen = rng.sample(self.pages, min(count, len(self.pages)))
        chosen += rng.choices(self.pages, k=count - len(chosen))
        if self.secure and not any(page in self.secure for page in chosen):
            chosen[-1] = rng.choice(self.secure)
        return chosen

    async def _try(self, page: Baseline, proxy: Proxy) -> tuple[Trial, bool | None]:
        """A trial, and whether TLS reached the site itself (None: not tried, or not told)."""
        secure, place = page in self.secure, site(page.url)
        answer = await self._fetch(page.url, proxy)
        if not isinstance(answer, Response):
            return Trial(place, passed=False), False if secure and "certificate" in str(answer).lower() else None
        passed = verdict(answer.status) is Verdict.OK and answer.status == page.status
        altered = page.altered(_look(answer)) if passed else None
        seconds = float(answer.meta.get("download_latency", 0.0))
        return Trial(place, passed, seconds, altered), True if secure and passed else None

    async def _fetch(self, url: str, proxy: Proxy | None = None) -> Response | Exception:
        slot = _JUDGE_SLOT if url == self.section.judge_url else subdomain(url)
        meta: dict[str, Any] = {"download_timeout": TRIAL_S, "download_slot": slot}
        if proxy is not None:
            meta["proxy"] = proxy.url
        try:
            return await fetch(self.crawler, Request(url, meta=meta))
        except Exception as error:  # whatever a stranger's proxy makes of a download is its result
            logger.debug("%s by %s: %r", url, proxy.key if proxy else "direct", error)
            return error

    async def _keep(self, checked: list[Record]) -> None:
        store = self.runtime.proxies.store
        lost = [r for r in checked if r.failed >= _DROP_AFTER and r.source != "added"]
        await store.write(checked)
        good = sorted((r for r in checked if not r.reason), key=lambda r: r.weight(""), reverse=True)
        if self.only:
            await store.leave_pool(r.proxy.key for r in checked if r.reason)
            await store.put_in_pool(good)
        else:
            await store.publish(good[:_POOL_SIZE])
        await store.remove(r.proxy.key for r in lost)
        self.count("forgotten", len(lost))
        reasons = ", ".join(f"{name} {n}" for name, n in sorted(Counter(r.reason for r in checked if r.reason).items()))
        logger.info("%d of %d proxies are good; %s", len(good), len(checked), reasons or "none failed")


async def _reachable(proxy: Proxy) -> bool:
    try:
        async with asyncio.timeout(TRIAL_S):
            _, writer = await asyncio.open_connection(proxy.host, proxy.port)
    except OSError:
        return False
    writer.close()
    return True


def _look(response: Response) -> Look:
    return Look.of(response.body, response.url, header(response, "Content-Type"))


def _names(proxy: Proxy) -> set[str]:
    return {proxy.key, proxy.masked, proxy.url, proxy.url.partition("://")[2]}
