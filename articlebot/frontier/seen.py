"""How the seen set is laid out: exactly, in packed sets of integers, or as a blocked Bloom filter of stated error.

Marks lie in two generations. A page that is met is marked in the current one (and, exact, taken out of the one before);
a generation that is two turns old is removed. So what nothing links to any more is forgotten after one to two turns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

_SIGN = 1 << 63
# Redis packs a set of integers up to 512 members (set-max-intset-entries); above that each member takes about 50 bytes.
# A mean of 400 stays five standard deviations below.
_PER_INTSET = 400
_BLOCK_BITS = 512
_CHUNK_BITS = 1 << 19


class SeenLayout(Protocol):
    """Where the mark of a page is kept."""

    @property
    def name(self) -> str:
        """What the script knows the layout as."""
        ...

    def place(self, key: int) -> tuple[str, str]:
        """(last part of the Redis key, value) of a page's mark; the script knows what to do with the value."""
        ...

    @property
    def parts(self) -> int:
        """How many Redis keys a generation has at most: the places are the numbers below it, in hex."""
        ...

    def describe(self) -> str:
        """A text that is stored beside the set: another layout cannot read its marks."""
        ...


def seen_key(prefix: str, layout: SeenLayout, generation: int, place: str) -> str:
    """The Redis key of a place in a generation; ``lua/lanes.lua`` makes the same."""
    kind = "seen" if layout.name == "exact" else "bloom"
    return f"{prefix}:{kind}:{place}" if generation == 0 else f"{prefix}:{kind}:{generation}:{place}"


@dataclass(frozen=True, slots=True)
class ExactSeen:
    """Page keys as 64-bit integers in sets of about 400: 9 to 11 bytes a page, no error but that of the key itself.

    Args:
        expected: pages for which there shall be room; beyond a fifth more the sets lose their packed form.
    """

    expected: int = 10_000_000
    name: str = "exact"

    @property
    def buckets(self) -> int:
        """Number of sets."""
        return max(1, math.ceil(self.expected / _PER_INTSET))

    @property
    def parts(self) -> int:
        return self.buckets

    def place(self, key: int) -> tuple[str, str]:
        return format(key % self.buckets, "x"), str(key - (1 << 64) if key >= _SIGN else key)

    def describe(self) -> str:
        return f"exact {self.buckets}"


@dataclass(frozen=True, slots=True)
class BloomSeen:
    """A blocked Bloom filter (Putze, Sanders, Singler, JEA 14, 2009) in strings of 64 kB.

    Each page sets its bits inside one block of 512, so that one command reads and sets them. Blocks fill unevenly,
    which costs about a fifth more bits than the classic filter for the same error; the size accounts for it.

    Args:
        expected: pages for which the error holds.
        error: share of new pages that are taken for seen (and so missed) when ``expected`` have been added.
    """

    expected: int = 10_000_000
    error: float = 0.001
    name: str = "bloom"

    @property
    def hashes(self) -> int:
        """Bits set per page."""
        return max(1, min(16, round(-math.log2(self.error))))

    @property
    def blocks(self) -> int:
        """Number of blocks of 512 bits."""
        bits_per_page = -math.log(self.error) / math.log(2) ** 2
        return max(1, math.ceil(self.expected * bits_per_page * 1.35 / _BLOCK_BITS))

    @property
    def parts(self) -> int:
        return math.ceil(self.blocks * _BLOCK_BITS / _CHUNK_BITS)

    def place(self, key: int) -> tuple[str, str]:
        block, rest = key % self.blocks, key // self.blocks
        chunk, start = divmod(block * _BLOCK_BITS, _CHUNK_BITS)
        # The page key is a good hash; a multiplicative generator stretches what the block number leaves of it.
        state = (rest ^ (key << 17)) & 0xFFFFFFFFFFFFFFFF
        bits = []
        for _ in range(self.hashes):
            state = (state * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) & 0xFFFFFFFFFFFFFFFF
            bits.append(str(start + (state >> 55)))
        return format(chunk, "x"), " ".join(bits)

    def describe(self) -> str:
        return f"bloom {self.blocks} {self.hashes}"
