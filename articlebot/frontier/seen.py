"""The seen set, laid out exactly, in packed sets of integers, or as a blocked Bloom filter of stated error.

Marks lie in two generations. A page that is met is marked in the current one (and, exact, taken out of the one before);
a generation that is two turns old is removed. So what nothing links to any more is forgotten after one to two turns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from redis.asyncio import Redis

from articlebot.frontier.scripts import Argument, Scripts, outages

_SIGN = 1 << 63
# Redis packs a set of integers up to 512 members (set-max-intset-entries); above that each member takes about 50 bytes.
# A mean of 400 stays five standard deviations below.
_PER_INTSET = 400
_BLOCK_BITS = 512
_CHUNK_BITS = 1 << 19
# Keys of old marks removed at a stretch: some tenths of a second; and in one call.
_MOST_REMOVED, _UNLINKED = 10_000, 75


@dataclass(frozen=True, slots=True)
class ExactSeen:
    """Page keys as 64-bit integers in sets of about 400: 9 to 11 bytes a page, no error but that of the key itself.

    Args:
        expected: pages for which there shall be room; beyond a fifth more the sets lose their packed form.
    """

    expected: int = 10_000_000
    name: str = "exact"

    @property
    def parts(self) -> int:
        """How many Redis keys a generation has at most: the places are the numbers below it, in hex."""
        return max(1, math.ceil(self.expected / _PER_INTSET))

    def place(self, key: int) -> tuple[str, str]:
        """(last part of the Redis key, value) of a page's mark; the script knows what to do with the value."""
        return format(key % self.parts, "x"), str(key - (1 << 64) if key >= _SIGN else key)

    def describe(self) -> str:
        """A text that is stored beside the set: another layout cannot read its marks."""
        return f"exact {self.parts}"


@dataclass(frozen=True, slots=True)
class BloomSeen:
    """A blocked Bloom filter (Putze, Sanders, Singler, JEA 14, 2009) in strings of 64 kB; methods as of ``ExactSeen``.

    Each page sets its bits inside one block of 512, so that one command reads and sets them. Blocks fill unevenly,
    which costs about a fifth more bits than the classic filter for the same error; the size accounts for it.

    Args:
        expected: pages for which the error holds.
        error: share of new pages that are taken for seen (and so missed) when ``expected`` have been added: 14.4 bits a
            page by the formula of Bloom filters.
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


SeenLayout = ExactSeen | BloomSeen
"""Where the mark of a page is kept."""


class SeenSet:
    """Which pages of a spider are known.

    Args:
        redis: the client.
        scripts: of the spider's queue.
        prefix: first part of the spider's keys.
        layout: how marks are kept.
        seconds: a page that is not met again is forgotten after half to all of these.
    """

    def __init__(self, redis: Redis, scripts: Scripts, prefix: str, layout: SeenLayout, seconds: float) -> None:
        self._redis, self._scripts, self._prefix = redis, scripts, prefix
        self.layout, self.seconds = layout, seconds

    async def mark(self, keys: Iterable[int]) -> int:
        """Marks pages as known without queueing them; returns how many were not known.

        Raises:
            StoreUnavailable: Redis is away; the call may be repeated.
        """
        arguments: list[Argument] = ["", "", self.layout.name]
        for key in keys:
            arguments += self.layout.place(key)
        with outages():
            return int(await self._scripts.run("mark", arguments))

    async def keys(self, place: str) -> list[str]:
        """Keys in which a mark of this place may lie: those of the current generation and the one before."""
        current = int(await self._redis.hget(f"{self._prefix}:generation", "current") or 0)
        return [self.key(one, place) for one in range(current, max(-1, current - 2), -1)]

    async def turn(self, *, now: float | None = None) -> bool:
        """Begins a new generation of marks where it is time, and removes some of what is too old.

        Returns:
            Whether nothing is left to remove; else this is to be called again soon.
        """
        at = "" if now is None else f"{now:.6f}"
        current, oldest, gone = map(int, await self._scripts.run("turn", [at, "", self.seconds / 2]))
        if oldest >= current - 1:
            return True
        places = range(gone, min(gone + _MOST_REMOVED, self.layout.parts))
        for i in range(0, len(places), _UNLINKED):
            await self._redis.unlink(*(self.key(oldest, format(place, "x")) for place in places[i : i + _UNLINKED]))
        done = places.stop >= self.layout.parts
        left = {"oldest": oldest + done, "gone": 0 if done else places.stop}
        await self._redis.hset(f"{self._prefix}:generation", mapping=left)  # type: ignore[arg-type]
        return False

    def key(self, generation: int, place: str) -> str:
        """The Redis key of a place in a generation; ``lua/slots.lua`` makes the same."""
        kind = "seen" if self.layout.name == "exact" else "bloom"
        return f"{self._prefix}:{kind}:{place}" if generation == 0 else f"{self._prefix}:{kind}:{generation}:{place}"
