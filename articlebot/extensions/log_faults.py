"""What would fill the log and standard error with tracebacks, and is no fault of the crawl."""

from __future__ import annotations

import logging
import sys
import warnings
from contextlib import suppress
from functools import cache

from scrapy.crawler import Crawler
from scrapy.utils.log import get_scrapy_root_handler
from twisted.logger import globalLogBeginner

from articlebot.runtime.component import Component

# What Twisted says, at CRITICAL, of a certificate that names no host at all; the download fails, and says so.
_OF_A_SITE = "while verifying certificate"


class LogFaultsExtension(Component):
    """Says on one line that the log cannot be written, and leaves out what sites have caused inside Twisted."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.getLogger("twisted").addFilter(is_of_the_crawl)
        _begin()

    def spider_opened(self) -> None:
        """Not before: Scrapy replaces its handler after the extensions are built."""
        handler = get_scrapy_root_handler()
        if handler is not None:
            say_once(handler)


@cache
def _begin() -> None:
    """Ends that Twisted prints what is critical on standard error, beside the log that Scrapy leads; once a process."""
    shown = warnings.showwarning
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)
    warnings.showwarning = shown  # Python's warnings are Scrapy's affair


def is_of_the_crawl(record: logging.LogRecord) -> bool:
    """Whether a line of Twisted's speaks of this process, and not of a site's certificate."""
    return not record.getMessage().startswith(_OF_A_SITE)


def say_once(handler: logging.Handler) -> None:
    """Has a handler say once that its file cannot be written, on standard error; other faults are told as before.

    Python prints two tracebacks for each line of a log on a full disk.
    """
    usual, said = handler.handleError, False

    def cannot(record: logging.LogRecord) -> None:
        nonlocal said
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            usual(record)
        elif not said:
            said = True
            with suppress(OSError):
                sys.stderr.write(f"articlebot: the log cannot be written: {error.strerror or error}\n")

    handler.handleError = cannot  # type: ignore[method-assign]
