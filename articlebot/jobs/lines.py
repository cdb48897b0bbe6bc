"""On which line of a TOML text a table or key stands."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from typing import Any

# What says where a line of its own begins: not within a text or a list of several lines.
_PIECE = re.compile(
    r"\n|#[^\n]*|[\[{]|[\]}]"
    r'|"""(?:[^\\"]|\\[\s\S]|"(?!""))*(?:"{3,5})?|"(?:[^"\\\n]|\\.)*"?'
    r"|'''(?:[^']|'(?!''))*(?:'{3,5})?|'[^'\n]*'?"
)
_PLAIN = re.compile(r"(\[\[?)([\w-]+(?:\.[\w-]+)*)\]\]?(?:\s|#|\Z)", re.A)  # nearly all headers, read in no time
_KEY = re.compile(r"^\s*([\w-]+|\"[^\"]+\"|'[^']+')\s*[.=]")


_Path = tuple[str | int, ...]


class Lines:
    """Line numbers of the tables and keys of a TOML text that is known to parse.

    Lines are those of TOML, which end with a line feed alone. They are looked for when one is asked for: most files
    are well.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    @cached_property
    def _headers(self) -> list[tuple[_Path, int]]:
        return [(path, number) for path, number, is_table in self._found if is_table]

    @cached_property
    def _at(self) -> dict[_Path, int]:
        return {path: number for path, number, _ in reversed(self._found)}

    @cached_property
    def _found(self) -> list[tuple[_Path, int, bool]]:
        """Paths with their lines, and whether it is a table's header."""
        found: list[tuple[_Path, int, bool]] = []
        counts: dict[str, int] = {}
        table: _Path = ()
        for number in _own(self._text):
            line = self._lines[number - 1]
            if line.lstrip().startswith("["):
                table = _table(line.strip(), counts)
                found.append((table, number, True))
            elif key := _KEY.match(line):
                found.append(((*table, key[1].strip("\"'")), number, False))
        return found

    def find(self, path: _Path) -> int | None:
        """The line of a table or key, None where it has none of its own."""
        return self._at.get(path) or self._at.get((*path, 0))

    def block(self, path: _Path) -> tuple[int, int] | None:
        """The first line of a table and that behind its last, with the remarks right above and below it.

        What stands apart from it, behind an empty line, is no part of it. None where it has no header of its own.
        """
        if (header := self._at.get(path)) is None:
            return None
        others = [line for table, line in self._headers if line > header and table[: len(path)] != path]
        end = self._top(min(others)) if others else len(self._lines) + 1
        behind = max(n for n in range(header, end) if self._lines[n - 1].strip() and not self._is_remark(n)) + 1
        while behind < end and self._is_remark(behind):
            behind += 1
        return self._top(header), behind

    def deepest(self, path: _Path) -> int | None:
        """The line of the longest beginning of a path that stands on a line of its own."""
        return next((self._at[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self._at), None)

    def _top(self, header: int) -> int:
        """The first of the remarks right above a header; itself where they go on from what stands above them."""
        top = header
        while top > 1 and self._is_remark(top - 1):
            top -= 1
        return top if top == 1 or not self._lines[top - 2].strip() else header

    def _is_remark(self, number: int) -> bool:
        return self._lines[number - 1].lstrip().startswith("#")


def _own(text: str) -> list[int]:
    """The numbers of the lines that begin outside of all texts and lists."""
    own, number, depth = [1], 1, 0
    for piece in _PIECE.finditer(text):
        first = piece[0][0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        elif first != "#":
            number += piece[0].count("\n")
            if first == "\n" and not depth:
                own.append(number)
    return own


def _table(line: str, counts: dict[str, int]) -> _Path:
    """The path of a table's header; ``counts`` has the number of the last one of each list of tables."""
    if plain := _PLAIN.match(line):
        parts, is_list = plain[2].split("."), plain[1] == "[["
    else:
        inner: Any = tomllib.loads(line)
        parts, is_list = [], False
        while inner:
            [(name, inner)] = inner.items()
            parts.append(name)
            if is_list := isinstance(inner, list):
                [inner] = inner
    if is_list and len(parts) == 1:
        counts[parts[0]] = counts.get(parts[0], -1) + 1
    here = (counts[parts[0]],) if parts[0] in counts else ()
    return (parts[0], *here, *parts[1:])
