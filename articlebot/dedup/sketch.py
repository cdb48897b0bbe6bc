"""What is kept of a text so that its near-duplicates can be found and told from merely similar texts.

A :class:`Sketch` has items, by which an index finds candidates, and a body, by which two texts are compared:

``words``   a byte for each of 72 bins: a hash of the heaviest-drawn run of two content words in the bin
            (one-permutation minwise hashing, Li, Owen, Zhang 2012, one byte a bin as in b-bit minwise hashing, Li,
            König 2010; the draw is weighted as in Ioffe 2010). Two of them estimate the weighted Jaccard similarity
            within about .06, and, with the two sizes, the containment of one text in the other. Then how many runs
            have a number, and 31 bins for these alone. Last, how many different words the text has, and 128 bins for
            these, of half a byte for the word and half a byte for the two words that follow it: editors change a text
            all over, which breaks most runs and few words; boilerplate is shared in one piece, which breaks neither.
``short``   up to 8 hashes of numbers and 56 of character runs, for titles and other texts of fewer than 40 words: exact
            up to as many.
``simhash`` the 64-bit fingerprint, for the source designs' rule.

Content words are all but the commonest (``simhash.common_words``). A template that is filled in anew (a filing, a
score, a weather report) keeps its words and changes its numbers, a reprint keeps both: so runs with a number weigh
double, and numbers are compared on their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from articlebot.dedup import minwise
from articlebot.dedup.minwise import Bodies, Hashes, Shares
from articlebot.text import fold, segment_folded, shingles, simhash

Kind = Literal["words", "short", "simhash"]

VERSION = 4  # of the sketches and of how they are laid out in Redis
# Half or twice as many bytes for runs, or numbers that weigh as much as words, change F1 by less than .005.
BINS, NUMBER_BINS = 72, 31  # and a byte between them
_RUNS_BYTES = BINS + 1 + NUMBER_BINS
WORD_BINS = 128  # after two bytes for the number of words
BODY_BYTES = _RUNS_BYTES + 2 + WORD_BINS
SHORT_NUMBERS, SHORT_HASHES = 8, 56  # two bytes each
_SHORT_BYTES = 2 * (SHORT_NUMBERS + SHORT_HASHES)
_NUMBER_WEIGHT = 2
SHORT_WORDS = 40
# With half of the runs in common, ten items of two texts have none in common in a thousandth of the cases (.5 ** 10).
ITEMS, SHORT_ITEMS = 10, 20
MAX_SIZE = 0x7FFF
_WORD = np.dtype([("hash", ">u8"), ("mark", "u1")])
_COMMON, _NUMBER = 1, 2
# Kana, Han and Hangul.
_WIDE = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3))
_LONG_RUN, _LONG_WIDE_RUN = 6, 3
_NUMBERS = re.compile(r"\d+")
_SPACES = re.compile(r"[\W_]+")
# Fewer runs with a number than this say nothing of a text.
_FEW_NUMBERS = 6

Tags = npt.NDArray[np.uint16]
Sizes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sketch:
    """``size`` is the weight of all features, 0 only where the text has none; ``items`` are 64-bit hashes."""

    kind: Kind
    size: int
    items: tuple[int, ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How much the texts of many pairs share, 0 to 1: a column each.

    Weighted ``jaccard``, ``containment`` of the smaller in the larger, and ``numbers``, the containment of the runs
    with a number (of the numbers, in short texts) alone; 1 where there are too few of them to say. ``larger`` is the
    share of the larger text that is in the smaller one; ``words``, the containment, and ``words_larger`` are the same
    two of single words; ``together`` is the share of the words in common that are followed by the same two. These are 0
    but between texts of 40 words and more.
    """

    jaccard: Shares
    containment: Shares
    numbers: Shares
    larger: Shares
    words: Shares
    words_larger: Shares
    together: Shares

    @classmethod
    def nothing(cls, count: int) -> Overlaps:
        """Those of pairs that share nothing."""
        none = np.zeros(count)
        return cls(none, none.copy(), np.ones(count), none.copy(), none.copy(), none.copy(), none.copy())


def of_text(text: str) -> Sketch:
    """The sketch of a text by its words, or by its characters where it has fewer than 40 words."""
    return of_texts([text])[0]


def of_texts(texts: Sequence[str]) -> list[Sketch]:
    """The sketches of many texts, step by step: so the tables of each step stay in the processor's cache."""
    folded = [fold(text[: simhash.MAX_CHARACTERS]) for text in texts]
    segmented = [segment_folded(text) for text in folded]
    return [
        _of_words(words) if len(words) >= SHORT_WORDS else _of_characters(text)
        for text, words in zip(folded, segmented, strict=True)
    ]


