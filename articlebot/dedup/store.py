"""What near-duplicates keep in Redis, as the scripts in ``lua/`` lay it out."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import redis.asyncio
from redis.exceptions import RedisError

from articlebot.dedup.index import Asked, Numbers, Placed, newest, packed
from articlebot.dedup.records import Layout, Rows
from articlebot.files import shipped

_MAP_BITS = 14
_KNOWN_SOURCES = 100_000
_ROW = struct.Struct(">QIIHHHHH")
_PLACED = struct.Struct(">IIBIIQH")

Role = Literal["single", "representative", "member"]
_ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read for some texts: number of the last placement, earlier ones of theirs, and their buckets.

    ``lengths`` bytes of each bucket, one after the other.
    """

    seen: int
    placed: Placed
    lengths: Numbers
    buckets: bytes


@dataclass(frozen=True, slots=True)
class Coming:
    """An article that is to be placed: its record's ``tail``, the placement before, and what it matches.

    ``matched`` are placements, ``earlier`` positions in the same step. A ``twin`` is not kept in the index.
    """

    key: int
    at: int
    source: str
    tail: bytes
    old: int = 0
    matched: Sequence[int] = ()
    earlier: Sequence[int] = ()
    twin: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Articles that are placed in one step, as looked at when ``seen`` was the last; ``crowded`` spots are left out."""

    seen: int
    asked: Asked
    coming: Sequence[Coming]
    crowded: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Reply:
    """Where an article was placed; ``left`` is the cluster its old version was in, 0 for none."""

    cluster: str
    role: Role
    members: int
    representative: int
    left: int
    merged: tuple[str, ...]


class _Kept:
    """A connection that leaves it to its user how long a reply may take (seconds, None for ever)."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.patience_s: float | None = connection.socket_timeout
        connection.socket_timeout = None


