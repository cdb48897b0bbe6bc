"""Reading job files: TOML with ``[defaults]`` and one ``[[site]]`` block per site."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from articlebot.errors import JobFileError
from articlebot.jobs.model import Job

_HEADER = re.compile(r"^\s*(\[\[?)\s*([\w.\"'-]+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([\w-]+|\"[^\"]+\"|'[^']+')\s*[.=]")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")
_TABLES = {"defaults", "site"}


def load(paths: Sequence[Path]) -> list[Job]:
    """The enabled and disabled jobs of some files; a folder stands for all ``*.toml`` files below it.

    Raises:
        JobFileError: a file is missing or wrong, or a name stands twice; the first fault found.
    """
    jobs: dict[str, tuple[Job, Path]] = {}
    for path in _files(paths):
        for job, line in _load_file(path):
            if job.name in jobs:
                raise JobFileError(str(path), line, "name", f"{job.name!r} is already used in {jobs[job.name][1]}")
            jobs[job.name] = (job, path)
    return [job for job, _ in jobs.values()]


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(path.rglob("*.toml"))
            if not found:
                raise JobFileError(str(path), None, None, "the folder holds no .toml file")
            yield from found
        else:
            yield path


def _load_file(path: Path) -> Iterator[tuple[Job, int | None]]:
    text = _read(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT_LINE.search(str(error))
        what = _AT_LINE.sub("", str(error))
        raise JobFileError(str(path), int(match[1]) if match else None, None, f"not TOML: {what}") from None
    lines = _Lines(text)
    for key in data.keys() - _TABLES:
        raise JobFileError(str(path), lines.find((key,)), key, "unknown key; expected [defaults] or [[site]]")
    defaults, blocks = data.get("defaults", {}), data.get("site", [])
    if not isinstance(blocks, list) or not blocks:
        raise JobFileError(str(path), lines.find(("site",)), "site", "expected one [[site]] block or more")
    _check_defaults(path, defaults, lines)
    for index, block in enumerate(blocks):
        try:
            job = Job.model_validate({**defaults, **block})
        except ValidationError as error:
            raise _explain(path, lines, index, block, error) from None
        yield job, lines.find(("site", index, "name"))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise JobFileError(str(path), None, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise JobFileError(str(path), None, None, f"expected UTF-8: {error.reason}") from None


def _check_defaults(path: Path, defaults: Any, lines: _Lines) -> None:
    if not isinstance(defaults, dict):
        raise JobFileError(str(path), lines.find(("defaults",)), "defaults", "expected a table: [defaults]")
    for key in defaults:
        if key not in Job.model_fields or key == "name":
            line = lines.find(("defaults", key))
            raise JobFileError(str(path), line, f"defaults.{key}", f"unknown key; expected one of {_known()}")


def _explain(path: Path, lines: _Lines, index: int, block: dict[str, Any], error: ValidationError) -> JobFileError:
    first = error.errors()[0]
    loc = [part for part in first["loc"] if not (isinstance(part, str) and "[" in part)]
    key = str(loc[0]) if loc else ""
    expected = f"unknown key; expected one of {_known()}" if first["type"] == "extra_forbidden" else first["msg"]
    if first["type"] == "missing":
        line = lines.find(("site", index))
    elif key in block or not key:
        line = lines.deepest(("site", index, *loc))
    else:
        line = lines.find(("defaults", key)) or lines.find(("site", index))
    dotted = ".".join([f"site[{index}]", *(str(part) for part in loc)])
    expected = expected.removeprefix("Value error, ")
    if first["type"] not in ("missing", "extra_forbidden") and loc:
        expected += f" (got {first['input']!r})"
    return JobFileError(str(path), line, dotted, expected)


def _known() -> str:
    return ", ".join(sorted(Job.model_fields))


class _Lines:
    """Line numbers of the tables and keys of a TOML text that is known to parse."""

    def __init__(self, text: str) -> None:
        self._at: dict[tuple[str | int, ...], int] = {}
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
            elif key := _KEY.match(line):
                self._at.setdefault((*table, key[1].strip("\"'")), number)

    def find(self, path: tuple[str | int, ...]) -> int | None:
        return self._at.get(path) or self._at.get((*path, 0))

    def deepest(self, path: tuple[str | int, ...]) -> int | None:
        """The line of the longest beginning of a path that stands on a line of its own."""
        return next((self._at[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self._at), None)
