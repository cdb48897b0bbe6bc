"""SimHash: 64 bits that stay close when a text changes a little (Charikar 2002; Manku, Jain, Das Sarma 2007).

Each word votes on each bit with its weight. The commonest words of Chinese and English do not vote: with them, stop
words decide the bits and unrelated articles meet by the hundred thousand. The words, the weights and the folding are
frozen with :data:`VERSION`; a stored fingerprint is only comparable with one of the same version. Texts under about 100
words are better compared exactly or by shingles: one replaced word moves more than 5 bits in half of the texts of 50
characters and in 87% of those of 15.
"""

from __future__ import annotations

import functools
import importlib
from collections import Counter

import numpy as np
import numpy.typing as npt

from articlebot.files import shipped
from articlebot.text.normal import fold
from articlebot.text.segmentation import segment_folded
from articlebot.text.shingles import digests

VERSION = 1
PACKAGE_VERSION = 101
MAX_CHARACTERS = 200_000
_BLOCK = 8_192
_MOST_REPEATS = 4_095


def fingerprint(text: str) -> int:
    """64-bit SimHash of a text's words; 0 only for a text without any visible character.

    Words weigh 1 + log2 of their count. A text of common words alone is taken with them, one without words (emoji,
    punctuation) by its characters. Only the first 200,000 characters are read: 60 ms of work.
    """
    folded = fold(text[:MAX_CHARACTERS])
    return of_words(segment_folded(folded)) or of_words(list(folded.replace(" ", "")))


def of_words(words: list[str]) -> int:
    """64-bit SimHash of folded words; 0 only for no words."""
    if not words:
        return 0
    counts = Counter(words)
    names = list(counts.keys() - common_words()) or list(counts)
    repeats = np.fromiter(map(counts.__getitem__, names), dtype=np.intp, count=len(names))
    return _vote(digests(names), _weights()[np.minimum(repeats, _MOST_REPEATS)]) or 1


def _vote(values: bytes, weights: npt.NDArray[np.float32]) -> int:
    rows = np.frombuffer(values, dtype=np.uint8).reshape(-1, 8)
    sums = np.zeros(64, dtype=np.float64)
    for start in range(0, len(rows), _BLOCK):
        bits = np.unpackbits(rows[start : start + _BLOCK], axis=1)
        sums += weights[start : start + _BLOCK] @ bits.astype(np.float32)
    majority = sums > weights.sum(dtype=np.float64) / 2
    return int.from_bytes(np.packbits(majority).tobytes(), "big")


@functools.cache
def _weights() -> npt.NDArray[np.float32]:
    """Weight by count, in whole sixteenths: their sums are exact in float32, so every machine finds the same bits."""
    counts = np.arange(_MOST_REPEATS + 1, dtype=np.float64)
    sixteenths: npt.NDArray[np.float64] = np.rint(16 + 16 * np.log2(np.maximum(counts, 1)))
    return sixteenths.astype(np.float32)


def distance(a: int, b: int) -> int:
    """Number of bits, 0 to 64, in which two fingerprints of the same version differ."""
    return (a ^ b).bit_count()


@functools.cache
def common_words() -> frozenset[str]:
    """The words that do not vote: function words among the 200 commonest of jieba's dictionary and of English news."""
    return frozenset(shipped("articlebot.text", "data/common_words.txt").split())


def package_fingerprint(text: str) -> int:
    """SimHash by the ``simhash`` package over all of jieba's words: the source designs' own, :data:`PACKAGE_VERSION`.

    0 for an empty text. Counts above 255 are cut to it: beyond, the package fails on NumPy 2.
    """
    counts = Counter(segment_folded(fold(text[:MAX_CHARACTERS])))
    if not counts:
        return 0
    package = importlib.import_module("simhash")
    # A dict, not a list: in a list a plain word inherits the weight of the pair before it.
    return int(package.Simhash({word: min(count, 255) for word, count in counts.items()}).value)
