"""Texts and queries as the words of the full-text index."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import chain, islice

from articlebot.text import fold, segment_folded

# PostgreSQL holds no more than 16,383 positions in a text, and an article of more words is a book.
MAX_WORDS = 16_000
_MAX_LENGTH = 40


def index_words(text: str) -> list[str]:
    """Words of a text in order, folded; before a long Chinese word those of which it is made, so that 大学 finds
    北京大学; English plurals as singulars."""
    words = segment_folded(fold(text))[:MAX_WORDS]
    return list(islice(chain.from_iterable(map(expand, words)), MAX_WORDS))


@functools.lru_cache(maxsize=1 << 17)
def expand(word: str) -> tuple[str, ...]:
    """What stands in the index for one folded word; itself comes last."""
    if word.isascii():
        return (_singular(word)[:_MAX_LENGTH],)
    if len(word) < 3 or not is_han(word):
        return (word[:_MAX_LENGTH],)
    return (*_parts(word), word[:_MAX_LENGTH])


def is_han(word: str) -> bool:
    """Whether the word is of Chinese characters."""
    return all("\u3400" <= ch <= "\u9fff" or ch >= "\U00020000" for ch in word)


def _parts(word: str) -> Iterator[str]:
    """The dictionary's words of two and three characters inside a longer one, as jieba's search mode has them."""
    for length in (2, 3):
        if length < len(word):
            for start in range(len(word) - length + 1):
                part = word[start : start + length]
                if segment_folded(part) == [part]:
                    yield part


def _singular(word: str) -> str:
    """Harman's "S" stemmer (How effective is suffixing?, JASIS 42, 1991): plurals only, nothing invented."""
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
