"""Where the items of a sketch lie in Redis, and how candidates are read from there: pure functions.

An item lies in a bucket with all others that share its leading bits. A bucket is one string of places of equal size:
the first holds the count of entries (u32), then come the entries (payload and the u32 number of a placement,
ascending), then zeros to grow into. Packed like that a million articles take a tenth of what a set or hash entry each
would take; one script reads the buckets of a text, and one numpy comparison finds all candidates.

``shingles``  an item is a shingle's hash: 16 bits choose the bucket, 16 more are the payload.
``simhash``   two fingerprints within k bits agree in one of k + 1 blocks (Manku, Jain, Das Sarma 2007). That is used up
              to k = 3. Beyond, blocks would be too short to choose by; there are k - 3 of them and two more, and
              fingerprints that agree in none of the former differ by at most one bit in one of these, whose buckets at
              one bit are read as well. 14 or 16 bits of a block choose the bucket, and all but 8 of these are the
              payload: every fingerprint within k is found and none needs another look.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

CROWDED = 128
_SHINGLE_ENTRY = np.dtype([("payload", ">u2"), ("number", ">u4")])
# The last byte of the fingerprint's eight is the number's first, and masked.
_SIMHASH_ENTRY = np.dtype(
    {"names": ["fingerprint", "number"], "formats": [np.uint64, ">u4"], "offsets": [0, 7], "itemsize": 11}
)
_SIMHASH_BITS = 64
_SPARED_BITS = 8  # the leading ones of a block: the bucket tells them
_EXACT_BITS, _NEAR_BITS, _NEAR_WIDTH = 14, 16, 18
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one item goes: the bucket's id (text, the end of its key) and the payload of its entry."""

    bucket: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Probes:
    """Keys of buckets, each in MessagePack: what Redis' Lua unpacks in one call."""

    count: int
    keys: bytes

    def packed(self, *before: str) -> bytes:
        """All as one MessagePack array, after other keys."""
        return b"\xdc%b%b%b" % ((len(before) + self.count).to_bytes(2, "big"), _packed(before), self.keys)


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

    def probes(self, items: Sequence[int]) -> Probes:
        """The buckets in which their candidates lie."""
        ...

    def search(self, items: Sequence[int], lengths: npt.NDArray[np.int64], buckets: bytes, limit: int) -> Found:
        """Candidates in the probed buckets, ``lengths`` bytes of each, one after the other."""
        ...


class ShingleIndex:
    """Candidates share at least one item; those that share most come first, then the youngest.

    Args:
        stem: first part of the buckets' keys.
    """

    entry_bytes = _SHINGLE_ENTRY.itemsize

    def __init__(self, stem: str = "") -> None:
        self._keys = _rows(stem, [""])

    def spots(self, items: Sequence[int]) -> list[Spot]:
        return [Spot(f"{item >> 48:04x}", (item >> 32 & 0xFFFF).to_bytes(2, "big")) for item in items]

    def probes(self, items: Sequence[int]) -> Probes:
        return _probes(self._keys.repeat(len(items), axis=0), np.array([item >> 48 for item in items], dtype=np.intp))

    def search(self, items: Sequence[int], lengths: npt.NDArray[np.int64], buckets: bytes, limit: int) -> Found:
        if not items:
            return Found([], [])
        places = lengths // self.entry_bytes
        rows = np.frombuffer(buckets, dtype=_SHINGLE_ENTRY)
        payloads = np.array([item >> 32 & 0xFFFF for item in items], dtype=np.uint16)
        hit = (rows["payload"] == np.repeat(payloads, places)) & (rows["number"] > 0)
        ends = np.cumsum(places)
        starts = ends - places
        hit[starts[places > 0]] = False  # the count is longer than a payload
        running = np.concatenate(([0], np.cumsum(hit)))
        crowded = running[ends] - running[starts] >= CROWDED
        numbers, shared = np.unique(rows["number"][hit], return_counts=True)
        best = np.lexsort((numbers, shared))[::-1][:limit]
        return Found(numbers[best].tolist(), crowded.tolist())