def of_fingerprint(fingerprint: int) -> Sketch:
    """The sketch that is a SimHash fingerprint alone; 0 (an empty text) has no items."""
    items = (fingerprint,) if fingerprint else ()
    return Sketch("simhash", len(items), items, fingerprint.to_bytes(8, "big"))


def compare_many(kind: Kind, a: Bodies, size_a: Sizes, b: Bodies, size_b: Sizes) -> Overlaps:
    """The overlap of each text of ``a`` with that of ``b`` in the same row, from their bodies and sizes."""
    found = Overlaps.nothing(len(a))
    if kind == "simhash":
        same = 1 - np.bitwise_count(a ^ b).sum(axis=1) / 64
        return replace(found, jaccard=same, containment=same)
    if kind == "short":
        one, two = (np.ascontiguousarray(body[:, :_SHORT_BYTES]).view(">u2").astype(np.uint16) for body in (a, b))
        jaccard = _hashes_jaccard(one[:, SHORT_NUMBERS:], two[:, SHORT_NUMBERS:])
        numbers = _hashes_containment(one[:, :SHORT_NUMBERS], two[:, :SHORT_NUMBERS])
    else:
        jaccard = minwise.jaccard(a[:, :BINS], b[:, :BINS])
        count_a, count_b = a[:, BINS].astype(np.int64), b[:, BINS].astype(np.int64)
        shared = minwise.jaccard(a[:, BINS + 1 : _RUNS_BYTES], b[:, BINS + 1 : _RUNS_BYTES])
        few = np.minimum(count_a, count_b) < _FEW_NUMBERS
        numbers = np.where(few, 1.0, _containment(shared, count_a, count_b))
        found = _compare_words(a[:, _RUNS_BYTES:], b[:, _RUNS_BYTES:], found)
        found = replace(found, larger=_share(jaccard, size_a, size_b, np.maximum(size_a, size_b)))
    nothing = np.minimum(size_a, size_b) == 0
    jaccard = np.where(nothing, 0.0, jaccard)
    contained = _containment(jaccard, size_a, size_b)
    return replace(found, jaccard=jaccard, containment=contained, numbers=np.where(nothing, 1.0, numbers))


def _compare_words(a: Bodies, b: Bodies, found: Overlaps) -> Overlaps:
    jaccard, together = minwise.jaccard_together(a[:, 2:], b[:, 2:])
    size_a, size_b = (body[:, 0].astype(np.int64) << 8 | body[:, 1] for body in (a, b))
    words = _containment(jaccard, size_a, size_b)
    larger = _share(jaccard, size_a, size_b, np.maximum(size_a, size_b))
    return replace(found, words=words, words_larger=larger, together=together)


def _containment(jaccard: Shares, size_a: Sizes, size_b: Sizes) -> Shares:
    return _share(jaccard, size_a, size_b, np.minimum(size_a, size_b))


def _share(jaccard: Shares, size_a: Sizes, size_b: Sizes, of: Sizes) -> Shares:
    shares: Shares = np.minimum(1.0, jaccard / (1 + jaccard) * (size_a + size_b) / np.maximum(of, 1))
    return shares


def _of_words(words: list[str]) -> Sketch:
    kept = np.frombuffer(b"".join(map(_words.__getitem__, words)), dtype=_WORD)
    kept = kept[kept["mark"] != _COMMON] if (kept["mark"] != _COMMON).any() else kept
    hashes, numbers = kept["hash"].astype(np.uint64), kept["mark"] == _NUMBER
    runs = shingles.shingles(hashes, 2)
    heavy = numbers[: len(runs)] | numbers[-len(runs) :]
    counted, plain = _unique(runs[heavy]), _unique(runs[~heavy])
    size = min(len(plain) + _NUMBER_WEIGHT * len(counted), MAX_SIZE)
    has_number = np.arange(len(plain) + len(counted)) >= len(plain)
    body = minwise.bins(np.concatenate((plain, counted)), has_number, BINS).tobytes() + bytes([min(len(counted), 255)])
    body += minwise.bins(counted, np.zeros(len(counted), dtype=np.bool_), NUMBER_BINS).tobytes()
    # Longer runs find candidates: they are rare enough that a million articles leave few.
    longer = shingles.longer(runs, hashes[2:]) if len(hashes) > 2 else runs
    body += _single_words(hashes, longer)
    return Sketch("words", size, _smallest(longer, ITEMS), body)


def _unique(features: Hashes) -> Hashes:
    """The features in rising order, each once. ``numpy.unique`` takes three times as long for a few hundred."""
    features = np.sort(features)
    return features[np.concatenate(([True], features[1:] != features[:-1]))[: len(features)]]


