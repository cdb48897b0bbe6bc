"""Labelled texts: reading and checking files of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from articlebot.classify.prediction import Text
from articlebot.errors import ConfigError

_MAX_LABEL = 120


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text with its classes: one, or several where a file's rows have ``labels``."""

    text: Text
    labels: tuple[str, ...]
    line: int = 0


def read_labelled(path: Path, *, known: Collection[str] | None = None) -> list[Labelled]:
    """The rows of a JSON Lines file: ``text``, or ``title`` and ``body``, with ``label`` or ``labels``.

    A label such as ``news/sport`` is a class in a tree; ``known`` are the only classes allowed, None allows all.

    Raises:
        ConfigError: a row is wrong; names file, line and reason.
    """
    return [_row(row, f"{path}:{line}", line, known) for line, row in _read(path)]


def read_texts(path: Path) -> list[tuple[dict[str, Any], Text]]:
    """The rows of a JSON Lines file with their texts, labelled or not.

    Raises:
        ConfigError: a row is wrong; names file, line and reason.
    """
    return [(row, _text(row, f"{path}:{line}")) for line, row in _read(path)]


def check_trainable(rows: Collection[Labelled], path: Path) -> None:
    """Raises ConfigError where nothing can be learned from the rows: none, or one class only."""
    if not rows:
        raise ConfigError(f"{path}: no rows; expected one JSON object a line with text and label")
    seen = Counter(label for row in rows for label in row.labels)
    if len(seen) < 2:
        only = ", ".join(map(repr, seen)) or "none"
        raise ConfigError(
            f"{path}: line 1 to {max(row.line for row in rows)}: one class only ({only}); expected two or more"
        )


def _read(path: Path) -> Iterable[tuple[int, dict[str, Any]]]:
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, _object(line, f"{path}:{number}")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where}: not UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ConfigError(f"{where}: expected an object with text and label")
    return row


def _row(row: dict[str, Any], where: str, line: int, known: Collection[str] | None) -> Labelled:
    text = _text(row, where)
    if ("label" in row) == ("labels" in row):
        raise ConfigError(f"{where}: expected either label or labels")
    given = [row["label"]] if "label" in row else row["labels"]
    if not isinstance(given, list):
        raise ConfigError(f"{where}: labels: expected a list of classes")
    labels = tuple(dict.fromkeys(_label(value, where) for value in given))
    for label in labels:
        if known is not None and label not in known:
            raise ConfigError(f"{where}: label: unknown class {label!r}; known are {', '.join(sorted(known))}")
    return Labelled(text, labels, line)


def _text(row: dict[str, Any], where: str) -> Text:
    keys = ("title", "body") if "text" not in row else ("text",)
    values = [row.get(key, "") or "" for key in keys]
    if not any(key in row for key in keys):
        raise ConfigError(f"{where}: text: missing; expected text, or title and body")
    if not all(isinstance(value, str) for value in values):
        raise ConfigError(f"{where}: {' or '.join(keys)}: expected a text")
    return (values[0], values[1]) if len(values) == 2 else ("", values[0])


def _label(value: Any, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: label: expected the name of a class")
    label = "/".join(part.strip() for part in value.strip().strip("/").split("/"))
    if len(label) > _MAX_LABEL or not all(label.split("/")):
        raise ConfigError(f"{where}: label: expected a name of at most {_MAX_LABEL} characters, no empty part")
    return label
