"""What the commands on the archive share: opening it, and reading times from the command line."""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.archive import Archive
from articlebot.config import Config
from articlebot.errors import ConfigError
from articlebot.publishing import Sinks, open_archive
from articlebot.runtime import clock
from articlebot.runtime.runtime import Runtime

_AGO = re.compile(r"(\d+(?:\.\d+)?)([mhdw])")
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


def archive(settings: Any, sinks: Sinks | None = None) -> Archive:
    """The configured archive; a context manager.

    Raises:
        ArticlebotError: it cannot be opened.
    """
    runtime = Runtime.from_settings(settings)
    return open_archive(runtime.database_url, runtime.config.archive, sinks, data_dir=runtime.config.general.data_dir)


def config(settings: Any) -> Config:
    """The configuration.

    Raises:
        UsageError: a setting is wrong; names it.
    """
    try:
        return Config.from_settings(settings)
    except ConfigError as error:
        raise UsageError(str(error), print_help=False) from None


def since(value: str | None) -> float | None:
    """Epoch seconds of a date, a date and time (local where no zone is given) or an age such as ``36h``.

    Raises:
        UsageError: none of these.
    """
    if value is None:
        return None
    if match := _AGO.fullmatch(value.strip()):
        return clock.now() - float(match[1]) * _UNITS[match[2]]
    try:
        return datetime.fromisoformat(value.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"--since {value!r}: expected a date, a date and time, or an age such as 90m, 36h, 7d, 2w", print_help=False
        ) from None


def reader_gone() -> None:
    """Ends quietly where the reader of a pipe has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
