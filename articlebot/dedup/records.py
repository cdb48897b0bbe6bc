"""The record that each placement leaves: what is needed to compare a later text with it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from articlebot.dedup.sketch import Kind, Sketch

_HEAD = struct.Struct(">QII3sH")
HEAD_BYTES = _HEAD.size
_SHORT = 0x8000
# Redis' allocator has a class of 10,240 bytes; a chunk fills one, less the string's own head.
_CHUNK_BYTES = 10_240 - 16


@dataclass(frozen=True, slots=True)
class Record:
    """One placement. ``key`` is 0 for a version that its article has left."""

    number: int
    key: int
    at: int
    cluster: int
    source: int
    kind: Kind
    size: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Layout:
    """Where records lie: ``slots`` of ``slot_bytes`` in each chunk."""

    slot_bytes: int
    slots: int

    @classmethod
    def of(cls, body_bytes: int) -> Layout:
        slot_bytes = HEAD_BYTES + body_bytes
        return cls(slot_bytes, _CHUNK_BYTES // slot_bytes)

    def place(self, number: int) -> tuple[int, int, int]:
        """Chunk, first and last byte of a record."""
        start = number % self.slots * self.slot_bytes
        return number // self.slots, start, start + self.slot_bytes - 1


def tail(sketch: Sketch) -> bytes:
    """The end of a record, which the sketch gives; the script writes what stands before it."""
    return (sketch.size | (_SHORT if sketch.kind == "short" else 0)).to_bytes(2, "big") + sketch.body


def parse(number: int, raw: bytes, simhash: bool) -> Record | None:
    """A record from its bytes, None where there is none (any more)."""
    if len(raw) < HEAD_BYTES:
        return None
    key, at, cluster, source, size = _HEAD.unpack_from(raw)
    if not cluster:
        return None
    kind: Kind = "simhash" if simhash else "short" if size & _SHORT else "words"
    return Record(number, key, at, cluster, int.from_bytes(source, "big"), kind, size & ~_SHORT, raw[HEAD_BYTES:])
