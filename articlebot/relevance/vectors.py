"""Keyword vectors of texts and their cosine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from articlebot.classify.stopwords import STOP_WORDS
from articlebot.text import Names, fold, segment_folded

Vector = Mapping[str, float]

_MAX_CHARS = 20_000
_MAX_KNOWN = 200_000


def terms(text: str, names: Names | None = None) -> Counter[str]:
    """How often each word of a text stands in it; without stop words, numbers and single letters."""
    words = (segment_folded if names is None else names.segment_folded)(fold(text[:_MAX_CHARS]))
    return Counter(word for word in words if word not in STOP_WORDS and not word.isnumeric() and _tells(word))


def _tells(word: str) -> bool:
    return len(word) > 1 or not word.isascii()


class Background:
    """In how many of the pages seen each word stands: what makes a word telling.

    A crawl begins without one and learns it from its own pages, so that "the site's name" or "click here" soon weigh
    nothing. Bounded: at 200,000 words those seen once are forgotten.
    """

    def __init__(self) -> None:
        self.pages = 0
        self.frequency: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Counts one page's distinct words."""
        self.pages += 1
        self.frequency.update(set(words))
        if len(self.frequency) > _MAX_KNOWN:
            self.frequency = Counter({word: count for word, count in self.frequency.items() if count > 1})

    def rarity(self, word: str) -> float:
        """Inverse document frequency, 1 for a word on every page."""
        return 1.0 + math.log((self.pages + 2.0) / (self.frequency.get(word, 0) + 1.0))


def vector(counts: Mapping[str, float], background: Background) -> dict[str, float]:
    """The keyword vector of counted words: (1 + ln count) * rarity, length 1; empty for no words."""
    weights = {
        word: (1.0 + math.log(count) if count >= 1 else count) * background.rarity(word)
        for word, count in counts.items()
        if count > 0
    }
    return unit(weights)


def unit(weights: Mapping[str, float]) -> dict[str, float]:
    """A vector of length 1 in the same direction."""
    length = math.sqrt(math.fsum(value * value for value in weights.values()))
    return {word: value / length for word, value in weights.items()} if length else {}


def cosine(a: Vector, b: Vector) -> float:
    """Cosine of two vectors of length 1, in [0, 1] where no weight is negative; 0 for an empty one."""
    if len(a) > len(b):
        a, b = b, a
    return min(1.0, math.fsum(value * b[word] for word, value in a.items() if word in b))
