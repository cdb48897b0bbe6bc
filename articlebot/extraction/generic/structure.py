"""How a page's blocks stand to each other: the levels they are in, and which of them are built alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from articlebot.page.blocks import Block, Node

Array = NDArray[np.float32]
Numbers = NDArray[np.int64]

LEVELS: Final = 4
_NOTHING: Final[Mapping[Node, float]] = {}


class Structure(NamedTuple):
    """The places of a page's blocks.

    Attributes:
        levels: of each block, the numbers of its node and of those ancestors that hold more blocks than the one below,
            nearest first.
        first, last: of each number, the range of its blocks.
        nodes: of each number, characters inside links, characters, and blocks.
        alike: of each block, a number that it shares with those whose node and parent have the same tags and names.
        beyond: of each number, words of its node in blocks that are not looked at.
    """

    levels: Numbers
    first: Numbers
    last: Numbers
    nodes: Numbers
    alike: Numbers
    beyond: Array

    def sums(self, values: Array) -> Array:
        """The sum of the blocks' values in each of the numbered nodes."""
        sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return np.asarray(sums[self.last] - sums[self.first], dtype=np.float32)

    def of_levels(self, *columns: NDArray[np.floating[Any]]) -> Array:
        """A row per block of what numbered nodes have, level by level."""
        return np.asarray(
            np.stack(columns, axis=1)[self.levels].reshape(len(self.levels), LEVELS * len(columns)), dtype=np.float32
        )

    def of_alike(self, values: Array) -> Array:
        """Of each block, the sum over the blocks built alike."""
        return np.bincount(self.alike, weights=values)[self.alike].astype(np.float32)


def structure_of(blocks: list[Block], beyond: Mapping[Node, float] = _NOTHING) -> Structure:
    """The places of some blocks, which begin with the page's first or are all of a region.

    Args:
        beyond: the words that nodes have besides.
    """
    numbers: dict[Node, int] = {}
    chains: dict[Node, tuple[int, ...]] = {}
    signatures: dict[tuple[str, str, str, str], int] = {}
    levels, alike = [], []
    for block in blocks:
        node = block.node
        parent = node.parent
        chain = chains.get(node) or _chain(node, numbers, chains)
        levels.append(chain if len(chain) == LEVELS else chain + chain[-1:] * (LEVELS - len(chain)))
        key = (node.tag, node.names, parent.tag, parent.names) if parent else (node.tag, node.names, "", "")
        alike.append(signatures.setdefault(key, len(signatures)))
    nodes = np.array([(node.link_chars, node.chars, node.blocks, node.first, node.last) for node in numbers])
    nodes = nodes.reshape(-1, 5)
    # a node may go on beyond the blocks looked at
    return Structure(
        np.array(levels), nodes[:, 3], np.minimum(nodes[:, 4], len(blocks)), np.maximum(nodes[:, :3], [0, 1, 1]),
        np.array(alike), np.array([beyond.get(node, 0.0) for node in numbers], dtype=np.float32),
    )  # fmt: skip


def _chain(node: Node, numbers: dict[Node, int], chains: dict[Node, tuple[int, ...]]) -> tuple[int, ...]:
    """The numbers of a node and of the levels above it, at most four."""
    path = [node]
    above = node.parent
    while above is not None and above not in chains:
        path.append(above)
        above = above.parent
    chain: tuple[int, ...] = chains[above] if above is not None else ()
    for one in reversed(path):
        parent = one.parent
        if parent is None or not parent.blocks:  # above a region nothing is counted
            chain = ()
        elif parent.blocks <= one.blocks:
            chain = chain[1:]
        chain = (numbers.setdefault(one, len(numbers)), *chain[: LEVELS - 1])
        chains[one] = chain
    return chain
