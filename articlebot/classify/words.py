"""The words that classification, summaries and keywords count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from articlebot.text import fold, normalise, segment_folded

# A mark that folding leaves alone.
_BETWEEN = "\u2016"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: as compared, as written, and whether punctuation stands before each.

    Three lists, not a list of words: a text has thousands, and making an object for each took most of the time.
    """

    folded: list[str]
    written: list[str]
    after_break: list[bool]


def words(text: str) -> list[str]:
    """The words of a text in order: lower case, simplified characters, no punctuation."""
    return segment_folded(fold(text))


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """``words`` of each of many short texts; folding them together takes a fraction of folding each."""
    joined = _BETWEEN.join(text.replace(_BETWEEN, " ") for text in texts)
    return [segment_folded(text) for text in fold(joined).split(_BETWEEN)]


def written_words(text: str) -> Words:
    """The words of a text with their own spelling."""
    normal, folded = normalise(text), fold(text)
    if len(normal) != len(folded):
        normal = folded  # a few letters change their length with their case
    found, written, after_break = [], [], []
    end = 0
    for word in segment_folded(folded):
        start = folded.find(word, end)
        if start < 0:
            continue
        after_break.append(start > end and bool(folded[end:start].strip()))
        end = start + len(word)
        found.append(word)
        written.append(normal[start:end])
    return Words(found, written, after_break)