def _single_words(hashes: Hashes, longer: Hashes) -> bytes:
    """How many words there are, and the bins of these; the context of one are the two that follow it somewhere."""
    followed = longer[np.minimum(np.arange(len(hashes)), len(longer) - 1)]
    order = np.lexsort((followed, hashes))
    ordered = hashes[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    words = ordered[first]
    tags = minwise.bins(words, np.zeros(len(words), dtype=np.bool_), WORD_BINS, followed[order[first]])
    return min(len(words), MAX_SIZE).to_bytes(2, "big") + tags.tobytes()


class _Words(dict[str, bytes]):
    """For each word its hash, and a byte that says whether it is common or a number."""

    def __missing__(self, word: str) -> bytes:
        # A day's articles share most of their words; 2**16 of them take about 12 MB.
        if len(self) == 1 << 16:
            self.clear()
        mark = _COMMON if word in simhash.common_words() else _NUMBER if word[0].isdigit() else 0
        found = self[word] = shingles.digests([word]) + bytes([mark])
        return found


_words = _Words()


def _of_characters(folded: str) -> Sketch:
    """Runs of one and two characters of Chinese and the like, of two of alphabets; of three and six to find others."""
    text = _SPACES.sub(" ", folded).strip() or folded.replace(" ", "")
    if not text:
        return Sketch("short", 0, (), bytes(BODY_BYTES))
    codes, grams = shingles.character_runs(text, _LONG_RUN)
    wide = np.logical_or.reduce([(codes >= first) & (codes <= last) for first, last in _WIDE])
    # No run crosses from one kind of script into another; where there are fewer characters, one run is all of them.
    starts = np.flatnonzero(np.diff(wide, prepend=not wide[0]))
    lengths = np.diff(np.append(starts, len(codes)))
    there = np.repeat(lengths, lengths)
    left = np.repeat(starts + lengths, lengths) - np.arange(len(codes))

    def runs(size: npt.NDArray[np.intp]) -> Hashes:
        size = np.minimum(size, there)
        at = np.flatnonzero(left >= size)
        return grams[size[at] - 1, at]

    found = (runs(np.full(len(codes), 2)), grams[0, wide])
    items = runs(np.where(wide, _LONG_WIDE_RUN, _LONG_RUN))
    features = _unique(np.concatenate(found))
    seen = Counter(_NUMBERS.findall(text))
    # The second 10 of "10.10." is another one than the first.
    counted = [f"{number} {nth}" for number, count in seen.items() for nth in range(count)]
    numbers = _kept(shingles.hashes(counted), SHORT_NUMBERS)
    body = (numbers + _kept(features, SHORT_HASHES)).ljust(BODY_BYTES, b"\0")
    return Sketch("short", len(features), _smallest(items, SHORT_ITEMS), body)


def _kept(features: Hashes, count: int) -> bytes:
    """The smallest hashes of features, 16 bits of each, rising, then zeros."""
    kept = np.maximum(np.unique(shingles.mix(features))[:count] >> np.uint64(48), 1)
    return np.unique(kept).astype(">u2").tobytes().ljust(2 * count, b"\0")


def _common_range(a: Tags, b: Tags) -> tuple[Sizes, Sizes, Sizes]:
    """How many hashes each of two lists has, and both, as far as both lists go."""
    # A full list holds only the hashes up to its last; beyond, it says nothing.
    ends = [np.where(kept[:, -1] > 0, kept[:, -1], 0xFFFF) for kept in (a, b)]
    end = np.minimum(*ends)[:, None]
    one, two = (np.where(kept <= end, kept, 0) for kept in (a, b))
    both = np.sort(np.concatenate((one, two), axis=1), axis=1)
    equal = np.count_nonzero((both[:, 1:] == both[:, :-1]) & (both[:, 1:] > 0), axis=1)
    return np.count_nonzero(one, axis=1), np.count_nonzero(two, axis=1), equal


def _hashes_jaccard(a: Tags, b: Tags) -> Shares:
    one, two, both = _common_range(a, b)
    shares: Shares = both / np.maximum(one + two - both, 1)
    return shares


def _hashes_containment(a: Tags, b: Tags) -> Shares:
    one, two, both = _common_range(a, b)
    fewer = np.minimum(one, two)
    shares: Shares = np.where(fewer > 0, both / np.maximum(fewer, 1), 1.0)
    return shares


def _smallest(features: Hashes, count: int) -> tuple[int, ...]:
    return tuple(_unique(shingles.mix(features))[:count].tolist())
