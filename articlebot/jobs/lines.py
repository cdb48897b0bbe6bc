"""On which line of a TOML text a table or key stands."""

from __future__ import annotations

import re

_HEADER = re.compile(r"^\s*(\[\[?)\s*([\w.\"'-]+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([\w-]+|\"[^\"]+\"|'[^']+')\s*[.=]")


class Lines:
    """Line numbers of the tables and keys of a TOML text that is known to parse."""

    def __init__(self, text: str) -> None:
        self._at: dict[tuple[str | int, ...], int] = {}
        self._headers: list[tuple[tuple[str | int, ...], int]] = []
        counts: dict[str, int] = {}
        table: tuple[str | int, ...] = ()
        for number, line in enumerate(text.splitlines(), 1):
            if header := _HEADER.match(line):
                parts: list[str] = [part.strip("\"'") for part in header[2].split(".")]
                if header[1] == "[[" and len(parts) == 1:
                    counts[parts[0]] = counts.get(parts[0], -1) + 1
                table = tuple(parts[:1])
                if parts[0] in counts:
                    table += (counts[parts[0]],)
                table += tuple(parts[1:])
                self._at.setdefault(table, number)
                self._headers.append((table, number))
            elif key := _KEY.match(line):
                self._at.setdefault((*table, key[1].strip("\"'")), number)

    def find(self, path: tuple[str | int, ...]) -> int | None:
        """The line of a table or key, None where it has none of its own."""
        return self._at.get(path) or self._at.get((*path, 0))

    def block(self, path: tuple[str | int, ...]) -> tuple[int, int | None]:
        """The first line of a table, and that of the next one that is no part of it; None where it is the last."""
        first = self._at[path]
        others = [line for table, line in self._headers if line > first and table[: len(path)] != path]
        return first, min(others, default=None)

    def deepest(self, path: tuple[str | int, ...]) -> int | None:
        """The line of the longest beginning of a path that stands on a line of its own."""
        return next((self._at[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self._at), None)
