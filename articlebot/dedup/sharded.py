"""What near-duplicates keep in Redis, in hash slots of their own: buckets by what chooses them, bodies by number.

One slot, the home, decides as before: numbers, clusters and key map lie there, with the heads of records (30 bytes of
an article's 340). A placement's bucket entries and body go into a log there, in the step that places it, until a worker
has written 64 of them to the shards. Workers remember the log, and ask for its end only. So a look asks home and shards
at the same moment, a placement asks the home alone, and what is written to the shards goes with a placement.
"""

from __future__ import annotations

import asyncio
import logging
import struct
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import redis.asyncio

from articlebot.dedup.index import Asked, Numbers, newest
from articlebot.dedup.records import HEAD, Layout, Rows, in_chunk
from articlebot.dedup.store import Reading, RedisClusters, Reply, Step, map_bucket
from articlebot.files import shipped

logger = logging.getLogger(__name__)

_LOGGED = struct.Struct(">IH")
_ID = np.dtype([("type", "u1"), ("id", ">u4")])  # MessagePack's u32
_WRITTEN_AT_ONCE = 64
_LOOKS = 4


class ShardedClusters(RedisClusters):
    """The same in shards: a client and the first part of the keys for each.

    An index that was there before is used as it lies until ``scrapy frontier reshard`` has moved it.
    """

    def __init__(
        self, client: redis.asyncio.Redis, base: str, layout: Layout, *, simhash: bool, entry: int,
        shards: Sequence[tuple[Any, str]],
    ) -> None:  # fmt: skip
        super().__init__(client, base, layout, simhash=simhash)
        self.shards, self._entry = shards, entry
        body = layout.dtype.itemsize - HEAD
        self._whole, self._head = self._row, (HEAD, in_chunk(HEAD))
        self._body: tuple[int, int] = body, in_chunk(body)
        self._is_cut: bool | None = None
        self._log = client.register_script(shipped("articlebot.dedup", "lua/log.lua"))
        # Placements after ``_from``, up to ``_known``: entries by bucket, and bodies.
        self._from = self._known = self._written = self._floor = self._most = 0
        self._entries: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        self._bodies: dict[int, bytes] = {}
        self._is_writing = False

    async def open(self) -> bool:
        """Whether the index lies in these shards; one that is new does from now on."""
        if self._is_cut is None:
            number = len(self.shards)
            if not await self._client.exists(f"{self.base}n"):
                await self._client.setnx(f"{self.base}cut", number)
            self._is_cut = int(await self._client.get(f"{self.base}cut") or 1) == number
            self._row = self._head if self._is_cut else self._whole
            if not self._is_cut:
                logger.warning("The near-duplicates are not in %d shards: `scrapy frontier reshard %d`", number, number)
        return self._is_cut

    async def read(self, keys: Sequence[int], asked: Asked) -> Reading:
        buckets = asked.buckets.tolist()
        parts: dict[int, list[int]] = defaultdict(list)
        for position, bucket in enumerate(buckets):
            parts[bucket % len(self.shards)].append(position)
        for _ in range(_LOOKS):
            if not await self.open():
                return await super().read(keys, asked)
            looks = (self._look_at(number, [buckets[n] for n in some]) for number, some in parts.items())
            (seen, maps), *found = await asyncio.gather(self._home(keys), *looks)
            # What was written to a shard after it was asked may be out of the log before the home is asked. A shard
            # that has lost its last moments does not find what was in them.
            if seen >= 0 and all(done >= self._from for done, _ in found):
                break
        texts = [b""] * len(buckets)
        for (done, some), positions in zip(found, parts.values(), strict=True):
            for position, text in zip(positions, some, strict=True):
                texts[position] = text + self._later(buckets[position], done, seen, is_new=not text)
        lengths = [len(text) for text in maps]
        placed = newest(np.array(lengths, dtype=np.int64), b"".join(maps), keys)
        return Reading(seen, placed, np.array([len(text) for text in texts], dtype=np.int64), b"".join(texts))

    def _later(self, bucket: int, done: int, seen: int, *, is_new: bool) -> bytes:
        """What the log has for a bucket beyond what was read there; its first place is a head."""
        some = self._entries.get(bucket)
        if not some:
            return b""
        later = b"".join([entry for number, entry in some if done < number <= seen])
        return bytes(self._entry) + later if is_new else later

    async def _home(self, keys: Sequence[int]) -> tuple[int, list[bytes]]:
        """The last number, -1 to look again, and the key map's buckets; takes in what the log has."""
        known = self._known
        maps = [f"{self.base}k{map_bucket(key)}" for key in keys]
        found: list[bytes | None]
        found, log = await self._ask(self._log, self.base, known, *maps)
        last, trimmed, self._floor = (int(number or 0) for number in found[:3])
        if last < known or trimmed > self._known:  # the server has lost something, or the log has gone on
            self._entries.clear()
            self._bodies.clear()
            self._from, self._known, self._written = trimmed, 0 if last < known else trimmed, trimmed
            if last < known:
                self._is_cut = None
                return -1, []
        for text in log:
            number, count = _LOGGED.unpack_from(text)
            if number > self._from and number not in self._bodies:  # else another look has brought it
                end = _LOGGED.size + count * self._entry
                for at in range(_LOGGED.size, end, self._entry):
                    entry = text[at + 4 : at + self._entry] + text[:4]
                    self._entries[int.from_bytes(text[at : at + 4], "big")].append((number, entry))
                self._bodies[number] = text[end:]
        self._known, self._written = max(self._known, last), max(self._written, trimmed)
        self._forget(trimmed)
        return last, [text or b"" for text in found[3:]]

    def _forget(self, number: int) -> None:
        """Lets go of what is in all shards, up to a number."""
        if number <= self._from:
            return
        self._from = number
        self._bodies = {one: body for one, body in self._bodies.items() if one > number}
        for bucket in list(self._entries):
            self._entries[bucket] = [one for one in self._entries[bucket] if one[0] > number]
            if not self._entries[bucket]:
                del self._entries[bucket]

    async def _look_at(self, number: int, buckets: Sequence[int]) -> tuple[int, list[bytes]]:
        """Up to where a shard has all, and some of its buckets."""
        client, base = self.shards[number]
        done, *found = await client.mget([f"{base}n", *(f"{base}b{bucket:x}" for bucket in buckets)])
        self._most = max(self._most, int(done or 0))
        return int(done or 0), [text or b"" for text in found]

    def _keys(self, asked: Asked) -> bytes:
        if not self._is_cut:
            return super()._keys(asked)
        ids = np.full(len(asked.buckets), 0xCE, dtype=_ID)
        ids["id"] = asked.buckets
        return ids.tobytes()

    def _progress(self) -> tuple[int, int]:
        return self._written, self._most

    async def place(self, step: Step, window: float) -> list[Reply | None]:
        if not self._is_cut or self._is_writing or self._known - self._written < _WRITTEN_AT_ONCE:
            return await super().place(step, window)
        # Begun in this order, both go in one round trip.
        failed, replies = await asyncio.gather(self._write(), super().place(step, window))
        if failed:
            logger.debug("Near-duplicates stay in the log, a shard is away: %s", failed)
        return replies

    async def write_all(self) -> None:
        """Writes what the log has to the shards, while nobody places anything.

        Raises:
            redis.RedisError: a shard is away.
        """
        await self._home([])
        if failed := await self._write():
            raise failed

    async def _write(self) -> BaseException | None:
        """Writes to all shards what the log has for them, as far as this process knows it; why one could not."""
        upto, since, number = self._known, self._written, len(self.shards)
        entries: list[list[tuple[int, bytes]]] = [[] for _ in self.shards]
        bodies: list[list[bytes]] = [[] for _ in self.shards]
        for bucket, some in self._entries.items():
            head = bucket.to_bytes(4, "big")
            entries[bucket % number] += [(one, head + row) for one, row in some if one > since]
        for one, body in self._bodies.items():
            if one > since:
                bodies[one // self._body[1] % number].append(one.to_bytes(4, "big") + body)
        writes = [
            self._script(
                keys=[base], client=client,
                args=[base, "write", *self._body, upto, self._floor, self._entry,
                      b"".join(row for _, row in sorted(entries[n])), b"".join(bodies[n])],
            )
            for n, (client, base) in enumerate(self.shards)
        ]  # fmt: skip
        self._is_writing = True
        try:
            told = await asyncio.gather(*writes, return_exceptions=True)
        finally:
            self._is_writing = False
        failed = next((one for one in told if isinstance(one, BaseException)), None)
        if failed is None:
            self._written = max(self._written, upto)
        return failed

    async def _ask(self, script: Any, *arguments: Any) -> Any:
        # By the client whose commands go with those of the shards.
        return await script(keys=[self.base], args=arguments)

    async def rows(self, numbers: Numbers) -> Rows:
        if not await self.open() or not len(numbers):
            return await super().rows(numbers)
        if int(numbers.max()) > self._known:  # placed since the last look
            await self._home([])
        rows = np.zeros(len(numbers), dtype=self._layout.dtype)
        table = rows.view(np.uint8).reshape(len(rows), -1)
        parts: dict[int, list[int]] = defaultdict(list)
        for position, number in enumerate(numbers.tolist()):
            if (body := self._bodies.get(number)) is not None:
                table[position, HEAD:] = np.frombuffer(body, dtype=np.uint8)
            else:
                parts[number // self._body[1] % len(self.shards)].append(position)

        async def body_of(shard: int, at: Sequence[int]) -> None:
            client, base = self.shards[shard]
            args: list[Any] = [f"{base}r", *self._body, numbers[at].astype(">u4").tobytes()]
            reply = await self._records(keys=[base], args=args, client=client)
            table[at, HEAD:] = np.frombuffer(reply, dtype=np.uint8).reshape(len(at), -1)

        heads = self._ask(self._records, f"{self.base}h", *self._head, numbers.astype(">u4").tobytes())
        reply, *_ = await asyncio.gather(heads, *(body_of(shard, at) for shard, at in parts.items()))
        table[:, :HEAD] = np.frombuffer(reply, dtype=np.uint8).reshape(len(rows), HEAD)
        return rows
