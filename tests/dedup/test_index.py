from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.dedup.index import (
    CROWDED,
    Asked,
    Found,
    Index,
    ShingleIndex,
    SimhashIndex,
    among,
    newest,
    packed,
    search,
)


def names(asked: Asked) -> list[str]:
    """The keys as Redis' Lua would unpack them."""
    array, keys, at = packed(["n"], len(asked.texts), asked.keys), [], 3
    assert array[:3] == b"\xdc" + (len(asked.texts) + 1).to_bytes(2, "big")
    while at < len(array):
        assert array[at : at + 1] == b"\xda"
        end = at + 3 + int.from_bytes(array[at + 1 : at + 3], "big")
        keys.append(array[at + 3 : end].decode())
        at = end
    assert keys[0] == "n"
    return keys[1:]


class Buckets:
    """Entries kept as Redis keeps them: the count in the first place, two free ones after the last."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.held: dict[str, list[bytes]] = {}

    def add(self, number: int, items: Sequence[int]) -> None:
        asked = self.index.ask([items])
        keys = names(asked)
        for spot, entry in zip(asked.spots, asked.entries, strict=True):
            self.held.setdefault(keys[spot], []).append(entry.tobytes()[:-4] + number.to_bytes(4, "big"))

    def read(self, name: str) -> bytes:
        entries = self.held.get(name)
        if entries is None:
            return b""
        size = self.index.entry.itemsize
        return len(entries).to_bytes(4, "big").ljust(size, b"\0") + b"".join(entries) + bytes(2 * size)

    def look(self, *texts: Sequence[int], limit: int = 1_000) -> Found:
        asked = self.index.ask(texts)
        buckets = [self.read(name) for name in names(asked)]
        lengths = np.array([len(bucket) for bucket in buckets], dtype=np.int64)
        found = search(self.index, asked, lengths, b"".join(buckets), limit)
        assert len(found.crowded) == len(asked.spots)
        return found

    def search(self, items: Sequence[int], limit: int = 1_000) -> list[int]:
        numbers: list[int] = self.look(items, limit=limit).numbers.tolist()
        return numbers


@given(
    st.integers(0, 5),
    st.integers(1, 2**64 - 1),
    st.lists(st.sets(st.integers(0, 63), max_size=9), min_size=1, max_size=20),
)
def test_simhash_finds_exactly_what_is_within_k(k: int, value: int, flips: list[set[int]]) -> None:
    buckets = Buckets(SimhashIndex(k))
    values = [value ^ sum(1 << bit for bit in bits) for bits in flips]
    for number, other in enumerate(values, 1):
        buckets.add(number, [other])
    distances = {number: (other ^ value).bit_count() for number, other in enumerate(values, 1)}
    found = buckets.search([value])
    assert set(found) == {number for number, distance in distances.items() if distance <= k}
    assert [distances[number] for number in found] == sorted(distances[number] for number in found)


@pytest.mark.parametrize("k", [3, 4, 5])
def test_every_pattern_of_k_bits_is_found(k: int) -> None:
    rng = random.Random(k)
    for _ in range(300):
        value, buckets = rng.getrandbits(64), Buckets(SimhashIndex(k))
        buckets.add(1, [value])
        near = value
        for bit in rng.sample(range(64), k):
            near ^= 1 << bit
        assert buckets.search([near]) == [1]
        far = near
        for bit in rng.sample([bit for bit in range(64) if (near ^ value) >> bit & 1 == 0], 1):
            far ^= 1 << bit
        assert buckets.search([far]) == []


def test_shingles_order_by_what_is_shared_then_by_age() -> None:
    rng = random.Random(1)
    items = [rng.getrandbits(64) for _ in range(10)]
    buckets = Buckets(ShingleIndex())
    for number, shared in enumerate((1, 5, 3, 5, 0), 1):
        buckets.add(number, items[:shared] + [rng.getrandbits(64) for _ in range(10 - shared)])
    assert buckets.search(items) == [4, 2, 3, 1]
    assert buckets.search(items, limit=2) == [4, 2]
    assert buckets.search([]) == []


@pytest.mark.parametrize("value", [1, 5, 1 << 32, 1 << 63], ids=hex)
def test_a_fingerprint_of_few_bits_meets_neither_counts_nor_free_places(value: int) -> None:
    buckets = Buckets(SimhashIndex(5))
    buckets.add(9, [value])
    assert buckets.search([value]) == [9]
    assert buckets.search([value ^ 2]) == [9]


def test_a_shingle_of_no_bits_meets_neither_counts_nor_free_places() -> None:
    buckets = Buckets(ShingleIndex())
    buckets.add(9, [1 << 32])
    assert buckets.search([0]) == []


def test_crowded_items_are_told() -> None:
    buckets = Buckets(ShingleIndex())
    for number in range(1, CROWDED + 1):
        buckets.add(number, [7 << 40])
    found = buckets.look([7 << 40, 9 << 50], limit=10)
    assert found.crowded.tolist() == [True, False]
    assert len(found.numbers) == 10


def test_the_newest_placement_of_a_key_comes_last() -> None:
    places = ((3, 0), (5, 1), (6, 2), (5, 3), (0, 0))  # the first counts, the last is free
    bucket = b"".join(tag.to_bytes(4, "big") + n.to_bytes(4, "big") for tag, n in places)
    lengths = np.array([len(bucket), 0, len(bucket), len(bucket)])
    found = newest(lengths, bucket * 3, [7 << 40 | 5, 5, 3, 6])
    assert (found.texts.tolist(), found.numbers.tolist()) == ([0, 0, 3], [1, 3, 2])


@pytest.mark.parametrize("index", [ShingleIndex(), SimhashIndex(3), SimhashIndex(5)], ids=["shingles", "3", "5"])
def test_texts_asked_for_together_are_found_as_one_by_one(index: Index) -> None:
    rng = random.Random(5)
    pool = [rng.getrandbits(64) for _ in range(30)]

    def text() -> list[int]:
        if isinstance(index, ShingleIndex):
            return rng.sample(pool, rng.randint(0, 8))
        return [pool[0] ^ sum(1 << bit for bit in rng.sample(range(64), rng.randint(0, 6)))][: rng.randint(0, 3)]

    buckets = Buckets(index)
    for number in range(1, 41):
        buckets.add(number, text())
    texts = [text() for _ in range(40)]
    together = buckets.look(*texts, limit=7)
    alone = [buckets.search(each, limit=7) for each in texts]
    assert [together.numbers[together.texts == n].tolist() for n in range(40)] == alone
    before, earlier = among(index, index.ask(texts)), Buckets(index)
    for number, each in enumerate(texts):
        assert (before.numbers[before.texts == number] + 1).tolist() == earlier.search(each)
        earlier.add(number + 1, each)
