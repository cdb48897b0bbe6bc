"""Where the items of a sketch lie in Redis, and how candidates are read from there: pure functions.

An item lies in a bucket with all others that share its leading bits. A bucket is one string of places of equal size:
the first holds the count of entries (u32), then come the entries (payload and the u32 number of a placement,
ascending), then zeros to grow into. Packed like that a million articles take a tenth of what a set or hash entry each
would take; one script reads the buckets of many texts, and one numpy comparison finds all their candidates.

``shingles``  an item is a shingle's hash: 16 bits choose the bucket, 16 more are the payload.
``simhash``   two fingerprints within k bits agree in one of k + 1 blocks (Manku, Jain, Das Sarma 2007). That is used up
              to k = 3. Beyond, blocks would be too short to choose by; there are k - 3 of them and two more, and
              fingerprints that agree in none of the former differ by at most one bit in one of these, whose buckets at
              one bit are read as well. 14 or 16 bits of a block choose the bucket, and all but 8 of these are the
              payload: every fingerprint within k is found and none needs another look.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

CROWDED = 128
_FEW_HITS = 64  # sorted in a tenth of the time without numpy
_SHINGLE_ENTRY = np.dtype([("payload", ">u2"), ("number", ">u4")])
# The last byte of the fingerprint's eight is the number's first, and masked.
_SIMHASH_ENTRY = np.dtype(
    {"names": ["fingerprint", "number"], "formats": [np.uint64, ">u4"], "offsets": [0, 7], "itemsize": 11}
)
_SIMHASH_BITS = 64
_ALL = (1 << _SIMHASH_BITS) - 1
_SPARED_BITS = 8  # the leading ones of a block: the bucket tells them
_EXACT_BITS, _NEAR_BITS, _NEAR_WIDTH = 14, 16, 18
_DIGITS = 4

Numbers = npt.NDArray[np.int64]
Entries = npt.NDArray[np.void]
_NONE: Numbers = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Asked:
    """The buckets that some texts are looked up and kept in.

    ``keys`` are those of all buckets to be read, each in MessagePack, those of a text one after the other; ``texts``
    says which text each is for (ascending), ``buckets`` which bucket it is, and ``wanted`` what is looked for there.
    A text is kept in the buckets at the positions ``spots``; ``entries`` are what it leaves in each, without a number.
    """

    count: int
    keys: bytes
    texts: Numbers
    buckets: Numbers
    wanted: npt.NDArray[Any]
    spots: Numbers
    entries: Entries

    def starts(self) -> list[int]:
        """Where each text's buckets begin, and where the last one's end."""
        starts: list[int] = np.searchsorted(self.texts, np.arange(self.count + 1)).tolist()
        return starts


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates: placements ``numbers`` for the texts at the positions ``texts``; the larger ``closeness`` the nearer.

    Ordered by text, then the best first. ``crowded`` tells of each spot whether it holds so many different texts (128)
    that it is a template's or a stock phrase's: it still finds them, but takes no more.
    """

    texts: Numbers
    numbers: Numbers
    closeness: Numbers
    crowded: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Placed:
    """Earlier placements under the page keys of texts: positions of these and numbers, of one key the latest last."""

    texts: Numbers
    numbers: Numbers


class ShingleIndex:
    """Candidates share at least one item; those that share most come first, then the youngest."""

    entry = _SHINGLE_ENTRY

    def __init__(self, stem: str = "") -> None:
        self._keys = _rows(stem, [""])

    def ask(self, items: Sequence[Sequence[int]]) -> Asked:
        """The buckets of texts, by the items of each."""
        counts = [len(each) for each in items]
        flat = np.fromiter(chain.from_iterable(items), dtype=np.uint64, count=sum(counts))
        buckets, payloads = (flat >> np.uint64(48)).astype(np.int64), (flat >> np.uint64(32)).astype(np.uint16)
        entries = np.zeros(len(flat), dtype=_SHINGLE_ENTRY)
        entries["payload"] = payloads
        texts, keys = np.repeat(np.arange(len(items)), counts), _named(self._keys.repeat(len(flat), axis=0), buckets)
        return Asked(len(items), keys, texts, buckets, payloads, np.arange(len(flat)), entries)

    def hits(self, asked: Asked, places: Numbers, entries: Entries) -> tuple[Numbers, Numbers]:
        """Positions of wanted places, of so many in each bucket, and closeness; counts and free places may be among."""
        same = (entries["payload"] == asked.wanted.repeat(places)).nonzero()[0]
        return same, np.ones(len(same), dtype=np.int64)


