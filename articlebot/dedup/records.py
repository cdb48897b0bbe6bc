"""The record that each placement leaves: what is needed to compare a later text with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from articlebot.dedup.sketch import Sketch

_SHORT = 0x8000
# Redis' allocator has a class of 10,240 bytes; a chunk fills one, less the string's own head.
_CHUNK_BYTES = 10_240 - 16
# Bytes of a record before its size: what changes, and what clusters need.
HEAD = 19

# Rows of a layout's ``dtype``.
Rows = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where records lie: ``slots`` rows of ``dtype`` in each chunk; a row with the key 0 is a version that its article
    has left."""

    dtype: np.dtype[np.void]
    slots: int

    @classmethod
    def of(cls, body_bytes: int) -> Layout:
        fields: list[Any] = [
            ("key", ">u8"), ("at", ">u4"), ("cluster", ">u4"), ("source", "u1", (3,)), ("size", ">u2"),
            ("body", "u1", (body_bytes,)),
        ]  # fmt: skip
        dtype = np.dtype(fields)
        return cls(dtype, in_chunk(dtype.itemsize))


def in_chunk(size: int) -> int:
    """How many records, or parts of them, of so many bytes are in a chunk."""
    return _CHUNK_BYTES // size


def tail(sketch: Sketch) -> bytes:
    """The end of a record, which the sketch gives; the script writes what stands before it."""
    return (sketch.size | (_SHORT if sketch.kind == "short" else 0)).to_bytes(2, "big") + sketch.body


@dataclass(frozen=True, slots=True)
class Columns:
    """Texts as they are compared, a column each: those of records, and those that are to be placed.

    ``there`` is false for a record that has been freed; ``source`` 0 is an unknown one.
    """

    there: npt.NDArray[np.bool_]
    at: npt.NDArray[np.int64]
    source: npt.NDArray[np.int64]
    short: npt.NDArray[np.bool_]
    size: npt.NDArray[np.int64]
    body: npt.NDArray[np.uint8]

    @classmethod
    def of_rows(cls, rows: Rows) -> Columns:
        size = rows["size"].astype(np.int64)
        source = rows["source"].astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
        there, at, short = rows["cluster"] > 0, rows["at"].astype(np.int64), size >= _SHORT
        return cls(there, at, source, short, size & ~_SHORT, rows["body"])

    @classmethod
    def of_sketches(cls, sketches: Sequence[Sketch], at: Sequence[float], source: Sequence[int]) -> Columns:
        body = np.frombuffer(b"".join(sketch.body for sketch in sketches), dtype=np.uint8)
        return cls(
            np.ones(len(sketches), dtype=np.bool_), np.array(at, dtype=np.int64), np.array(source, dtype=np.int64),
            np.array([sketch.kind == "short" for sketch in sketches], dtype=np.bool_),
            np.array([sketch.size for sketch in sketches], dtype=np.int64), body.reshape(len(sketches), -1),
        )  # fmt: skip

    def then(self, other: Columns) -> Columns:
        """These, and the other ones after them."""
        return Columns(*(np.concatenate((getattr(self, name), getattr(other, name))) for name in Columns.__slots__))
