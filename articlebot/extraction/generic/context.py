"""The second look: what the first look's probabilities say of a block's surroundings.

A block is judged again with those of its neighbours, of the blocks built like it and of the elements around it, because
what a page repeats is seen by no block alone: the posts of a stream, comments, teasers. After Wolpert, "Stacked
Generalization" (1992).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.generic.structure import LEVELS, Structure

Array = NDArray[np.float32]

_OFFSETS: Final = (-3, -2, -1, 1, 2, 3)
_REACH: Final = max(_OFFSETS)
_FAR: Final = 50  # blocks
_FAR_UNITS: Final = 5000.0
_WINDOW: Final = np.ones(21, dtype=np.float32)
NAMES: Final[list[str]] = [
    "chance",
    *(f"chance{offset:+d}" for offset in _OFFSETS),
    *"since_likely until_likely text_before text_after units_since units_until".split(),
    *"alike_mean alike_others alike_share".split(),
    *(f"level{n}_{what}" for n in range(LEVELS) for what in ("chance", "part")),
    *"likely_text certainty highest part around".split(),
]


def compute(chances: Array, units: Array, structure: Structure) -> Array:
    """One row of :data:`NAMES` per block.

    Args:
        chances: each block's probability by the first look.
        units: its length in words.
    """
    count = len(chances)
    mass = units * chances
    text = float(mass.sum()) + 1e-6
    upto = np.concatenate([[0.0], np.cumsum(mass)])
    words = np.concatenate([[0.0], np.cumsum(units)])
    at = np.arange(count)
    likely = np.flatnonzero(chances > 0.5)
    if not len(likely):
        likely = np.array([int(chances.argmax())])
    before = np.searchsorted(likely, at, side="right") - 1
    after = np.searchsorted(likely, at, side="left")
    last = np.where(before >= 0, likely[np.maximum(before, 0)], -1)
    following = np.where(after < len(likely), likely[np.minimum(after, len(likely) - 1)], count + _FAR)
    alike_units, alike_mass = structure.of_alike(units), structure.of_alike(mass)
    alone = structure.of_alike(np.ones_like(units)) < 2
    inside, held = structure.sums(mass), structure.sums(units) + structure.beyond
    near = np.full(count + 2 * _REACH, -0.2, dtype=np.float32)
    near[_REACH:-_REACH] = chances
    columns = [
        chances,
        *(near[_REACH + offset : _REACH + offset + count] for offset in _OFFSETS),
        np.where(last >= 0, np.minimum(at - last, _FAR), _FAR),
        np.minimum(following - at, _FAR),
        upto[:-1] / text,
        (text - upto[1:]) / text,
        np.log1p(np.maximum(np.where(last >= 0, words[:-1] - words[last + 1], _FAR_UNITS), 0)),
        np.log1p(
            np.maximum(np.where(following < count, words[np.minimum(following, count - 1)] - words[1:], _FAR_UNITS), 0)
        ),
        alike_mass / np.maximum(alike_units, 1e-6),
        np.where(alone, -1, (alike_mass - mass) / np.maximum(alike_units - units, 1e-6)),
        alike_mass / text,
        *structure.of_levels(inside / np.maximum(held, 1e-6), inside / text).T,
        np.log1p(text),
        (mass * chances).sum() / text,
        chances.max(),
        mass / text,
        _windowed(mass) / np.maximum(_windowed(units), 1e-6),
    ]
    made = np.empty((count, len(NAMES)), dtype=np.float32)
    for number, column in enumerate(columns):
        made[:, number] = column
    return made


def _windowed(values: Array) -> Array:
    half = len(_WINDOW) // 2
    return np.convolve(values, _WINDOW)[half : half + len(values)]