class SimhashIndex:
    """Candidates are all fingerprints within ``k`` bits (0 to 5), nearest first; the fingerprint is the one item."""

    entry = _SIMHASH_ENTRY

    def __init__(self, k: int, stem: str = "") -> None:
        self.k = k
        exact, near = (k + 1, 0) if k <= 3 else (k - 3, 2)
        width = (_SIMHASH_BITS - near * _NEAR_WIDTH) // exact
        # First bit of each block, and how many choose the bucket: so many that a million articles leave few in each.
        blocks = [(block * width, _EXACT_BITS) for block in range(exact)]
        blocks += [(_SIMHASH_BITS - left * _NEAR_WIDTH, _NEAR_BITS) for left in range(near, 0, -1)]
        flips = [0] + [1 << bit for bit in range(_NEAR_BITS)]
        tables = [*range(exact), *(exact + n for n in range(near) for _ in flips)]
        turns = [(start, -start % _SIMHASH_BITS, _SIMHASH_BITS - bits) for start, bits in blocks]
        self._starts, self._ends, self._unused = np.array(turns, dtype=np.uint64).T
        self._flipped = near > 0
        self._tables, self._flips = np.array(tables), np.array([0] * exact + flips * near)
        self._offsets = self._tables << 4 * _DIGITS
        # Of the buckets that are read for a block a text is kept in the one where nothing is flipped.
        self._own = np.flatnonzero(self._flips == 0)
        # The bucket tells whether one of the spared bits differs.
        self._spared = (self._flips >> (_NEAR_BITS - _SPARED_BITS) > 0).astype(np.uint8)
        self._keys = _rows(stem, [f"{table:x}" for table in tables])
        self._mask = _native(np.array([_ALL], dtype=np.uint64))[0]

    def ask(self, items: Sequence[Sequence[int]]) -> Asked:
        known = [position for position, each in enumerate(items) if each]
        prints = np.array([items[position][0] for position in known], dtype=np.uint64)[:, None]
        # Turned so that the block in question comes first.
        turned = prints << self._starts | prints >> self._ends
        payloads = _native(turned)
        buckets = (turned >> self._unused).astype(np.int64)[:, self._tables] ^ self._flips
        entries = np.zeros(turned.size, dtype=_SIMHASH_ENTRY)
        entries["fingerprint"] = payloads.ravel()
        keys, per_text = np.tile(self._keys, (len(known), 1)), len(self._tables)
        return Asked(
            len(items), _named(keys, buckets.ravel()), np.array(known, dtype=np.int64).repeat(per_text),
            (buckets + self._offsets).ravel(), payloads[:, self._tables].ravel(),
            (np.arange(len(known))[:, None] * per_text + self._own).ravel(), entries,
        )  # fmt: skip

    def hits(self, asked: Asked, places: Numbers, entries: Entries) -> tuple[Numbers, Numbers]:
        differing = (entries["fingerprint"] ^ asked.wanted.repeat(places)) & self._mask
        distance = np.bitwise_count(differing)
        if self._flipped:
            spared = self._spared if asked.count == 1 else np.tile(self._spared, len(places) // len(self._spared))
            distance += spared[: len(places)].repeat(places)
        near = (distance <= self.k).nonzero()[0]
        return near, -distance[near].astype(np.int64)


Index = ShingleIndex | SimhashIndex


def search(index: Index, asked: Asked, lengths: Numbers, buckets: bytes, limit: int) -> Found:
    """The ``limit`` best candidates of each text in the buckets read, ``lengths`` bytes of each."""
    places = lengths // index.entry.itemsize
    entries = np.frombuffer(buckets, dtype=index.entry)
    hits, closeness = index.hits(asked, places, entries)
    if len(hits) == 0:
        return Found(_NONE, _NONE, _NONE, np.zeros(len(asked.spots), dtype=np.bool_))
    ends = places.cumsum()
    at = ends.searchsorted(hits, side="right")
    numbers = entries["number"][hits].astype(np.int64)
    inside = (numbers > 0) & (hits != (ends - places)[at])
    at = at[inside]
    crowds = np.bincount(at, minlength=len(places))[asked.spots]
    return _best(asked.texts[at], numbers[inside], closeness[inside], limit, crowds >= CROWDED)


def among(index: Index, asked: Asked) -> Found:
    """The candidates of each text among those asked for before it; their numbers are their positions."""
    if asked.count == 1:
        return _best(_NONE, _NONE, _NONE, 0, np.zeros(len(asked.spots), dtype=np.bool_))
    owned = asked.buckets[asked.spots]
    order = np.argsort(owned, kind="stable")
    entries = asked.entries[order]
    entries["number"] = asked.texts[asked.spots][order] + 1
    first, end = (np.searchsorted(owned[order], asked.buckets, side=side) for side in ("left", "right"))
    places = end - first
    taken = np.repeat(first - (np.cumsum(places) - places), places) + np.arange(places.sum())
    entries = entries[taken]
    hits, closeness = index.hits(asked, places, entries)
    texts = asked.texts[places.cumsum().searchsorted(hits, side="right")]
    numbers = entries["number"][hits].astype(np.int64) - 1
    before = numbers < texts
    return _best(
        texts[before], numbers[before], closeness[before], asked.count, np.zeros(len(asked.spots), dtype=np.bool_)
    )


def _best(texts: Numbers, numbers: Numbers, closeness: Numbers, limit: int, crowded: npt.NDArray[np.bool_]) -> Found:
    """Each candidate of a text once: shared items add up, distances of the same fingerprint are equal."""
    if len(texts) < 2:
        return Found(texts, numbers, closeness, crowded)
    if len(texts) <= _FEW_HITS and texts[0] == texts[-1]:
        found: dict[int, int] = {}
        for number, near in zip(numbers.tolist(), closeness.tolist(), strict=True):
            found[number] = found.get(number, 0) + near if near > 0 else near
        best = sorted(found, key=lambda number: (-found[number], -number))[:limit]
        one, nearness = np.full(len(best), texts[0]), np.array([found[number] for number in best])
        return Found(one, np.array(best), nearness, crowded)
    pairs, first, shared = np.unique(texts << 32 | numbers, return_index=True, return_counts=True)
    closeness = np.where(closeness[first] > 0, shared, closeness[first])
    texts, numbers = pairs >> 32, pairs & 0xFFFF_FFFF
    order = np.lexsort((-numbers, -closeness, texts))
    texts = texts[order]
    rank = np.arange(len(texts)) - np.searchsorted(texts, texts)
    order = order[rank < limit]
    return Found(pairs[order] >> 32, numbers[order], closeness[order], crowded)


def _native(turned: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Payloads, a byte of zeros after each, as this machine reads eight bytes: only the count of bits matters."""
    spared = (turned << np.uint64(_SPARED_BITS)).astype(">u8")
    return np.frombuffer(spared.tobytes(), dtype=np.uint64).reshape(turned.shape)


def newest(lengths: Numbers, buckets: bytes, keys: Sequence[int]) -> Placed:
    """Placements under each of some page keys, in the bucket of the key map that was read for each."""
    if not buckets:
        return Placed(_NONE, _NONE)
    rows = np.frombuffer(buckets, dtype=">u4").reshape(-1, 2)
    # The low half of a key stands for it; the upper one chooses the bucket.
    tags = np.array(keys, dtype=np.uint64).astype(np.uint32)
    same = np.flatnonzero((rows[:, 0] == np.repeat(tags, lengths // 8)) & (rows[:, 1] > 0))
    texts = np.searchsorted(np.cumsum(lengths // 8), same, side="right")
    return Placed(texts, rows[same, 1].astype(np.int64))


def packed(before: Sequence[str], count: int, keys: bytes) -> bytes:
    """``count`` keys, and others before them, as one MessagePack array: Redis' Lua unpacks it in one call."""
    encoded = [key.encode() for key in before]
    head = b"".join(b"\xda" + len(key).to_bytes(2, "big") + key for key in encoded)
    return b"\xdc%b%b%b" % ((len(before) + count).to_bytes(2, "big"), head, keys)


def _rows(stem: str, tables: Sequence[str]) -> npt.NDArray[np.uint8]:
    """A row per key: its MessagePack, with zeros for the four digits of the bucket."""
    names = [f"{stem}{table}{0:0{_DIGITS}x}" for table in tables]
    return np.frombuffer(packed(names, 0, b"")[3:], dtype=np.uint8).reshape(len(tables), -1)


def _named(rows: npt.NDArray[np.uint8], buckets: Numbers) -> bytes:
    # A table of all names of buckets: making 51 texts takes five times as long.
    keys = rows.copy()
    keys[:, -_DIGITS:] = _bucket_names()[buckets]
    return keys.tobytes()


@functools.cache
def _bucket_names() -> npt.NDArray[np.uint8]:
    digits = (np.arange(16**_DIGITS)[:, None] >> 4 * np.arange(_DIGITS)[::-1]) & 0xF
    return np.frombuffer(b"0123456789abcdef", dtype=np.uint8).take(digits)
