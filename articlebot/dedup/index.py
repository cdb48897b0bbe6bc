"""Where the items of a sketch lie in Redis, and how candidates are read from there: pure functions.

An item lies in a bucket with all others that share its leading bits. A bucket is one string: the count of its entries
(u32), the entries (payload and the u32 number of a placement, ascending), and room to grow. Packed like that a million
articles take a tenth of what a set or hash entry each would take; one script reads the buckets of a text, and one numpy
comparison finds all candidates.

``shingles``  an item is a shingle's hash: 16 bits choose the bucket, 16 more are the payload.
``simhash``   two fingerprints within k bits agree in one of k + 1 blocks (Manku, Jain, Das Sarma 2007); that is used up
              to k = 3. Beyond, half as many blocks are kept, in one of which they differ by at most one bit, and the
              buckets at one bit are read as well. 14 or 16 bits of a block choose the bucket, all others are the
              payload, so every fingerprint within k is found and none needs another look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

CROWDED = 128
_SHINGLE_ENTRY = np.dtype([("payload", ">u2"), ("number", ">u4")])


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one item goes: the bucket's id (text, part of its key) and the payload of its entry."""

    bucket: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """Numbers of placements, the best candidates first, and which of the asked spots are crowded.

    A crowded spot holds so many different texts (128) that it is a template's or a stock phrase's: it still finds them,
    but takes no more.
    """

    numbers: list[int]
    crowded: list[bool]


class Index(Protocol):
    """How items become spots and buckets become candidates."""

    entry_bytes: int

    def spots(self, items: Sequence[int]) -> list[Spot]:
        """Where the items are kept."""
        ...

    def probes(self, items: Sequence[int]) -> list[str]:
        """The buckets in which their candidates lie."""
        ...

    def search(self, items: Sequence[int], counts: npt.NDArray[np.int64], entries: bytes, limit: int) -> Found:
        """Candidates from the entries of the probed buckets, ``counts`` of each, one after the other."""
        ...


class ShingleIndex:
    """Candidates share at least one item; those that share most come first, then the youngest."""

    entry_bytes = _SHINGLE_ENTRY.itemsize

    def spots(self, items: Sequence[int]) -> list[Spot]:
        return [Spot(f"{item >> 48:x}", (item >> 32 & 0xFFFF).to_bytes(2, "big")) for item in items]

    def probes(self, items: Sequence[int]) -> list[str]:
        return [f"{item >> 48:x}" for item in items]

    def search(self, items: Sequence[int], counts: npt.NDArray[np.int64], entries: bytes, limit: int) -> Found:
        if not items:
            return Found([], [])
        rows = np.frombuffer(entries, dtype=_SHINGLE_ENTRY)
        payloads = np.array([item >> 32 & 0xFFFF for item in items], dtype=np.uint16)
        hit = rows["payload"] == np.repeat(payloads, counts)
        ends = np.cumsum(counts)
        running = np.concatenate(([0], np.cumsum(hit)))
        crowded = running[ends] - running[ends - counts] >= CROWDED
        numbers, shared = np.unique(rows["number"][hit], return_counts=True)
        best = np.lexsort((numbers, shared))[::-1][:limit]
        return Found(numbers[best].tolist(), crowded.tolist())


class SimhashIndex:
    """Candidates are all fingerprints within ``k`` bits, nearest first; ``limit`` cuts only what is returned.

    Args:
        k: bits, 0 to 7.
    """

    def __init__(self, k: int) -> None:
        self.k = k
        whole = k <= 3
        blocks = k + 1 if whole else k // 2 + 1
        # Fewer buckets cost fewer keys; where neighbours are read as well, more and smaller ones are read faster.
        bits = 14 if whole else 16
        self._starts = [64 * block // blocks for block in range(blocks)]
        self._flips = [0] if whole else [0, *(1 << bit for bit in range(bits))]
        self._rest_bits = 64 - bits
        self._rest = (1 << self._rest_bits) - 1
        self._payload_bytes = (self._rest_bits + 7) // 8
        self._across = np.array([flip.bit_count() for flip in self._flips] * blocks, dtype=np.uint8)
        self.entry_bytes = self._payload_bytes + 4

    def spots(self, items: Sequence[int]) -> list[Spot]:
        return [
            Spot(f"{block:x}.{turned >> self._rest_bits:x}", (turned & self._rest).to_bytes(self._payload_bytes, "big"))
            for block, turned in self._turned(items)
        ]

    def probes(self, items: Sequence[int]) -> list[str]:
        turned = self._turned(items)
        return [f"{block:x}.{value >> self._rest_bits ^ flip:x}" for block, value in turned for flip in self._flips]

    def search(self, items: Sequence[int], counts: npt.NDArray[np.int64], entries: bytes, limit: int) -> Found:
        turned = self._turned(items)
        if not entries:
            return Found([], [False] * len(turned))
        raw = np.frombuffer(entries, dtype=np.uint8).reshape(-1, self.entry_bytes)
        rest = np.zeros((len(raw), 8), dtype=np.uint8)
        rest[:, 8 - self._payload_bytes :] = raw[:, : self._payload_bytes]
        wanted = np.array([value & self._rest for _, value in turned], dtype=np.uint64)
        of_block = counts.reshape(len(turned), -1).sum(axis=1)
        distance = np.bitwise_count(rest.view(">u8").ravel() ^ np.repeat(wanted, of_block))
        distance += np.repeat(self._across, counts)
        near = np.flatnonzero(distance <= self.k)
        if not len(near):
            return Found([], [False] * len(turned))
        numbers = np.ascontiguousarray(raw[near, self._payload_bytes :]).view(">u4").ravel()
        unique, first = np.unique(numbers, return_index=True)
        best = np.lexsort((-unique.astype(np.int64), distance[near][first]))[:limit]
        return Found(unique[best].tolist(), [False] * len(turned))

    def _turned(self, items: Sequence[int]) -> list[tuple[int, int]]:
        """Each block's number with the fingerprint turned so that the block comes first."""
        return [
            (block, (item << start | item >> (64 - start)) & 0xFFFF_FFFF_FFFF_FFFF)
            for item in items
            for block, start in enumerate(self._starts)
        ]


def newest(entries: bytes, tag: int) -> list[int]:
    """Numbers under a 32-bit tag among the entries of a key map's bucket, the latest placement first."""
    rows = np.frombuffer(entries, dtype=">u4").reshape(-1, 2)
    numbers: list[int] = rows[rows[:, 0] == tag, 1][::-1].tolist()
    return numbers
