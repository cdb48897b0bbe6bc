"""What is kept of a text so that its near-duplicates can be found and told from merely similar texts.

A :class:`Sketch` has items, by which an index finds candidates, and a body, by which two texts are compared:

``words``   128 bytes, one per bin: a hash of the heaviest-drawn run of two content words in the bin (one-permutation
            minwise hashing, Li, Owen, Zhang 2012, one byte a bin as in b-bit minwise hashing, Li, König 2010; the draw
            is weighted as in Ioffe 2010). Two of them estimate the weighted Jaccard similarity within about .04, and,
            with the two sizes, the containment of one text in the other.
``short``   up to 64 hashes of character runs, for titles and other texts of fewer than 40 words: exact up to 64 runs.
``simhash`` the 64-bit fingerprint, for the source designs' rule.

Content words are all but the commonest (``simhash.common_words``). Runs with a number weigh double: a template that is
filled in anew (a filing, a score, a caption) keeps its words and changes its numbers, a reprint keeps both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from articlebot.text import fold, segment_folded, shingles, simhash

Kind = Literal["words", "short", "simhash"]

VERSION = 1
BODY_BYTES = 128
SHORT_WORDS = 40
BINS = BODY_BYTES
SHORT_HASHES = BODY_BYTES // 2
ITEMS = 10
SHORT_ITEMS = 20
MAX_SIZE = 0x7FFF
_NUMBER_WEIGHT = 2
_SALT = np.uint64(0xA0761D6478BD642F)
_WIDE_CHARACTERS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WIDE = re.compile(f"[{_WIDE_CHARACTERS}]")
_UNITS = re.compile(rf"[{_WIDE_CHARACTERS}]|[^\W_{_WIDE_CHARACTERS}]+")
_SPACES = re.compile(r"[\W_]+")

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Sketch:
    """``size`` is the weight of all features, 0 only where the text has none; ``items`` are 64-bit hashes."""

    kind: Kind
    size: int
    items: tuple[int, ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much two texts share: weighted ``jaccard`` and ``containment`` of the smaller in the larger, 0 to 1."""

    jaccard: float
    containment: float


NOTHING = Overlap(0.0, 0.0)


def of_text(text: str) -> Sketch:
    """The sketch of a text by its words, or by its characters where it has fewer than 40 words."""
    folded = fold(text[: simhash.MAX_CHARACTERS])
    words = segment_folded(folded)
    return _of_words(words) if len(words) >= SHORT_WORDS else _of_characters(folded)


def of_fingerprint(fingerprint: int) -> Sketch:
    """The sketch that is a SimHash fingerprint alone; 0 (an empty text) has no items."""
    items = (fingerprint,) if fingerprint else ()
    return Sketch("simhash", len(items), items, fingerprint.to_bytes(8, "big"))


def compare(kind: Kind, a: bytes, size_a: int, b: bytes, size_b: int) -> Overlap:
    """The overlap of two texts of the same kind, from their bodies and sizes."""
    if kind == "simhash":
        same = 1 - simhash.distance(int.from_bytes(a, "big"), int.from_bytes(b, "big")) / 64
        return Overlap(same, same)
    if not size_a or not size_b:
        return NOTHING
    jaccard = _words_jaccard(a, b) if kind == "words" else _short_jaccard(a, b)
    shared = jaccard / (1 + jaccard) * (size_a + size_b)
    return Overlap(jaccard, min(1.0, shared / min(size_a, size_b)))


def _of_words(words: list[str]) -> Sketch:
    common = simhash.common_words()
    words = [word for word in words if word not in common] or words
    hashes = shingles.hashes(words)
    numbers = np.fromiter((word[0].isdigit() for word in words), dtype=bool, count=len(words))
    pairs, first = np.unique(shingles.shingles(hashes, 2), return_index=True)
    weights = np.ones(len(pairs), dtype=np.uint64)
    has_number = numbers[first] | numbers[np.minimum(first + 1, len(words) - 1)]
    weights[has_number] = _NUMBER_WEIGHT
    size = min(int(weights.sum()), MAX_SIZE)
    # Longer runs find candidates: they are rare enough that a million articles leave few.
    return Sketch("words", size, _smallest(shingles.shingles(hashes, 3), ITEMS), _bins(pairs, has_number))


def _bins(features: Hashes, heavy: npt.NDArray[np.bool_]) -> bytes:
    """The winner of each bin, as one byte from 1 to 255; 0 for an empty bin."""
    with np.errstate(over="ignore"):
        drawn = shingles.mix(features + _SALT)
    # The largest u ** (1 / weight) wins, u uniform; a square root is exact on every machine, a logarithm is not.
    draw = (drawn & np.uint64(0xFFFFFFFF)).astype(np.float64) / 2.0**32
    draw = np.where(heavy, np.sqrt(draw), draw)
    bins = (drawn >> np.uint64(57)).astype(np.intp)
    tags = ((drawn >> np.uint64(32)) & np.uint64(0xFFFF)) % np.uint64(255) + np.uint64(1)
    body = np.zeros(BINS, dtype=np.uint8)
    order = np.argsort(draw, kind="stable")
    body[bins[order]] = tags[order].astype(np.uint8)  # the last write to a bin stays
    return body.tobytes()


def _words_jaccard(a: bytes, b: bytes) -> float:
    one, two = np.frombuffer(a, dtype=np.uint8), np.frombuffer(b, dtype=np.uint8)
    filled = int(np.count_nonzero(one | two))
    equal = int(np.count_nonzero((one == two) & (one != 0)))
    chance = 1 / 255
    return max(0.0, (equal / filled - chance) / (1 - chance)) if filled else 0.0


def _of_characters(folded: str) -> Sketch:
    if _WIDE.search(folded):
        # Two letters of an alphabet say nothing; two Chinese characters are a word, as is a Latin word or a number.
        units = shingles.hashes(_UNITS.findall(folded))
        runs, items = np.unique(shingles.shingles(units, 2)), shingles.shingles(units, 3)
    else:
        text = _SPACES.sub(" ", folded).strip() or folded.replace(" ", "")
        runs, items = np.unique(shingles.character_shingles(text, 4)), shingles.character_shingles(text, 6)
    kept = np.maximum(np.sort(shingles.mix(runs))[:SHORT_HASHES] >> np.uint64(48), 1)
    return Sketch(
        "short",
        len(runs),
        _smallest(items, SHORT_ITEMS),
        np.unique(kept).astype(">u2").tobytes().ljust(BODY_BYTES, b"\0"),
    )


def _short_jaccard(a: bytes, b: bytes) -> float:
    one, two = (np.frombuffer(body, dtype=">u2") for body in (a, b))
    ends = [kept[-1] for kept in (one, two) if kept[-1]]
    one, two = one[one > 0], two[two > 0]
    if ends:
        # A full list holds only the hashes up to its last; beyond, it says nothing.
        one, two = one[one <= min(ends)], two[two <= min(ends)]
    both = len(np.intersect1d(one, two, assume_unique=True))
    return both / (len(one) + len(two) - both) if both else 0.0


def _smallest(features: Hashes, count: int) -> tuple[int, ...]:
    return tuple(np.unique(shingles.mix(features))[:count].tolist())
