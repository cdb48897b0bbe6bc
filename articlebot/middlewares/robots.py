"""Scrapy's robots.txt middleware, for which a host that is down is data and no error of ours."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import robotstxt

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RobotsMiddleware(robotstxt.RobotsTxtMiddleware):
    """The same rules. One dead site must not make each run for cron one that "finished with errors"; the page that
    waits for the file fails for the same reason and is counted."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not any(isinstance(known, _Demoting) for known in robotstxt.logger.filters):
            robotstxt.logger.addFilter(_Demoting())


class _Demoting(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno == logging.ERROR and str(record.msg).startswith("Error downloading"):
            record.levelno, record.levelname = logging.INFO, "INFO"
            record.exc_info = None
        return True
