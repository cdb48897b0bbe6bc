"""Hashed features of a text: words and pairs of neighbouring words, and runs of one to three characters.

Titles want characters, bodies want words (a body has enough of them), so the characters of a text weigh less the
longer it is. Everything but the segmentation is done for a whole batch at once by numpy.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from articlebot.classify.prediction import Text
from articlebot.text import fold_each, segment_folded

# Part of every model: weights belong to these features and to no others.
VERSION = 1
BITS = 22
SPACE = 1 << (BITS + 1)  # words in the lower half, characters in the upper

# The numbers below were tuned on splits of 45,000 training titles alone; see docs/benchmarks.md.
_MAX_CHARS = 4_000
_MAX_CHARACTERS = 400
_FULL_WEIGHT_CHARACTERS = 60
_CHARACTER_WEIGHT = 1.4
_RUNS = 3
# Odd numbers without a pattern: the golden ratio, and that of degski's mixer.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_DIGITS = {ord(digit): "0" for digit in "123456789"}
_BEGIN, _END = "\x02", "\x03"

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FeatureCounts:
    """Sparse rows of feature counts: row `i` is the slice `starts[i]:starts[i + 1]`; ids rise within a row."""

    starts: Ids
    ids: Ids
    counts: NDArray[np.int64]
    character_weight: Floats

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, order: Ids) -> FeatureCounts:
        """Some of these rows."""
        starts, places = _taken(self.starts, order)
        return FeatureCounts(starts, self.ids[places], self.counts[places], self.character_weight[order])


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse rows of weighted features, as `FeatureCounts`, with ids of a vocabulary."""

    starts: Ids
    ids: Ids
    values: Floats

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, rows: slice) -> Rows:
        """Neighbouring rows."""
        starts = self.starts[rows.start : rows.stop + 1]
        inside = slice(int(starts[0]), int(starts[-1]))
        return Rows(starts - starts[0], self.ids[inside], self.values[inside])

    def take(self, order: Ids) -> Rows:
        """These rows in another order."""
        starts, places = _taken(self.starts, order)
        return Rows(starts, self.ids[places], self.values[places])


def _taken(starts: Ids, order: Ids) -> tuple[Ids, Ids]:
    """Where chosen rows begin once they stand one after the other, and where each of their features stood before."""
    lengths = np.diff(starts)[order]
    begins = np.concatenate([[0], np.cumsum(lengths)])
    return begins, np.repeat(starts[order] - begins[:-1], lengths) + np.arange(begins[-1])


def count(texts: Sequence[Text]) -> FeatureCounts:
    """The features of each text with their counts. Only the first 4,000 characters of a text are read."""
    folded = fold_each([f"{title[:_MAX_CHARS]}\n{body[:_MAX_CHARS]}"[:_MAX_CHARS] for title, body in texts])
    rows, features = _word_features(folded)
    character_rows, character_features = _character_features(folded)
    keys = np.concatenate(
        [rows << (BITS + 1) | features, character_rows << (BITS + 1) | 1 << BITS | character_features]
    )
    keys.sort()
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(np.append(first, len(keys)))
    keys = keys[first]
    starts = np.searchsorted(keys >> (BITS + 1), np.arange(len(texts) + 1))
    lengths = np.array([max(1, len(text)) for text in folded], dtype=np.float32)
    weight = (_CHARACTER_WEIGHT * np.sqrt(np.minimum(1.0, _FULL_WEIGHT_CHARACTERS / lengths))).astype(np.float32)
    return FeatureCounts(starts, keys & (SPACE - 1), counts, weight)


def weigh(counts: FeatureCounts, lookup: NDArray[np.int32], rarity: Floats) -> Rows:
    """Counted features as weighted rows over a vocabulary.

    A feature weighs (1 + ln count) * rarity; the words of a row together have length 1, its characters the row's
    character weight. Features outside the vocabulary are left out.

    Args:
        lookup: place in the vocabulary by feature id, -1 outside.
        rarity: by place in the vocabulary.
    """
    rows = np.repeat(np.arange(len(counts)), np.diff(counts.starts))
    places = lookup[counts.ids]
    known = places >= 0
    rows, places = rows[known], places[known]
    values = (1.0 + np.log(counts.counts[known])).astype(np.float32) * rarity[places]
    half = 2 * rows + (counts.ids[known] >> BITS)
    length = np.sqrt(np.bincount(half, weights=values * values, minlength=2 * len(counts))).astype(np.float32)
    scale = np.where(length > 0, 1.0 / np.maximum(length, 1e-9), 0.0).astype(np.float32)
    scale[1::2] *= counts.character_weight
    starts = np.searchsorted(rows, np.arange(len(counts) + 1)).astype(np.int64)
    return Rows(starts, places.astype(np.int64), values * scale[half])


def _word_features(texts: Sequence[str]) -> tuple[Ids, Ids]:
    words = [segment_folded(text) for text in texts]
    rows = np.repeat(np.arange(len(texts)), [len(row) for row in words])
    hashes = np.fromiter((_word_hash(word) for row in words for word in row), np.uint64, len(rows))
    pairs = rows[:-1] == rows[1:]
    with np.errstate(over="ignore"):
        joined = (hashes[:-1] * _MULTIPLIER + hashes[1:])[pairs]
    return np.concatenate([rows, rows[:-1][pairs]]), _bucket(np.concatenate([hashes, joined]))


@functools.lru_cache(maxsize=1 << 18)
def _word_hash(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def _character_features(texts: Sequence[str]) -> tuple[Ids, Ids]:
    # Digits as one: "230 square metres" and "180 square metres" say the same.
    bounded = [f"{_BEGIN}{text[:_MAX_CHARACTERS].translate(_DIGITS)}{_END}" for text in texts]
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in bounded])
    codes = np.frombuffer("".join(bounded).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    found_rows, found = [], []
    hashes = codes
    for n in range(1, _RUNS + 1):
        if n > 1:
            with np.errstate(over="ignore"):
                hashes = hashes[:-1] * _MULTIPLIER + codes[n - 1 :]
        inside = rows[: len(hashes)] == rows[n - 1 :] if len(hashes) else np.zeros(0, bool)
        found_rows.append(rows[: len(hashes)][inside])
        found.append(_bucket(hashes[inside] + np.uint64(n)))
    return np.concatenate(found_rows), np.concatenate(found)


def _bucket(hashes: NDArray[np.uint64]) -> Ids:
    with np.errstate(over="ignore"):
        mixed = (hashes ^ (hashes >> np.uint64(29))) * _MIX
        mixed = (mixed ^ (mixed >> np.uint64(32))) * _MULTIPLIER
    return (mixed >> np.uint64(64 - BITS)).astype(np.int64)
