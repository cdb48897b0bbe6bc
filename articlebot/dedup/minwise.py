"""One-permutation minwise hashing: a few bytes that estimate how much two sets of features share.

A bin keeps a small hash, its tag, of the heaviest-drawn feature that falls into it (Li, Owen, Zhang 2012; tags of few
bits as in b-bit minwise hashing, Li, König 2010; the draw is weighted as in Ioffe 2010).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articlebot.text import shingles

_SALT = np.uint64(0xA0761D6478BD642F)

Hashes = npt.NDArray[np.uint64]
Bodies = npt.NDArray[np.uint8]
Shares = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.intp]


def bins(features: Hashes, heavy: Marks, count: int, contexts: Hashes | None = None) -> Bodies:
    """The winner of each of ``count`` bins, at most 128, as a tag; ``heavy`` features weigh double.

    A tag is a byte of the feature's hash from 1 to 255; with ``contexts``, one for each feature, the upper half of it
    is of the feature, from 1 to 15, and the lower one of its context.
    """
    drawn = shingles.mix(features + _SALT)
    # The largest u ** (1 / weight) wins, u uniform; a square root is exact on every machine, a logarithm is not.
    draw = (drawn & np.uint64(0xFFFFFFFF)).astype(np.float64) / 2.0**32
    draw[heavy] = np.sqrt(draw[heavy])
    places = (drawn >> np.uint64(48)) * np.uint64(count) >> np.uint64(16)
    tags = (drawn >> np.uint64(32)) & np.uint64(0xFFFF)
    if contexts is None:
        tags = tags % np.uint64(255) + np.uint64(1)
    else:
        tags = (tags % np.uint64(15) + np.uint64(1)) << np.uint64(4) | shingles.mix(contexts) >> np.uint64(60)
    # Bin, draw and tag in one number: sorting these takes half as long as finding their order.
    ranked = np.sort(places << np.uint64(57) | (draw * 2.0**49).astype(np.uint64) << np.uint64(8) | tags)
    body = np.zeros(count, dtype=np.uint8)
    body[(ranked >> np.uint64(57)).astype(np.intp)] = ranked.astype(np.uint8)  # the last write to a bin stays
    return body


def jaccard(a: Bodies, b: Bodies) -> Shares:
    """Weighted Jaccard similarity of the features of each row of bins with those of the same row of the other."""
    return _corrected(np.count_nonzero((a == b) & (a != 0), axis=1), np.count_nonzero(a | b, axis=1), 1 / 255)


def jaccard_together(a: Bodies, b: Bodies) -> tuple[Shares, Shares]:
    """The same of bins with contexts, and the share of the common features that stand in the same context."""
    equal = (a >> np.uint8(4) == b >> np.uint8(4)) & (a != 0)
    shared = np.count_nonzero(equal, axis=1)
    together = _corrected(np.count_nonzero(equal & (a == b), axis=1), shared, 1 / 16)
    return _corrected(shared, np.count_nonzero(a | b, axis=1), 1 / 15), together


def _corrected(equal: Counts, all_: Counts, chance: float) -> Shares:
    """The share of equal ones, without those that are equal by chance."""
    shares: Shares = np.maximum(0.0, (equal / np.maximum(all_, 1) - chance) / (1 - chance))
    return shares
