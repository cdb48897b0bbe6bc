"""Second look at each block: what the first classifier thinks of its neighbours, its containers and its likes.

This is stacking: the first look's probabilities are features of the second. It does what smoothing along the page and
up the tree would do by hand, and learns how far to trust each.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from articlebot.extraction.generic.blocks import Block
from articlebot.extraction.generic.features import Array, levels_of, shifted

_OFFSETS: Final = (-3, -2, -1, 1, 2, 3)
_LEVELS: Final = 4
NAMES: Final[list[str]] = [
    "first",
    *(f"first{offset:+d}" for offset in _OFFSETS),
    *(f"level{n}_{what}" for n in range(_LEVELS) for what in ("mean", "part")),
    *("like_mean like_part passed mass share window from_first from_last since until".split()),
]


def compute(blocks: list[Block], base: Array, first: Array) -> Array:
    """``base`` with one column per :data:`NAMES` added.

    Args:
        base: from ``features.compute``.
        first: the first classifier's probability of each block.
    """
    count = len(blocks)
    unit = np.expm1(base[:, 0])
    units_before = np.concatenate([[0.0], np.cumsum(unit)])
    mass_before = np.concatenate([[0.0], np.cumsum(unit * first)])
    total = max(float(mass_before[-1]), 1e-6)
    columns = [first, *(shifted(first, offset, -1.0) for offset in _OFFSETS)]
    spans = _level_spans(blocks)
    for level in range(_LEVELS):
        start, end = spans[:, 2 * level], spans[:, 2 * level + 1]
        mass = mass_before[end] - mass_before[start]
        columns += [mass / np.maximum(units_before[end] - units_before[start], 1e-6), mass / total]
    code = _likes(blocks)
    like_units, like_mass = np.bincount(code, weights=unit), np.bincount(code, weights=unit * first)
    columns += [(like_mass / np.maximum(like_units, 1e-6))[code], (like_mass / total)[code]]
    columns += [
        mass_before[:-1] / total,
        np.full(count, np.log1p(total)),
        np.full(count, total / max(float(units_before[-1]), 1.0)),
    ]
    ones = np.ones(17)
    near = np.convolve(unit, ones)[8 : 8 + count]
    columns.append(np.convolve(unit * first, ones)[8 : 8 + count] / np.maximum(near, 1e-6))
    columns += _distances(first, unit)
    return np.hstack([base, np.stack(columns, axis=1).astype(np.float32)])


def _level_spans(blocks: list[Block]) -> np.ndarray:
    memo: dict[int, list[int]] = {}
    rows = []
    for block in blocks:
        row = memo.get(id(block.node))
        if row is None:
            row = memo[id(block.node)] = [edge for node in levels_of(block.node) for edge in (node.first, node.last)]
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def _likes(blocks: list[Block]) -> np.ndarray:
    """The same number for blocks whose element and parent have the same tags and names."""
    numbers: dict[tuple[str, str, str, str], int] = {}
    code = np.empty(len(blocks), dtype=np.int64)
    for index, block in enumerate(blocks):
        node, parent = block.node, block.node.parent
        key = (node.tag, node.names, parent.tag if parent else "", parent.names if parent else "")
        code[index] = numbers.setdefault(key, len(numbers))
    return code


def _distances(first: Array, unit: Array) -> list[np.ndarray]:
    """Blocks from the first and last sure one of the page, and from the nearest on either side."""
    count = len(first)
    sure = np.flatnonzero((first > 0.6) & (unit > 12))
    if not len(sure):
        sure = np.array([int(np.argmax(unit * first))])
    index = np.arange(count)
    after = np.searchsorted(sure, index, side="left")
    before = np.searchsorted(sure, index, side="right") - 1
    until = np.where(after < len(sure), sure[np.minimum(after, len(sure) - 1)] - index, 30)
    since = np.where(before >= 0, index - sure[np.maximum(before, 0)], 30)
    return [
        np.clip(index - sure[0], -20, 40),
        np.clip(index - sure[-1], -40, 20),
        np.minimum(since, 30),
        np.minimum(until, 30),
    ]
