"""Scrapy's robots.txt middleware, for which a host that is down is data, and only for now."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import robotstxt
from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_ASK_AGAIN_S = 600.0
# What was put off before it was asked for, as without a proxy, is asked for as soon as that changes.
_PUT_OFF_S = 1.0


class RobotsMiddleware(robotstxt.RobotsTxtMiddleware):
    """The same rules, with two differences.

    A robots.txt that cannot be had is no error: one dead site must not make each run for cron one that "finished with
    errors"; the page that waits for the file fails for the same reason and is counted. And the file is asked for again:
    to Scrapy the failure of a moment is leave to fetch the whole site for as long as the crawl runs.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not any(isinstance(known, _Demoting) for known in robotstxt.logger.filters):
            robotstxt.logger.addFilter(_Demoting())

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        super()._robots_error(exc, netloc)
        after = _PUT_OFF_S if isinstance(exc, IgnoreRequest) else _ASK_AGAIN_S
        asyncio.get_running_loop().call_later(after, self._parsers.pop, netloc, None)


class _Demoting(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno == logging.ERROR and str(record.msg).startswith("Error downloading"):
            record.levelno, record.levelname = logging.INFO, "INFO"
            record.exc_info = None
        return True
