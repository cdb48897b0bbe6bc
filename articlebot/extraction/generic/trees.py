"""Gradient-boosted trees from a data file: predicted with numpy alone, all rows and trees at once."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
# Rows at a time: what is gathered for more does not fit a core's cache, and takes a third longer.
_ROWS: Final = 128


class Trees:
    """A binary classifier.

    Each level of all trees lies in two arrays, as if no tree ended above the last one: where a node is place ``n`` of
    its level, its children are ``2n`` (not above the threshold) and ``2n + 1`` of the next. Nothing is above the
    threshold of a leaf.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.names: list[str] = data["names"]
        self.base: float = data["base"]
        children = np.stack([data["left"], data["right"]], axis=1).astype(np.intp)
        nodes = np.array(data["roots"], dtype=np.intp)
        self.roots = np.arange(len(nodes))
        # A leaf points at itself.
        inner = children[:, 0] != np.arange(len(children))
        feature = np.where(inner, data["feature"], 0).astype(np.intp)
        threshold = np.where(inner, data["threshold"], np.inf).astype(np.float32)
        self.levels: list[tuple[NDArray[np.intp], Array]] = []
        for _ in range(data["depth"]):
            self.levels.append((feature[nodes], threshold[nodes]))
            nodes = children[nodes].ravel()
        self.value = np.array(data["value"], dtype=np.float32)[nodes]

    def probabilities(self, rows: Array) -> Array:
        """The probability of each row."""
        raw = np.concatenate([self._sums(rows[first : first + _ROWS]) for first in range(0, len(rows) or 1, _ROWS)])
        return np.asarray(1.0 / (1.0 + np.exp(-(raw + self.base))), dtype=np.float32)

    def _sums(self, rows: Array) -> Array:
        count, width = rows.shape
        flat = np.ascontiguousarray(rows, dtype=np.float32).ravel()
        start = (np.arange(count) * width).repeat(len(self.roots))
        at = np.broadcast_to(self.roots, (count, len(self.roots))).flatten()
        for feature, threshold in self.levels:
            # All places are within: to clip them costs less than to look whether they are.
            column = feature.take(at, mode="clip")
            column += start
            above = flat.take(column, mode="clip") > threshold.take(at, mode="clip")
            at *= 2
            at += above
        return np.asarray(
            self.value.take(at, mode="clip").reshape(count, len(self.roots)).sum(axis=1), dtype=np.float32
        )
