"""What the commands on the archive share: opening it, and choosing among its articles."""

from __future__ import annotations

import argparse
import re
from datetime import datetime

from sqlalchemy import select

from articlebot.actions.output import like
from articlebot.archive import Archive, Route, Selection, nowhere, open_archive, schema
from articlebot.archive.days import begun
from articlebot.archive.engine import reading
from articlebot.config import Config
from articlebot.errors import ConfigError
from articlebot.runtime import clock
from articlebot.text.segmentation import choose as choose_segmenter

_AGO = re.compile(r"(\d+(?:\.\d+)?)([mhdw])")
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}
_FILTERS = ("site", "category", "job", "cluster", "language")


def archive(config: Config, route: Route = nowhere) -> Archive:
    """The configured archive; a context manager.

    Raises:
        ArticlebotError: it cannot be opened.
    """
    general = config.general
    choose_segmenter(general.segmenter)
    return open_archive(general.archive_url(), config.archive, route, data_dir=general.data_dir)


def selection(opened: Archive, opts: argparse.Namespace) -> Selection:
    """The articles that the filters among the options choose.

    Raises:
        ConfigError: a filter names what no article of the archive has, or no time.
    """
    refuse_unknown(opened, opts)
    given = {name: getattr(opts, name, None) for name in _FILTERS}
    return Selection(since=since(getattr(opts, "since", None)), **given)


def refuse_unknown(opened: Archive, opts: argparse.Namespace) -> None:
    """Refuses filters that no article meets: rather a misspelt name than a wish for nothing.

    Raises:
        ConfigError: names the filter and what is like its value.
    """
    with reading(opened.engine) as connection:
        for name in _FILTERS:
            value, column = getattr(opts, name, None), schema.articles.c[name]
            if value is None or connection.execute(select(column).where(column == value).limit(1)).first():
                continue
            known = [str(one) for one in connection.execute(select(column).distinct()).scalars() if one is not None]
            hint = like(value, known, "it has {}", "it has {} others")
            raise ConfigError(f"--{name} {value}: the archive has no article of it; {hint}")


def since(value: str | None) -> float | None:
    """Epoch seconds of a date, a date and time (local where no zone is given) or an age such as ``36h``.

    Raises:
        ConfigError: none of these.
    """
    try:
        return None if value is None else moment(value)
    except ValueError as error:
        raise ConfigError(f"--since {value!r}: {error}") from None


def moment(text: str) -> float:
    """Epoch seconds of a time as people write it, see ``since``.

    Raises:
        ValueError: it is none; says what is.
    """
    if match := _AGO.fullmatch(text.strip()):
        return clock.now() - float(match[1]) * _UNITS[match[2]]
    if (at := begun(text.strip(), clock.now())) is not None:
        return at
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            "expected a date, a date and time, today, yesterday, or an age such as 90m, 36h, 7d, 2w"
        ) from None
