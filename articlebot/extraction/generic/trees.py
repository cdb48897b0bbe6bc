"""Gradient-boosted trees from a data file: predicted with numpy alone, all rows and trees at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Trees:
    """A binary classifier. Nodes of all trees lie in one array; a leaf points at itself."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.names: list[str] = data["names"]
        self.base: float = data["base"]
        self.depth: int = data["depth"]
        self.roots = np.array(data["roots"], dtype=np.int32)
        self.feature = np.array(data["feature"], dtype=np.int32)
        self.threshold = np.array(data["threshold"], dtype=np.float32)
        # The children of node n lie at 2n (not above the threshold) and 2n + 1.
        self.children = np.stack([data["left"], data["right"]], axis=1).astype(np.int32).ravel()
        self.value = np.array(data["value"], dtype=np.float32)

    def probabilities(self, rows: Array) -> Array:
        """The probability of each row."""
        count, width = rows.shape
        flat = np.ascontiguousarray(rows, dtype=np.float32).ravel()
        at = np.tile(self.roots, count)
        start = np.repeat(np.arange(count, dtype=np.int32) * width, len(self.roots))
        for _ in range(self.depth):
            above = flat.take(start + self.feature.take(at)) > self.threshold.take(at)
            at = self.children.take(2 * at + above)
        raw = self.value.take(at).reshape(count, -1).sum(axis=1) + self.base
        return np.asarray(1.0 / (1.0 + np.exp(-raw)), dtype=np.float32)
