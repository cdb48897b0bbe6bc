"""Sentences that the crawl has written down, in Chinese: they come as text, with their values in their places."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from articlebot.diagnosis.advice import chinese as of_reasons

# Values that hold sentences; the others are addresses, names and numbers, in which nothing is translated.
_SENTENCES = frozenset({"said", "again", "seeds", "wall"})
# Longer ones hold what is no word of the crawl.
_MOST = 2000
_ONE_WORD = frozenset({"host", "url", "number", "status", "seconds", "read"})


def in_chinese(text: str) -> str | None:
    """What a warning, a finding or a remark says, in Chinese; None where any of its sentences is not known."""
    if not text or len(text) > _MOST:
        return None if text else ""
    found = _sentence(text)
    if found is not None:
        return found
    # Sentences stand one behind the other, and any of them may have several parts.
    for mark, shown in ((". ", "。"), (", ", "，")):
        end = text.find(mark)
        while end >= 0:
            first = _sentence(text[:end])
            if first is not None:
                rest = in_chinese(text[end + len(mark) :])
                return None if rest is None else first + shown + rest
            end = text.find(mark, end + 1)
    return None


def _sentence(text: str) -> str | None:
    for parts, names, shown in _templates():
        values = _fitted(parts, names, text)
        if values is not None:
            told = {name: in_chinese(value) if name in _SENTENCES else value for name, value in values.items()}
            if None not in told.values():
                return shown.format_map(told)
    return None


@cache
def _templates() -> list[tuple[list[str], list[str], str]]:
    """The fixed parts of each sentence, the names of its values, and the sentence in Chinese; the longest first."""
    own = tomllib.loads((files("articlebot.console") / "said.toml").read_text("utf-8"))
    every = {**own, **of_reasons()}
    pieces = [(re.split(r"\{(\w+)\}", text), shown) for text, shown in every.items()]
    pieces.sort(key=lambda one: -sum(map(len, one[0][::2])))
    return [(split[::2], split[1::2], shown) for split, shown in pieces]


def _fitted(parts: list[str], names: list[str], text: str) -> dict[str, str] | None:
    """The values with which a sentence reads so; each ends where the next fixed part is first found."""
    if not names:
        return {} if text == parts[0] else None
    if not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return None
    values: dict[str, str] = {}
    begin, last = len(parts[0]), len(text) - len(parts[-1])
    for place, (name, part) in enumerate(zip(names, parts[1:], strict=True), 1):
        end = text.find(part, begin, last) if place < len(names) else last
        if end < begin:
            return None
        value = text[begin:end]
        if not value or (name in _ONE_WORD and " " in value) or values.get(name, value) != value:
            return None
        values[name], begin = value, end + len(part)
    return values
