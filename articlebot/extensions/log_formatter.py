"""How Scrapy's own messages read."""

from __future__ import annotations

import logging
from typing import Any

from redis.exceptions import RedisError
from scrapy import Request, Spider, logformatter
from scrapy.http import Response
from scrapy.logformatter import LogFormatterResult
from twisted.python.failure import Failure

from articlebot.errors import StoreUnavailable

_PUT_OFF = "%(url)s is put off: %(error)s"


class LogFormatter(logformatter.LogFormatter):
    """Scrapy's, but names an item by its address, and says of a store that is away what its own part has said once."""

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        url = getattr(item, "url", item)
        if isinstance(exception, StoreUnavailable | RedisError):
            return {"level": logging.DEBUG, "msg": _PUT_OFF, "args": {"url": url, "error": exception}}
        return super().item_error(url, exception, response, spider)

    def spider_error(
        self, failure: Failure, request: Request, response: Response | Failure, spider: Spider
    ) -> LogFormatterResult:
        if isinstance(failure.value, StoreUnavailable | RedisError):
            return {"level": logging.DEBUG, "msg": _PUT_OFF, "args": {"url": request.url, "error": failure.value}}
        return super().spider_error(failure, request, response, spider)
