"""Scrapy's robots.txt middleware, for which a host that is down is data, and only for now."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import robotstxt
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser

_ASK_AGAIN_S = 600.0
# RFC 9309, 2.4: a copy is used for no more than a day.
_KEPT_S = 86_400.0
# What was put off before it was asked for, as without a proxy, is asked for as soon as that changes.
_PUT_OFF_S = 1.0


class RobotsMiddleware(robotstxt.RobotsTxtMiddleware):
    """The same rules, with three differences.

    A robots.txt that cannot be had is no error: one dead site must not make each run for cron one that "finished with
    errors"; the page that waits for the file fails for the same reason and is counted. And the file is asked for
    again: to Scrapy the failure of a moment is leave to fetch the whole site for as long as the crawl runs. One that
    was had is asked for anew after a day, since a crawl may run for months.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not any(isinstance(known, _Demoting) for known in robotstxt.logger.filters):
            robotstxt.logger.addFilter(_Demoting())

    async def robot_parser(self, request: Request) -> RobotParser | None:
        netloc = urlparse_cached(request).netloc
        if netloc not in self._parsers:
            self._forget_after(_KEPT_S, netloc)
        return await super().robot_parser(request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        super()._robots_error(exc, netloc)
        after = _PUT_OFF_S if isinstance(exc, IgnoreRequest) else _ASK_AGAIN_S
        self._forget_after(after, netloc)

    def _forget_after(self, seconds: float, netloc: str) -> None:
        asyncio.get_running_loop().call_later(seconds, self._forget, netloc)

    def _forget(self, netloc: str) -> None:
        if not isinstance(self._parsers.get(netloc), Deferred):  # one that is under way will be new
            self._parsers.pop(netloc, None)


class _Demoting(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno == logging.ERROR and str(record.msg).startswith("Error downloading"):
            record.levelno, record.levelname = logging.INFO, "INFO"
            record.exc_info = None
        return True
