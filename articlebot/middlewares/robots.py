"""robots.txt by RFC 9309: what its rules say, and what is to be done while it cannot be had."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from time import monotonic
from typing import Any

from redis.exceptions import RedisError
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares import robotstxt
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler

from articlebot.errors import PUT_OFF, ROBOTS_UNREACHABLE
from articlebot.frontier.breaker import fault_of
from articlebot.frontier.scheduler import Scheduler
from articlebot.frontier.slots import slot_for
from articlebot.jobs.visit import ENTRIES, META_KEY
from articlebot.manners.robots_txt import MOST_BYTES, RobotsTxt
from articlebot.middlewares.moved import location_of
from articlebot.middlewares.proxies import WAY
from articlebot.runtime import Runtime
from articlebot.runtime.usage import RESERVATIONS_PATH
from articlebot.times import parse_retry_after
from articlebot.urls import origin_of

logger = logging.getLogger(__name__)
# RFC 9309, 2.4: a copy is used for no more than a day.
_KEPT_S = 86_400.0
_ASK_AGAIN_S = 600.0
# What a server asks for to be waited is waited at once, so often and of so many seconds at most.
_MOST_WAITS, _MOST_WAIT_S = 3, 60.0
# What was put off before it was asked for, as without a proxy, is asked for as soon as that changes.
_PUT_OFF_S = 1.0
_MOST_KEPT = 20_000
# More than any file that is announced: the length of one may be 20 MB and more, and its first lines still count.
_ANY_SIZE = 1 << 40
# In the meta of the request for the file: bytes of it that have come.
_READ = "articlebot_robots_read"


@dataclass(slots=True)
class _Answer:
    """What came of asking for a robots.txt.

    Attributes:
        until: monotonic time up to which it is used.
        rules: None where it is unreachable: all is disallowed.
        failure: what it failed with, None where a server said that it failed.
        status: that server's, 0 for none.
        reserved: asks for the host's reservations, None while nothing needs them.
    """

    until: float
    rules: RobotParser | None = None
    failure: Exception | None = None
    status: int = 0
    reserved: asyncio.Future[None] | None = None


class RobotsMiddleware(robotstxt.RobotsTxtMiddleware):
    """Scrapy's middleware with the RFC's answers to what can become of the file (section 2.3.1).

    Had: its rules hold, for a day. Not there (4xx, or more than five redirects): all is allowed. Unreachable (5xx, 429
    or no answer): nothing is fetched until it answers, and a page of it has failed, to be visited again. The file is
    that of scheme, host and port. Workers that share a Redis share what was had, for the rest of its day; without
    ``REDIS_URL`` those of one run do.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        assert crawler.stats is not None
        self._stats = crawler.stats  # Scrapy's own has it from 2.15 on
        self._begun = monotonic()
        self._asked: dict[str, asyncio.Future[_Answer]] = {}
        self._largest = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        crawler.signals.connect(self._cut, signals.bytes_received)

    async def process_request(self, request: Request, spider: Any = None) -> None:
        """Nothing.

        Raises:
            IgnoreRequest: the rules forbid it, or it waits for them.
            Exception: what the download of the file failed with, where its host does not answer.
        """
        if request.meta.get("dont_obey_robotstxt") or request.url.startswith(("data:", "file:")):
            return
        answer = await self._answer(request)
        if answer.rules is None:
            raise self._waiting(request, answer)
        self.process_request_2(answer.rules, request)
        if META_KEY in request.meta and request.meta[META_KEY].get("kind") not in ENTRIES:
            await self._reserve(answer, answer.rules, request)

    async def _answer(self, request: Request) -> _Answer:
        place = origin_of(request.url)
        asked = self._asked.get(place)
        if asked is None or _is_over(asked):
            if len(self._asked) >= _MOST_KEPT:
                self._asked = {name: one for name, one in self._asked.items() if not _is_over(one)}
            asked = self._asked[place] = asyncio.ensure_future(self._ask(place, request))
        # Whoever gives up waiting does not end it for the others.
        return await asyncio.shield(asked)

    async def _ask(self, place: str, waiting: Request) -> _Answer:
        assert self.crawler.engine is not None
        if (shared := await self._shared(place, waiting)) is not None:
            body, left = shared
            return await self._had(place, body, waiting, left)
        request = Request(
            f"{place}/robots.txt", priority=self.DOWNLOAD_PRIORITY, callback=NO_CALLBACK,
            meta={"dont_obey_robotstxt": True, "download_maxsize": _ANY_SIZE, _READ: 0},
        )  # fmt: skip
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self.crawler.engine.download_async(request)
            # A server that is overloaded says when it is not: without the file nothing else can be asked.
            for _ in range(_MOST_WAITS):
                wait = self._wait(response)
                if wait is None or wait > _MOST_WAIT_S:
                    break
                await asyncio.sleep(wait)
                response = await self.crawler.engine.download_async(request)
        except IgnoreRequest as error:
            if "max redirections" in str(error):
                return await self._had(place, b"", waiting)
            return _Answer(monotonic() + _PUT_OFF_S, failure=error)
        except Exception as error:  # whatever it is: without the file nothing is fetched
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            logger.info("%s cannot be had: %s", request, error)
            # A silent host is asked again with its next page; one behind a proxy may be heard later.
            silent = fault_of(error) is not None and "proxy" not in request.meta and WAY not in request.meta
            return _Answer(monotonic() + (0.0 if silent else _ASK_AGAIN_S), failure=error)
        return await self._answered(place, response, waiting)

    def _cut(self, data: bytes, request: Request) -> None:
        """Reads no more of a file than its rules are taken from: one of any size is had, as RFC 9309, 2.5, wants."""
        if (read := request.meta.get(_READ)) is None:
            return
        # What it unpacks to is bounded as any page is.
        request.meta["download_maxsize"] = self._largest
        request.meta[_READ] = read + len(data)
        if read + len(data) > MOST_BYTES:
            raise StopDownload(fail=False)

    async def _answered(self, place: str, response: Response, waiting: Request) -> _Answer:
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if response.status >= 500 or response.status == 429:
            wait = self._wait(response)
            logger.info("%s answers %d: nothing is fetched there until it can be had", response.url, response.status)
            return _Answer(monotonic() + min(max(wait or 0.0, _ASK_AGAIN_S), _KEPT_S), status=response.status)
        body = response.body if 200 <= response.status < 300 else b""
        if META_KEY in waiting.meta:  # for the other workers, and for `scrapy explain`
            try:
                await Runtime.of(self.crawler).usage.share_robots(place, body)
            except (RedisError, OSError) as error:
                logger.info("%s is not shared with other workers: %s", response.url, error)
        return await self._had(place, body, waiting)

    def _wait(self, response: Response) -> float | None:
        """Seconds after which a server that cannot answer now wants to be asked again; None where it does not say."""
        failed = response.status >= 500 or response.status == 429
        stated = response.headers.get("Retry-After") if failed else None
        return parse_retry_after(stated, Runtime.of(self.crawler).now())

    async def _shared(self, place: str, waiting: Request) -> tuple[bytes, float] | None:
        """What another worker has had, and for how long it holds; None where it is to be fetched."""
        runtime = Runtime.of(self.crawler)
        if META_KEY not in waiting.meta:
            return None
        try:
            shared = await runtime.usage.shared_robots(place)
        except (RedisError, OSError) as error:
            logger.info("%s/robots.txt is asked for, whoever has it: %s", place, error)
            return None
        if shared is None or runtime.config.general.redis_url:
            return shared
        # Each run with a Redis of its own asks anew; what came since this process began is of a worker beside it.
        return shared if _KEPT_S - shared[1] <= monotonic() - self._begun else None

    async def _had(self, place: str, body: bytes, waiting: Request, kept_s: float = _KEPT_S) -> _Answer:
        rules = build_from_crawler(self._parserimpl, self.crawler, body)
        if META_KEY in waiting.meta:
            own, usage = rules if isinstance(rules, RobotsTxt) else None, Runtime.of(self.crawler).usage
            usage.keep(place, own)
            delay = None if own is None else own.crawl_delay(usage.agent)
            if delay is not None and (scheduler := Scheduler.of(self.crawler)) is not None:
                # Whoever fetched the file knows; another worker may have. The host's other files take nothing back.
                scheduler.delays.learn(slot_for(place).host, delay)
        if (parsed := getattr(signals, "robots_parsed", None)) is not None:  # Scrapy 2.15
            await self.crawler.signals.send_catch_log_async(parsed, robotparser=rules, request=waiting)
        return _Answer(monotonic() + kept_s, rules)

    async def _reserve(self, answer: _Answer, rules: RobotParser, request: Request) -> None:
        """Has the reservations of the host of a page that may be published; lists and feeds are not."""
        if answer.reserved is None:
            answer.reserved = asyncio.ensure_future(self._keep_reservations(origin_of(request.url), rules))
        await asyncio.shield(answer.reserved)

    async def _keep_reservations(self, place: str, rules: RobotParser) -> None:
        Runtime.of(self.crawler).usage.reserve(place, await self._reservations(place, rules))

    async def _reservations(self, place: str, rules: RobotParser) -> bytes:
        """The file of a host's reservations, which the rules must allow; empty where there is none."""
        assert self.crawler.engine is not None
        usage = Runtime.of(self.crawler).usage
        request = Request(
            f"{place}{RESERVATIONS_PATH}", priority=self.DOWNLOAD_PRIORITY, callback=NO_CALLBACK,
            meta={"dont_obey_robotstxt": True, "dont_retry": True, "dont_redirect": True},
        )  # fmt: skip
        try:
            stored = await usage.stored(place)
            if stored is not None or not rules.allowed(request.url, usage.agent):
                return stored or b""
            response = await self.crawler.engine.download_async(request)
            there = location_of(request, response)
            if 300 <= response.status < 400 and slot_for(there).host == slot_for(place).host:
                response = await self.crawler.engine.download_async(request.replace(url=there))
            elif 300 <= response.status < 400:
                # The turn of another host may be with a page that waits for one of this: each would wait for the other.
                return await usage.stored(origin_of(there)) or b""
            return await usage.store(place, response.body if response.status == 200 else b"")
        except Exception as error:  # whatever it is: a page is not lost for it
            logger.info("%s cannot be had: %s", request, error)
            return b""

    def _waiting(self, request: Request, answer: _Answer) -> Exception:
        """What to raise for a request whose host's rules cannot be had."""
        failure = answer.failure
        if failure is not None and answer.until <= monotonic() and not isinstance(failure, IgnoreRequest):
            return failure  # its host is silent: the slots' middleware takes the page back
        if isinstance(failure, IgnoreRequest) and not str(failure).startswith("the slot of"):
            if str(failure).startswith(PUT_OFF) and (scheduler := Scheduler.of(self.crawler)) is not None:
                scheduler.in_hand.postpone(request, _PUT_OFF_S)
            return IgnoreRequest(str(failure))  # the page would be refused for the same reason
        self._stats.inc_value("robotstxt/unreachable")
        return IgnoreRequest(f"{ROBOTS_UNREACHABLE} ({failure or answer.status})")


def _is_over(asked: asyncio.Future[_Answer]) -> bool:
    return asked.done() and asked.result().until <= monotonic()