class SimhashIndex:
    """Candidates are all fingerprints within ``k`` bits, nearest first; ``limit`` cuts only what is returned.

    The one item of a text is its fingerprint.

    Args:
        k: bits, 0 to 5.
        stem: first part of the buckets' keys.
    """

    entry_bytes = _SIMHASH_ENTRY.itemsize

    def __init__(self, k: int, stem: str = "") -> None:
        self.k = k
        exact, near = (k + 1, 0) if k <= 3 else (k - 3, 2)
        width = (_SIMHASH_BITS - near * _NEAR_WIDTH) // exact
        # First bit of each block, and how many choose the bucket: so many that a million articles leave few in each.
        self._blocks = [(block * width, _EXACT_BITS) for block in range(exact)]
        self._blocks += [(_SIMHASH_BITS - left * _NEAR_WIDTH, _NEAR_BITS) for left in range(near, 0, -1)]
        flips = [0] + [1 << bit for bit in range(_NEAR_BITS)]
        tables = [*range(exact), *(exact + n for n in range(near) for _ in flips)]
        self._tables, self._flips = np.array(tables), np.array([0] * exact + flips * near)
        # The bucket tells whether one of the spared bits differs.
        self._spared = (self._flips >> (_NEAR_BITS - _SPARED_BITS) > 0).astype(np.uint8)
        self._keys = _rows(stem, [f"{table:x}" for table in tables])
        self._mask = _native((1 << _SIMHASH_BITS) - 1)

    def spots(self, items: Sequence[int]) -> list[Spot]:
        return [
            Spot(f"{table:x}{turned >> (_SIMHASH_BITS - bits):04x}", _payload(turned))
            for item in items[:1]
            for table, (turned, bits) in enumerate(self._turned(item))
        ]

    def probes(self, items: Sequence[int]) -> Probes:
        if not items:
            return Probes(0, b"")
        leading = np.array([turned >> (_SIMHASH_BITS - bits) for turned, bits in self._turned(items[0])])
        return _probes(self._keys, leading[self._tables] ^ self._flips)

    def search(self, items: Sequence[int], lengths: npt.NDArray[np.int64], buckets: bytes, limit: int) -> Found:
        if not items:
            return Found([], [])
        places = lengths // self.entry_bytes
        rows = np.frombuffer(buckets, dtype=_SIMHASH_ENTRY)
        asked = np.array([_native(turned) for turned, _ in self._turned(items[0])], dtype=np.uint64)
        differing = (rows["fingerprint"] ^ np.repeat(asked[self._tables], places)) & self._mask
        distance = np.bitwise_count(differing) + np.repeat(self._spared, places)
        near = np.flatnonzero(distance <= self.k)
        found = dict(zip(rows["number"][near].tolist(), distance[near].tolist(), strict=True))
        found.pop(0, None)
        best = sorted(found, key=lambda number: (found[number], -number))[:limit]
        return Found(best, [False] * len(self._blocks))

    def _turned(self, item: int) -> list[tuple[int, int]]:
        """For each block the fingerprint turned so that the block comes first, and how many bits choose the bucket."""
        return [
            ((item << start | item >> (_SIMHASH_BITS - start)) & 0xFFFF_FFFF_FFFF_FFFF, bits)
            for start, bits in self._blocks
        ]


def _payload(turned: int) -> bytes:
    return turned.to_bytes(8, "big")[_SPARED_BITS // 8 :]


def _native(turned: int) -> np.uint64:
    """A payload, and a byte of zeros, as this machine reads eight bytes: only the count of bits matters."""
    return np.uint64(int.from_bytes(_payload(turned) + b"\0", sys.byteorder))


def newest(entries: bytes, tag: int) -> list[int]:
    """Numbers under a 32-bit tag in a bucket of a key map, the latest placement first."""
    rows = np.frombuffer(entries, dtype=">u4").reshape(-1, 2)
    numbers: list[int] = rows[(rows[:, 0] == tag) & (rows[:, 1] > 0), 1][::-1].tolist()
    return numbers


def _packed(keys: Iterable[str]) -> bytes:
    encoded = [key.encode() for key in keys]
    return b"".join(b"\xda" + len(key).to_bytes(2, "big") + key for key in encoded)


def _rows(stem: str, tables: Sequence[str]) -> npt.NDArray[np.uint8]:
    """A row per key: its MessagePack, with zeros for the four digits of the bucket."""
    packed = _packed(f"{stem}{table}{0:0{_DIGITS}x}" for table in tables)
    return np.frombuffer(packed, dtype=np.uint8).reshape(len(tables), -1)


def _probes(rows: npt.NDArray[np.uint8], buckets: npt.NDArray[np.intp]) -> Probes:
    # A table of all names of buckets: making 51 texts takes five times as long.
    keys = rows.copy()
    keys[:, -_DIGITS:] = _bucket_names()[buckets]
    return Probes(len(keys), keys.tobytes())


@functools.cache
def _bucket_names() -> npt.NDArray[np.uint8]:
    names = "".join(f"{bucket:0{_DIGITS}x}" for bucket in range(16**_DIGITS))
    return np.frombuffer(names.encode(), dtype=np.uint8).reshape(-1, _DIGITS)
