"""A log that cannot be written, as on a full disk, is said so on one line."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress

from scrapy.utils.log import get_scrapy_root_handler

from articlebot.runtime.component import Component


class LogRoomExtension(Component):
    """Says once on standard error that the log cannot be written: Python prints two tracebacks for each line of it."""

    def spider_opened(self) -> None:
        """Not before: Scrapy replaces its handler after the extensions are built."""
        handler = get_scrapy_root_handler()
        if handler is not None:
            say_once(handler)


def say_once(handler: logging.Handler) -> None:
    """Has a handler say once that its file cannot be written; other faults are told as before."""
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