class RedisClusters:
    """Buckets, records (with ``simhash`` of fingerprints) and clusters; all keys begin with the base."""

    def __init__(self, client: redis.asyncio.Redis, base: str, layout: Layout, *, simhash: bool) -> None:
        self._client: Any = client  # redis-py types replies as bytes or text, whatever the client decodes
        self.base = base
        self._layout = layout
        self._simhash = simhash
        self._sources: dict[str, int] = {}
        self._kept: _Kept | None = None
        self._script, self._look, self._records = (
            client.register_script(shipped("articlebot.dedup", f"lua/{name}.lua"))
            for name in ("neardup", "look", "records")
        )
        # Bytes of a record here, and records of a chunk.
        self._row: tuple[int, int] = layout.dtype.itemsize, layout.slots

    async def run(self, command: str, *arguments: Any) -> Any:
        """The reply of a command of ``neardup.lua``: place, forget or split."""
        return await self._ask(self._script, self.base, command, *self._row, *arguments)

    def _keys(self, asked: Asked) -> bytes:
        """The buckets asked for, each in MessagePack, as ``place`` knows them."""
        return asked.keys

    def _progress(self) -> tuple[int, int]:
        """Numbers of the last placements: up to where shards have all, and that any of them has."""
        return 0, 0

    async def read(self, keys: Sequence[int], asked: Asked) -> Reading:
        """For some page keys and the buckets asked for what is there, in one round trip."""
        names = [f"{self.base}n", *(f"{self.base}k{map_bucket(key)}" for key in keys)]
        reply = await self._ask(self._look, packed(names, len(asked.texts), asked.keys))
        head = np.frombuffer(reply, dtype=">u4", count=len(names) + len(asked.texts)).astype(np.int64)
        maps, lengths = head[1 : len(names)], head[len(names) :]
        start = 4 * len(head)
        end = start + int(maps.sum())
        return Reading(int(head[0]), newest(maps, reply[start:end], keys), lengths, reply[end:])

    async def place(self, step: Step, window: float) -> list[Reply | None]:
        """Places articles; None for those to look at again: others were placed into the same buckets since ``seen``."""
        asked, coming = step.asked, step.coming
        sources = {source: number for number, source in enumerate(dict.fromkeys(one.source for one in coming), 1)}
        owners = asked.texts[asked.spots]
        kept = ~step.crowded & ~np.array([one.twin for one in coming], dtype=np.bool_)[owners]
        starts = np.array(asked.starts())
        counts = np.bincount(owners[kept], minlength=asked.count).tolist()
        rows = [
            _ROW.pack(
                one.key, one.at, one.old, sources[one.source], probes, entries, len(one.matched), len(one.earlier)
            )
            + one.tail
            for one, probes, entries in zip(coming, np.diff(starts).tolist(), counts, strict=True)
        ]
        size = asked.entries.itemsize
        spots = (asked.spots - starts[owners]).astype(">u2").view(np.uint8).reshape(-1, 2)
        entries = asked.entries.view(np.uint8).reshape(-1, size)[:, : size - 4]
        reply = await self.run(
            "place", step.seen, int(window), size, len(coming[0].tail), *self._progress(),
            packed((), len(asked.texts), self._keys(asked)), b"".join(rows),
            np.concatenate((spots, entries), axis=1)[kept].tobytes(),
            np.array([number for one in coming for number in one.matched], dtype=">u4").tobytes(),
            np.array([number for one in coming for number in one.earlier], dtype=">u2").tobytes(),
            *sources,
        )  # fmt: skip
        return list(_replies(reply))

    async def _ask(self, script: Any, *arguments: Any) -> Any:
        """The reply of a script, by a connection kept for that.

        A client takes a connection from its pool for each command, checks it, times sending and reading apart and puts
        the connection back: the three scripts of an article take .70 ms of CPU so, and .46 by a kept connection
        (Python 3.11, redis-py 7). Whatever goes wrong here, the client asks again in its own way; a step that was done
        although no reply came has changed what it depends on, so that it is refused.
        """
        # The base is no key, but it names the slot that all keys below it are in.
        kept, self._kept = self._kept, None
        try:
            kept = kept or _Kept(await self._client.connection_pool.get_connection())
            async with asyncio.timeout(kept.patience_s):
                await kept.connection.send_command("EVALSHA", script.sha, 1, self.base, *arguments)
                reply = await kept.connection.read_response()
        except (RedisError, TimeoutError):
            await self._give_back(kept)
            return await script(keys=[self.base], args=arguments)
        except BaseException:
            await self._give_back(kept)
            raise
        other, self._kept = self._kept, kept  # of a question that was asked meanwhile
        await self._give_back(other)
        return reply

    async def _give_back(self, kept: _Kept | None) -> None:
        if kept is not None:
            kept.connection.socket_timeout = kept.patience_s
            await self._client.connection_pool.release(kept.connection)

    async def rows(self, numbers: Numbers) -> Rows:
        """The records of placements, in the order asked for; zeros for those that are not there (any more)."""
        if len(numbers) == 0:
            return np.zeros(0, dtype=self._layout.dtype)
        reply = await self._ask(self._records, f"{self.base}r", *self._row, numbers.astype(">u4").tobytes())
        return np.frombuffer(reply, dtype=self._layout.dtype)

    async def members(self, root: int) -> tuple[dict[bytes, bytes], Numbers, Rows]:
        """The fields of a cluster, and the placements and records of its listed members that are articles still."""
        pipe = self._client.pipeline(transaction=True)
        pipe.hgetall(f"{self.base}c{root}")
        pipe.get(f"{self.base}m{root}")
        fields, packed = await pipe.execute()
        numbers = np.frombuffer(packed or b"", dtype=">u4").astype(np.int64)
        rows = await self.rows(numbers)
        there = (rows["cluster"] > 0) & (rows["key"] > 0)
        return fields, numbers[there], rows[there]

    async def root(self, cluster: int) -> int:
        """The cluster that a cluster has gone into; itself where it has not."""
        for _ in range(64):
            into = await self._client.hget(f"{self.base}c{cluster}", "into")
            if into is None:
                break
            cluster = int(into)
        return cluster

    async def source_numbers(self, sources: Sequence[str]) -> list[int]:
        """A number of each source, the same for the same: of "" 0, of one that is new beyond all that are given."""
        names = set(sources) - {""}
        if self._simhash or not names:
            return [0] * len(sources)
        unknown = [name for name in names if name not in self._sources]
        if unknown:
            found = zip(unknown, await self._client.hmget(f"{self.base}s", unknown), strict=True)
            self._sources.update((name, int(number)) for name, number in found if number)
        new = {name: 1 << 24 | nth for nth, name in enumerate(unknown)}
        numbers = [self._sources[name] if name in self._sources else new.get(name, 0) for name in sources]
        if len(self._sources) > _KNOWN_SOURCES:
            self._sources.clear()
        return numbers

    async def epoch(self) -> int:
        """When the first article was placed, epoch seconds: the first half of each cluster's name."""
        return int(await self._client.get(f"{self.base}e") or 0)


def map_bucket(key: int) -> str:
    """The bucket of the key map for a page key; 2**14 of them."""
    return f"{key >> (64 - _MAP_BITS):x}"


def _replies(reply: bytes) -> Iterator[Reply | None]:
    epoch, at = reply[:4].hex(), 4
    while at < len(reply):
        number, cluster, role, members, left, representative, merged = _PLACED.unpack_from(reply, at)
        at += _PLACED.size
        end = at + 4 * merged
        names = tuple(epoch + reply[start : start + 4].hex() for start in range(at, end, 4))
        at = end
        yield Reply(f"{epoch}{cluster:08x}", _ROLES[role], members, representative, left, names) if number else None
