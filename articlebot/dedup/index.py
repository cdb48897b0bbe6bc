"""Where the items of a sketch lie in Redis, and how candidates are read from there: pure functions.

An item lies in a bucket with all others that share its leading bits. A bucket is one string: the count of its entries
(u32), the entries (payload and the u32 number of a placement, ascending), and room to grow. Packed like that a million
articles take a tenth of what a set or hash entry each would take, and one MGET and one numpy comparison find all
candidates.

``shingles``  an item is a shingle's hash: 16 bits choose the bucket, 16 more are the payload.
``simhash``   a fingerprint is cut into k + 1 blocks; two fingerprints within k bits agree in one of them (Manku, Jain,
              Das Sarma 2007). Block and its value choose the bucket, the other bits (54 at most) are the payload, so
              every fingerprint within k is found and none needs another look.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint32]

HEAD = 4
CROWDED = 128
_BUCKET_ENTRY = np.dtype([("payload", ">u2"), ("number", ">u4")])


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

    def spots(self, items: Sequence[int]) -> list[Spot]: ...
    def search(self, spots: Sequence[Spot], buckets: Sequence[bytes | None], limit: int) -> Found: ...


class ShingleIndex:
    """Candidates share at least one item; those that share most come first, then the youngest."""

    entry_bytes = _BUCKET_ENTRY.itemsize

    def spots(self, items: Sequence[int]) -> list[Spot]:
        return [Spot(f"{item >> 48:x}", (item >> 32 & 0xFFFF).to_bytes(2, "big")) for item in items]

    def search(self, spots: Sequence[Spot], buckets: Sequence[bytes | None], limit: int) -> Found:
        if not spots:
            return Found([], [])
        parts, counts = _used(buckets, self.entry_bytes)
        entries = np.frombuffer(b"".join(parts), dtype=_BUCKET_ENTRY)
        wanted = np.repeat(np.frombuffer(b"".join(spot.payload for spot in spots), dtype=">u2"), counts)
        hit = entries["payload"] == wanted
        crowded = _sums(hit, counts) >= CROWDED
        numbers, shared = np.unique(entries["number"][hit], return_counts=True)
        best = np.lexsort((numbers, shared))[::-1][:limit]
        return Found(numbers[best].tolist(), crowded.tolist())


class SimhashIndex:
    """Candidates are all fingerprints within ``k`` bits, nearest first; ``limit`` cuts only what is returned.

    Args:
        k: bits, 0 to 15.
    """

    entry_bytes = 11

    def __init__(self, k: int) -> None:
        self.k = k
        edges = [64 * block // (k + 1) for block in range(k + 2)]
        self._blocks = [(start, stop - start) for start, stop in itertools.pairwise(edges)]

    def spots(self, items: Sequence[int]) -> list[Spot]:
        spots = []
        for item in items:
            for number, (start, width) in enumerate(self._blocks):
                turned = (item << start | item >> (64 - start)) & 0xFFFF_FFFF_FFFF_FFFF
                rest = turned & ((1 << (64 - width)) - 1)
                spots.append(Spot(f"{number:x}.{turned >> (64 - width):x}", rest.to_bytes(8, "big")[1:]))
        return spots

    def search(self, spots: Sequence[Spot], buckets: Sequence[bytes | None], limit: int) -> Found:
        if not spots:
            return Found([], [])
        parts, counts = _used(buckets, self.entry_bytes)
        raw = np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(-1, self.entry_bytes)
        rest = np.zeros((len(raw), 8), dtype=np.uint8)
        rest[:, 1:] = raw[:, :7]
        wanted = np.repeat(np.array([int.from_bytes(spot.payload, "big") for spot in spots], dtype=np.uint64), counts)
        distance = np.bitwise_count(rest.view(">u8").ravel() ^ wanted)
        near = np.flatnonzero(distance <= self.k)
        numbers = np.ascontiguousarray(raw[near, 7:]).view(">u4").ravel()
        unique, first = np.unique(numbers, return_index=True)
        best = np.lexsort((unique, -distance[near][first].astype(np.int64)))[::-1][:limit]
        return Found(unique[best].tolist(), [False] * len(spots))


def newest(bucket: bytes | None, tag: bytes) -> list[int]:
    """Numbers under a 4-byte tag in a bucket of the key map, the latest placement first."""
    parts, _ = _used([bucket], 8)
    entries = np.frombuffer(parts[0], dtype=">u4").reshape(-1, 2)
    numbers: list[int] = entries[entries[:, 0] == int.from_bytes(tag, "big"), 1][::-1].tolist()
    return numbers


def _used(buckets: Sequence[bytes | None], entry_bytes: int) -> tuple[list[bytes], list[int]]:
    counts = [int.from_bytes(bucket[:HEAD], "big") if bucket else 0 for bucket in buckets]
    parts = [
        bucket[HEAD : HEAD + n * entry_bytes] if bucket else b"" for bucket, n in zip(buckets, counts, strict=True)
    ]
    return parts, counts


def _sums(hit: npt.NDArray[np.bool_], counts: Sequence[int]) -> npt.NDArray[np.int64]:
    total = np.concatenate(([0], np.cumsum(hit)))
    ends = np.cumsum(counts)
    return np.asarray(total[ends] - total[ends - np.asarray(counts)], dtype=np.int64)
