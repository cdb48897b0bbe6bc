"""The log as JSON, an object a line, for what collects logs."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from scrapy.crawler import Crawler
from scrapy.utils.log import get_scrapy_root_handler

from articlebot.errors import Off
from articlebot.runtime.component import Component


class JsonLogsExtension(Component):
    """Gives Scrapy's log handler another form. The lines before the spider is opened stay plain text.

    Raises:
        Off: ``ARTICLEBOT_OPERATIONS_JSON_LOGS`` is off.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self._runtime.config.operations.json_logs:
            raise Off("ARTICLEBOT_OPERATIONS_JSON_LOGS is off")

    def spider_opened(self) -> None:
        """Not before: Scrapy replaces its handler after the extensions are built."""
        handler = get_scrapy_root_handler()
        if handler is not None:
            handler.setFormatter(JsonFormatter(self._runtime.worker))


class JsonFormatter(logging.Formatter):
    """One object a line: at (ISO 8601, UTC), level, logger, message, worker, and exception where there is one.

    Args:
        worker: name of this worker, as in the crawl log.
    """

    def __init__(self, worker: str) -> None:
        super().__init__()
        self._worker = worker

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record; line ends inside it are escaped, so that no page can forge a line of the log."""
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "worker": self._worker,
        }
        if record.exc_info and record.exc_info[0] is not None:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
