"""What commands print: aligned tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Self

# Names that are few enough to be told all.
_FEW = 5


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


def printable(text: str) -> str:
    """Without what could steer a terminal: a page's title is anybody's."""
    return "".join(ch if ch.isprintable() else " " for ch in text)


class Progress:
    """A count on a terminal's last line, at most once a second; nothing where standard error is no terminal.

    Args:
        what: is counted, such as ``pages``.
    """

    def __init__(self, what: str) -> None:
        self._what, self._count = what, 0
        self._begun = self._told = time.monotonic()

    def step(self, number: int = 1) -> None:
        """Counts so many more."""
        self._count += number
        now = time.monotonic()
        if now - self._told >= 1 and sys.stderr.isatty():
            self._told = now
            rate = self._count / (now - self._begun)
            print(f"\r{self._count:,} {self._what}, {rate:,.0f} a second\033[K", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._told > self._begun:
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
