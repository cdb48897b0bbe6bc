"""What commands print: aligned tables for people, JSON for programs."""

from __future__ import annotations

import argparse
import codecs
import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from difflib import get_close_matches
from math import inf
from typing import Any, Self

from scrapy.commands import ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.log import configure_logging

from articlebot.errors import reason
from articlebot.typed import as_typed

# Seconds between two lines of progress where they all stay, as in cron's mail.
_IN_A_LOG_S = 10.0
# Names that are few enough to be told all.
_FEW = 5


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


# What a terminal's encoding lacks, as JSON writes it: the output of ``--json`` stays JSON in any locale.
ESCAPED = "articlebot.escaped"
codecs.register_error(ESCAPED, _escaped)


def log_as_set(settings: Settings | None) -> None:
    """Has the log go where Scrapy's settings say.

    Raises:
        UsageError: that file cannot be written.
    """
    try:
        configure_logging(settings)
    except OSError as error:
        raise UsageError(f"LOG_FILE: {error.filename} cannot be written: {reason(error)}", print_help=False) from None


def say(text: str) -> None:
    """Says on a line of standard error what is no result; commands are named as they were typed."""
    print(f"articlebot: {as_typed(text)}", file=sys.stderr)


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as a table with a heading; wide characters count two columns, None is shown as a dash."""
    cells = [[_text(row.get(column)) for column in columns] for row in rows]
    heads = [column.replace("_", " ") for column in columns]
    widths = [max(_width(line[i]) for line in [heads, *cells]) for i in range(len(columns))]
    numeric = [bool(rows) and all(isinstance(row.get(c), int | float | None) for row in rows) for c in columns]
    return "\n".join(
        "  ".join(_pad(cell, widths[i], right=numeric[i]) for i, cell in enumerate(line)).rstrip()
        for line in [heads, ["-" * width for width in widths], *cells]
    )


def to_json(value: Any) -> str:
    """A value as readable JSON; characters stay as they are."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def like(value: str, known: Collection[str], few: str, many: str) -> str:
    """Which names were meant instead of one; where none is like it all of them, or how many there are.

    Args:
        few: said of few names, with a place for them.
        many: said of more, with a place for their number.
    """
    if near := get_close_matches(value, known, 3):
        return f"did you mean {' or '.join(near)}?"
    return many.format(f"{len(known):,}") if len(known) > _FEW else few.format(", ".join(sorted(known)) or "none")


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """What begins with ``--`` and may be typed."""
    return [one for one in parser._option_string_actions if one.startswith("--")]


def refuse_unknown(args: Sequence[str], options: Collection[str]) -> None:
    """Refuses options that a command does not have: Scrapy takes these for arguments.

    Args:
        args: as they were typed, without the options that are known.
        options: of the command, with their dashes.

    Raises:
        UsageError: there is one; names what is most like it.
    """
    for arg in args[: args.index("--")] if "--" in args else args:
        if re.match(r"--\w", arg):
            name = arg.partition("=")[0]
            near = get_close_matches(name, options, 1)
            raise UsageError(
                f"no option {name}; " + (f"did you mean {near[0]}?" if near else "see --help"), print_help=False
            )


def printable(text: str) -> str:
    """Without what could steer a terminal: a page's title is anybody's."""
    return "".join(ch if ch.isprintable() else " " for ch in text)


class Progress:
    """A count on a terminal's last line, at most once a second.

    Args:
        what: is counted, such as ``pages``.
        share: of the input that has been read, 0 to 1, None where nobody knows; for work that may take hours: it tells
            what is left of the time, and the count has a line every ten seconds where standard error is no terminal.
    """

    def __init__(self, what: str, share: Callable[[], float | None] | None = None) -> None:
        self._what, self._share = what, share or (lambda: None)
        self._count = self._known = 0
        self._known_share = 0.0
        self._begun = self._told = time.monotonic()
        self._every = 1.0 if sys.stderr.isatty() else inf if share is None else _IN_A_LOG_S

    def step(self, number: int = 1, *, known: bool = False) -> None:
        """Counts so many more; ``known`` are those that an earlier run had done, which took no time."""
        self._count += number
        now = time.monotonic()
        if known:
            self._known, self._known_share, self._begun = self._count, self._share() or 0.0, now
        if now - self._told < self._every:
            return
        self._told = now
        rate = (self._count - self._known) / max(1e-9, now - self._begun)
        text = f"{self._count:,} {self._what}, {rate:,.0f} a second{self._left(now)}"
        start, end = ("\r", "\033[K") if sys.stderr.isatty() else ("", "\n")
        print(f"{start}{text}", end=end, file=sys.stderr, flush=True)

    def _left(self, now: float) -> str:
        share = self._share()
        done = 0.0 if share is None else share - self._known_share
        if share is None or done <= 0:
            return ""
        left = (now - self._begun) * (1 - share) / done
        at = datetime.now().astimezone() + timedelta(seconds=left)
        return f", {share:.0%} read, done in about {timedelta(seconds=round(left))} (at {at:%H:%M})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._told > self._begun and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


class _HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's, which also takes a line of an option's help for a heading where a colon happens to end it."""

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        if part_strings and part_strings[0].startswith(" "):  # an option: its name and its lines
            return part_strings
        told: list[str] = []
        for part in part_strings:
            told += [part] if part.startswith(" ") else super().format_part_strings([part])
        return told


def say_as_typed(parser: argparse.ArgumentParser) -> None:
    """Has a command's help name the program that was typed."""
    parser.formatter_class = _HelpFormatter
    parser.usage = as_typed(parser.usage or "")
    parser.description = as_typed(parser.description or "")
