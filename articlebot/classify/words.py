"""The words that classification, summaries and keywords count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from articlebot.text import fold, normalise, segment_folded

# A mark that folding leaves alone.
_BETWEEN = "\u2016"


class Word(NamedTuple):
    """A word as compared, as written, and whether punctuation stands before it."""

    folded: str
    written: str
    after_break: bool


def words(text: str) -> list[str]:
    """The words of a text in order: lower case, simplified characters, no punctuation."""
    return segment_folded(fold(text))


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """``words`` of each of many short texts; folding them together takes a fraction of folding each."""
    joined = _BETWEEN.join(text.replace(_BETWEEN, " ") for text in texts)
    return [segment_folded(text) for text in fold(joined).split(_BETWEEN)]


def written_words(text: str) -> list[Word]:
    """The words of a text with their own spelling."""
    normal, folded = normalise(text), fold(text)
    if len(normal) != len(folded):
        normal = folded  # a few letters change their length with their case
    found: list[Word] = []
    end = 0
    for word in segment_folded(folded):
        start = folded.find(word, end)
        if start < 0:
            continue
        broken = bool(folded[end:start].strip())
        end = start + len(word)
        found.append(Word(word, normal[start:end], broken))
    return found
