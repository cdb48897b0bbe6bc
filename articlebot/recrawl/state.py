"""The state of one page: a fixed number of fields, about 40 bytes in Redis, whatever the page's age."""

from __future__ import annotations

import struct
from math import exp
from typing import NamedTuple

from articlebot.errors import StateError
from articlebot.recrawl.observation import Kind

VERSION = 2

# Version, kind and flags, fetches, failures; three times of 40 bits in 1/64 s; next - last, t, x.
_BASE = ">BBHB BI BI BI fff"

_TICKS = 64.0
_MAX_TICKS = (1 << 40) - 1
_MAX_F32 = 3.0e38
_HAS_HASH, _HAS_FINGERPRINT, _HAS_INTERVAL, _HAS_PAIR = 4, 8, 16, 32
_PARTS = ((_HAS_HASH, "Q"), (_HAS_FINGERPRINT, "Q"), (_HAS_INTERVAL, "f"), (_HAS_PAIR, "ff"))
# By the flags, the base and what follows it: one call reads or writes the whole state.
_LAYOUTS = [
    struct.Struct(_BASE + "".join(part for flag, part in _PARTS if flags & flag)) for flags in range(2 * _HAS_PAIR)
]

# A page that differs at each visit says no more than that.
_MOST = 4.0
# Part of a change, and of the time of a visit, that is believed beforehand.
_PRIOR = 0.1


class PageState(NamedTuple):
    """What is remembered of a page between visits. A named tuple: building one costs a third of a frozen dataclass.

    Attributes:
        kind: what the page is visited for.
        fetches: visits so far, whatever came of them, 0 for a seed not yet visited; stays at 65,535.
        failures: failed visits in a row, stays at 255; 0 after a success.
        first_at, last_at: first visit (for an article: when it appeared, as far as is known) and last visit that got an
            answer, epoch seconds.
        next_at: when the next visit is due, epoch seconds.
        t: observed time in seconds, as the policy counts it (design A: since the first fetch).
        x: changes seen in ``t``, as the policy counts them.
        interval: the policy's own period in seconds before bounds, profile or phase; ``next_at - last_at`` where a
            policy keeps none.
        changed_at: when the page last changed, as far as is known, epoch seconds.
        content_hash: 64-bit hash of what was seen last, 0 unknown.
        fingerprint: 64-bit SimHash of what was seen last, 0 unknown.
        slow_t, slow_x: the same pair over a longer memory, for policies that watch two time scales; 0 elsewhere.
    """

    kind: Kind = Kind.DOCUMENT
    fetches: int = 0
    failures: int = 0
    first_at: float = 0.0
    last_at: float = 0.0
    next_at: float = 0.0
    t: float = 0.0
    x: float = 0.0
    interval: float = 0.0
    changed_at: float = 0.0
    content_hash: int = 0
    fingerprint: int = 0
    slow_t: float = 0.0
    slow_x: float = 0.0

    def pack(self) -> bytes:
        """The state as bytes: 32, and 8 each for hash, fingerprint and the slow pair where known.

        Times are kept to 1/64 s, the other numbers to 24 significant bits.
        """
        flags = int(self.kind)
        gap = _f32(self.next_at - self.last_at)
        more: list[float] = []
        if self.content_hash:
            flags |= _HAS_HASH
            more.append(self.content_hash)
        if self.fingerprint:
            flags |= _HAS_FINGERPRINT
            more.append(self.fingerprint)
        if abs(self.interval - gap) > 1e-6 * abs(gap):
            flags |= _HAS_INTERVAL
            more.append(_f32(self.interval))
        if self.slow_t or self.slow_x:
            flags |= _HAS_PAIR
            more += (_f32(self.slow_t), _f32(self.slow_x))
        first, last, changed = _ticks(self.first_at), _ticks(self.last_at), _ticks(self.changed_at)
        return _LAYOUTS[flags].pack(
            VERSION, flags, min(self.fetches, 0xFFFF), min(self.failures, 0xFF),
            first >> 32, first & 0xFFFFFFFF, last >> 32, last & 0xFFFFFFFF, changed >> 32, changed & 0xFFFFFFFF,
            gap, _f32(self.t), _f32(self.x), *more,
        )  # fmt: skip

    @classmethod
    def unpack(cls, packed: bytes) -> PageState:
        """The state that ``pack`` has made bytes of.

        Raises:
            StateError: bytes of another version, or too few of them.
        """
        try:
            if packed[0] != VERSION:
                raise StateError(f"page state of version {packed[0]}; this articlebot reads {VERSION}")
            return _unpacked(packed)
        except (struct.error, IndexError, ValueError) as error:
            raise StateError(f"page state of {len(packed)} bytes is damaged: {error}") from None


_KINDS = (Kind.LIST, Kind.ARTICLE, Kind.DOCUMENT)


def _unpacked(packed: bytes) -> PageState:
    flags = packed[1]
    (
        _, _, fetches, failures, first_high, first, last_high, last, changed_high, changed, gap, t, x, *more,
    ) = _LAYOUTS[flags].unpack_from(packed)  # fmt: skip
    last_at = ((last_high << 32) + last) / _TICKS
    content_hash = more.pop(0) if flags & _HAS_HASH else 0
    fingerprint = more.pop(0) if flags & _HAS_FINGERPRINT else 0
    interval = more.pop(0) if flags & _HAS_INTERVAL else gap
    slow_t, slow_x = more or (0.0, 0.0)
    return PageState(
        _KINDS[flags & 3], fetches, failures, ((first_high << 32) + first) / _TICKS, last_at, last_at + gap, t, x,
        interval, ((changed_high << 32) + changed) / _TICKS, content_hash, fingerprint, slow_t, slow_x,
    )  # fmt: skip


def _ticks(at: float) -> int:
    return round(min(max(at * _TICKS, 0.0), float(_MAX_TICKS)))


def _f32(value: float) -> float:
    return min(max(value, -_MAX_F32), _MAX_F32)


def among(expected: float) -> float:
    """Changes to count for a visit that found the page changed, where so many were expected (the step E of EM)."""
    if expected < 1e-3:
        return 1.0
    expected = min(expected, _MOST)
    return expected / (1.0 - exp(-expected))


def changes_due(state: PageState, seconds: float) -> float:
    """Changes of a page to expect in so many seconds, by its longer memory."""
    if seconds <= 0.0:
        return 0.0
    return seconds * (state.slow_x + _PRIOR) / (state.slow_t + _PRIOR * seconds)
