"""What near-duplicates keep in Redis, as the scripts in ``lua/`` lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import redis.asyncio
from redis.exceptions import RedisError

from articlebot.dedup.index import Probes
from articlebot.dedup.records import Layout, Record, parse

_MAP_BITS = 14
_KNOWN_SOURCES = 100_000


@dataclass(frozen=True, slots=True)
class Reading:
    """One look: number of the last placement, the key map's bucket, the others and the bytes of each."""

    last: int
    placed: bytes
    lengths: npt.NDArray[np.int64]
    buckets: bytes


class RedisClusters:
    """Buckets, records and clusters under one base key.

    Args:
        client: Redis 6.2 or later, replies as bytes.
        base: first part of every key.
        layout: of the records.
        simhash: whether records carry fingerprints.
    """

    def __init__(self, client: redis.asyncio.Redis, base: str, layout: Layout, *, simhash: bool) -> None:
        self._client: Any = client  # redis-py types replies as bytes or text, whatever the client decodes
        self.base = base
        self._layout = layout
        self._simhash = simhash
        self._sources: dict[str, int] = {}
        self._kept: Any = None
        self._script, self._look = (
            client.register_script((files("articlebot.dedup") / "lua" / name).read_text(encoding="utf-8"))
            for name in ("neardup.lua", "look.lua")
        )

    async def run(self, command: str, *arguments: Any) -> list[Any]:
        """The reply of a command of ``neardup.lua``: place, forget or split."""
        return (await self.run_many(command, [arguments]))[0]

    async def run_many(self, command: str, calls: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """The replies of calls of one command, made one after the other in one round trip."""
        head = [self.base, command, self._layout.slot_bytes, self._layout.slots]
        return await self._replies(self._script, [[*head, *arguments] for arguments in calls])

    async def read(self, wanted: Sequence[tuple[int | None, Probes]]) -> list[Reading]:
        """For each page key (None: not wanted) and its probes what is there, in one round trip."""
        looks = [
            probes.packed(f"{self.base}n", f"{self.base}k{'-' if key is None else map_bucket(key)}")
            for key, probes in wanted
        ]
        if len(looks) == 1:
            replies = [await self._look_once(looks[0])]
        else:
            replies = await self._replies(self._look, [[look] for look in looks])
        readings = []
        for reply, (_, probes) in zip(replies, wanted, strict=True):
            head = np.frombuffer(reply, dtype=">u4", count=2 + probes.count).astype(np.int64)
            start = 4 * len(head)
            end = start + int(head[1])
            readings.append(Reading(int(head[0]), reply[start:end], head[2:], reply[end:]))
        return readings

    async def _look_once(self, look: bytes) -> Any:
        """The reply to one look, by a connection kept for that.

        A client takes a connection from its pool for each command, checks it, times the command and puts the connection
        back. Every article needs a look, and that would be a third of its time. Whatever goes wrong here, the client
        asks again in its own way.
        """
        pool = self._client.connection_pool
        connection, self._kept = self._kept, None
        answered = False
        try:
            connection = connection or await pool.get_connection()
            await connection.send_command("EVALSHA", self._look.sha, 1, self.base, look)
            reply = await connection.read_response()
            answered = True
        except RedisError:
            (reply,) = await self._replies(self._look, [[look]])
        finally:
            if answered and self._kept is None:
                self._kept = connection
            elif connection is not None:
                await pool.release(connection)
        return reply

    async def _replies(self, script: Any, calls: Sequence[list[Any]]) -> list[Any]:
        # The base is no key, but it names the slot that all keys below it are in.
        if len(calls) == 1:
            return [await script(keys=[self.base], args=calls[0])]
        pipe = self._client.pipeline(transaction=False)
        for arguments in calls:
            await script(keys=[self.base], args=arguments, client=pipe)
        replies: list[Any] = await pipe.execute()
        return replies

    async def records(self, numbers: Sequence[int]) -> list[Record]:
        """Records of placements that are still there, in the order asked for."""
        if not numbers:
            return []
        pipe = self._client.pipeline(transaction=False)
        for number in numbers:
            chunk, start, end = self._layout.place(number)
            pipe.getrange(f"{self.base}r{chunk}", start, end)
        rows = zip(numbers, await pipe.execute(), strict=True)
        return [record for number, raw in rows if (record := parse(number, raw, self._simhash))]

    async def members(self, root: int) -> tuple[dict[bytes, bytes], list[Record]]:
        """The fields of a cluster and the records of its listed members that are articles still."""
        pipe = self._client.pipeline(transaction=True)
        pipe.hgetall(f"{self.base}c{root}")
        pipe.get(f"{self.base}m{root}")
        fields, packed = await pipe.execute()
        numbers = np.frombuffer(packed or b"", dtype=">u4").tolist()
        return fields, [record for record in await self.records(numbers) if record.key]

    async def root(self, cluster: int) -> int:
        """The cluster that a cluster has gone into; itself where it has not."""
        for _ in range(64):
            into = await self._client.hget(f"{self.base}c{cluster}", "into")
            if into is None:
                break
            cluster = int(into)
        return cluster

    async def source(self, number: bytes) -> str:
        """A source's name."""
        name = await self._client.hget(f"{self.base}S", number)
        return (name or b"").decode()

    async def source_numbers(self, sources: Iterable[str]) -> dict[str, int]:
        """Numbers of sources, 0 for none and for one that no article has come from yet."""
        names = set(sources) - {""}
        if self._simhash or not names:
            return {}
        unknown = [name for name in names if name not in self._sources]
        if unknown:
            found = zip(unknown, await self._client.hmget(f"{self.base}s", unknown), strict=True)
            self._sources.update((name, int(number)) for name, number in found if number)
        numbers = {name: self._sources.get(name, 0) for name in names}
        if len(self._sources) > _KNOWN_SOURCES:
            self._sources.clear()
        return numbers

    async def epoch(self) -> int:
        """When the first article was placed, epoch seconds: the first half of each cluster's name."""
        return int(await self._client.get(f"{self.base}e") or 0)


def map_bucket(key: int) -> str:
    """The bucket of the key map for a page key; 2**14 of them."""
    return f"{key >> (64 - _MAP_BITS):x}"
