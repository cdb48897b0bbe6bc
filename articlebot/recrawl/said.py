"""What entry pages said last of the pages they name, and what it tells of changes when they say something else."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

import redis.asyncio

from articlebot.connect import RedisStore
from articlebot.frontier.scripts import outages
from articlebot.recrawl.signals import HEADLINE, PLACE, STATED

_PACKED = struct.Struct(">QII")
# What a sitemap may name; a feed or a list page names some dozens. 16 bytes each.
_MOST = 2000
# An entry page that is not read for so long is compared with nothing when it comes back.
_KEPT_S = 14 * 86_400
# Entry pages of which this process knows that they say what they said.
_MOST_KNOWN = 20_000


# A stated time that is a multiple of this may be a bare date, or rounded: of the visits of its day it says nothing.
_ROUNDED_S = 900
# For clocks that differ, and for caches that show the page of before: so long after the stated time a visit saw it.
_SEEN_AFTER_S = 60


class Said(NamedTuple):
    """What an entry page says of a page: when it was changed (epoch seconds, 0 nothing), and a hash of its headline."""

    key: int
    stated: int = 0
    headline: int = 0

    @classmethod
    def of(cls, key: int, stated_at: float | None, headline: str) -> Said:
        """What a link says; a time beyond 32 bits says nothing."""
        stated = int(stated_at) if stated_at is not None and 0 < stated_at < 2**32 else 0
        return cls(key, stated, crc32(headline.encode("utf-8", "surrogatepass")) if headline else 0)

    def is_before(self, visit_at: float) -> bool:
        """Whether a visit has surely seen the change whose time is stated."""
        return 0 < self.stated <= visit_at - _SEEN_AFTER_S and self.stated % _ROUNDED_S != 0


def told(before: Sequence[Said], after: Sequence[Said]) -> dict[int, int]:
    """The signals, bits by page key, of the pages that an entry page names again and says something else of."""
    old = {one.key: (number, one) for number, one in enumerate(before)}
    found: dict[int, int] = {}
    again = [one for one in after if one.key in old]
    for one in again:
        was = old[one.key][1]
        if one.stated and was.stated and one.stated != was.stated:
            found[one.key] = STATED
        if one.headline and was.headline and one.headline != was.headline:
            found[one.key] = found.get(one.key, 0) | HEADLINE
    for one, has_moved in zip(again, _out_of_order([old[one.key][0] for one in again]), strict=True):
        if has_moved:
            found[one.key] = found.get(one.key, 0) | PLACE
    return found


def _out_of_order(numbers: Sequence[int]) -> list[bool]:
    """Which of the numbers must go so that the others ascend, as few as can be (Schensted, 1961)."""
    ends: list[int] = []
    at_end: list[int] = []
    before = [-1] * len(numbers)
    for i, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before[i] = at_end[length - 1] if length else -1
        ends[length : length + 1] = [number]
        at_end[length : length + 1] = [i]
    moved, i = [True] * len(numbers), at_end[-1] if at_end else -1
    while i >= 0:
        moved[i] = False
        i = before[i]
    return moved


class RedisSaid(RedisStore):
    """Keeps what entry pages said, a short-lived key each."""

    part, below = "recrawl", "said"

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}") -> None:
        super().__init__(client, prefix)
        self._known: dict[int, int] = {}

    async def now(self, entry: int, said: Iterable[Said]) -> dict[int, int]:
        """The signals in what an entry page says now, see ``told``; one round trip, none where it says the same.

        Args:
            entry: its page key.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        every = list(said)[:_MOST]
        packed = b"".join([_PACKED.pack(*one) for one in every])
        digest = hash(packed)
        if not every or self._known.get(entry) == digest:
            return {}
        key = f"{self._key}:{entry:016x}"
        with outages():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.get(key)
                pipe.set(key, packed, ex=_KEPT_S)
                before, _ = await pipe.execute()
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[entry] = digest
        if not before or before == packed or len(before) % _PACKED.size:
            return {}
        return told([Said(*one) for one in _PACKED.iter_unpack(before)], every)
