"""A spider that could not be opened: what Scrapy logs when it closes it all the same."""

from __future__ import annotations

import logging

from scrapy import Spider

# Each of Scrapy's parts that never opened fails to close, with a traceback beside the line that says why.
_LOGGERS = ("scrapy.core.engine", "scrapy.utils.signal")


class _NoErrorsOf(logging.Filter):
    def __init__(self, spider: Spider) -> None:
        super().__init__()
        self._spider = spider

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno < logging.ERROR or getattr(record, "spider", None) is not self._spider


def close_quietly(spider: Spider) -> None:
    """From now on Scrapy's closing of this spider logs no errors: whoever started it says why it was not opened."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_NoErrorsOf(spider))
