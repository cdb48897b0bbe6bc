"""Clusters of near-duplicates in Redis: each article is placed as it comes, by any number of workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import redis.asyncio

from articlebot.config import Dedup
from articlebot.dedup import sketch as sketches
from articlebot.dedup.index import Found, Index, ShingleIndex, SimhashIndex, Spot, newest
from articlebot.dedup.records import Layout, Record, parse, tail
from articlebot.dedup.sketch import NOTHING, Overlap, Sketch
from articlebot.dedup.verification import components, is_duplicate, is_twin, keep_first
from articlebot.errors import StateError, StoreUnavailable

Role = Literal["single", "representative", "member"]

_MAP_BITS = 14
_TRIES = 200
_SPLIT_LIMIT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where an article came to stand.

    ``cluster`` is the cluster's name (16 hex digits, also for an article alone), ``similarity`` the containment (or
    Jaccard similarity of a short text) with the nearest text found, 0 where none is near, ``representative`` the page
    key of the cluster's representative, ``members`` how many articles the cluster has now. ``merged`` names clusters
    that went into this one; ``moved`` gives the page keys that an article's new version no longer connects, with the
    cluster each has now.
    """

    cluster: str
    role: Role
    similarity: float
    representative: int
    members: int = 1
    merged: tuple[str, ...] = ()
    moved: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster of two or more articles (or of one that others have left). ``keys`` lists its first 1,024 at most."""

    name: str
    members: int
    first_source: str
    first_at: int
    representative: int
    keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Article:
    key: int
    sketch: Sketch
    spots: list[Spot]
    probes: list[str]
    at: int
    source: str


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look into the index has shown; valid while nobody is placed into the same buckets."""

    seen: int
    old: Record | None
    matched: list[int]
    best: Overlap
    twin: bool
    crowded: list[bool]


class NearDuplicates:
    """Finds the near-duplicates of articles and keeps their clusters.

    Args:
        client: Redis 6.2 or later, replies as bytes.
        prefix: first part of every key.
        params: method, thresholds and window.
    """

    def __init__(self, client: redis.asyncio.Redis, prefix: str, params: Dedup | None = None) -> None:
        self.params = params = params or Dedup()
        self._client: Any = client  # redis-py types replies as bytes or text, whatever the client decodes
        self._sources: dict[str, int] = {}
        self._simhash = params.method.startswith("simhash")
        self._index: Index = SimhashIndex(int(params.method[7:])) if self._simhash else ShingleIndex()
        self._layout = Layout.of(8 if self._simhash else sketches.BODY_BYTES)
        # Another version of the sketch or another method cannot be compared: it starts beside the old one.
        tag = f"h{params.method[7:]}" if self._simhash else "w"
        self._base = f"{prefix}:nd:{tag}{sketches.VERSION}:"
        self._script, self._look_script = (
            client.register_script((files("articlebot.dedup") / "lua" / name).read_text(encoding="utf-8"))
            for name in ("neardup.lua", "look.lua")
        )

    async def place(self, key: int, text: str, fingerprint: int, at: float, first_source: str = "") -> Placement:
        """Puts an article, or a new version of one, into the cluster it belongs to.

        Args:
            key: page key, 64 bits, not 0.
            text: see :func:`articlebot.dedup.article_text`.
            fingerprint: of the text; what the ``simhash`` methods compare. Not used by ``shingles``.
            at: when it was fetched, epoch seconds.
            first_source: the site; becomes the cluster's first source where this is its earliest article.

        Raises:
            StoreUnavailable: other workers kept changing the same buckets.
            StateError: 2**32 placements are used up.
        """
        return await self.place_sketch(key, self.sketch(text, fingerprint), at, first_source)

    def sketch(self, text: str, fingerprint: int) -> Sketch:
        """What :meth:`place` keeps of a text; may be made in another thread or process."""
        return sketch_of(text, fingerprint, self.params)

    async def place_sketch(self, key: int, sketch: Sketch, at: float, source: str = "") -> Placement:
        """:meth:`place` for a sketch."""
        spots, probes = self._index.spots(sketch.items), self._index.probes(sketch.items)
        article = _Article(key, sketch, spots, probes, int(at), source)
        source_number = await self._source_number(source)
        for _ in range(_TRIES):
            look = await self._look(article, source_number)
            reply = await self._commit(article, look)
            if reply[0]:
                return await self._placement(key, look, reply)
            # Somebody was placed meanwhile, perhaps this text's twin: look again.
        raise StoreUnavailable(f"near-duplicates: {_TRIES} workers came first at {key:016x}")

    async def _placement(self, key: int, look: _Look, reply: list[Any]) -> Placement:
        _, name, role, representative, members, left, merged = reply
        cluster, leader = name.decode(), int.from_bytes(representative, "big")
        moved = await self._split(int(left)) if left else {}
        if moved:
            cluster = moved.pop(key, cluster)
            now = await self.cluster(cluster)
            members, leader = (now.members, now.representative) if now else (1, key)
            role = b"single" if members == 1 else b"representative" if leader == key else b"member"
        return Placement(
            cluster=cluster, role=role.decode(), similarity=look.best.containment, representative=leader,
            members=members, merged=tuple(other.decode() for other in merged), moved=moved,
        )  # fmt: skip

    async def candidates(self, sketch: Sketch) -> Found:
        """Placements that share items with a sketch: one round trip. Under ``simhash``: all within k bits."""
        _, _, counts, entries = await self._read("", self._index.probes(sketch.items))
        return self._index.search(sketch.items, counts, entries, 1 << 30 if self._simhash else self.params.candidates)

    async def records(self, numbers: Sequence[int]) -> list[Record]:
        """Records of placements that are still there, in the order asked for."""
        if not numbers:
            return []
        pipe = self._client.pipeline(transaction=False)
        for number in numbers:
            chunk, start, end = self._layout.place(number)
            pipe.getrange(f"{self._base}r{chunk}", start, end)
        rows = zip(numbers, await pipe.execute(), strict=True)
        return [record for number, raw in rows if (record := parse(number, raw, self._simhash))]

    async def forget(self, key: int) -> bool:
        """Takes an article out of its cluster, such as one that its site has withdrawn; False where it is not known."""
        _, placed, _, _ = await self._read(_map_bucket(key), [])
        records = await self.records(newest(placed, _tag(key)))
        old = next((record for record in records if record.key == key), None)
        if old is None:
            return False
        gone, *root = await self._script(args=[*self._head("forget"), old.number, key.to_bytes(8, "big")])
        if gone:
            await self._split(root[0])
        return bool(gone)

    async def cluster(self, name: str) -> Cluster | None:
        """A cluster by name, also by a name it had before it was merged; None for unknown ones and single articles."""
        root = int(name[8:], 16)
        for _ in range(64):
            into = await self._client.hget(f"{self._base}c{root}", "into")
            if into is None:
                break
            root = int(into)
        fields, members = await self._members(root)
        if b"n" not in fields or not members:
            return None
        epoch = int(await self._client.get(f"{self._base}e"))
        source = await self._client.hget(f"{self._base}S", fields[b"src"])
        leader = next((m.key for m in members if m.number == int(fields[b"rep"])), members[0].key)
        return Cluster(
            name=f"{epoch:08x}{root:08x}", members=int(fields[b"n"]), first_source=(source or b"").decode(),
            first_at=int(fields[b"first"]), representative=leader, keys=tuple(member.key for member in members),
        )  # fmt: skip

    async def _look(self, article: _Article, source: int) -> _Look:
        key, sketch, at = article.key, article.sketch, article.at
        seen, placed_before, counts, entries = await self._read(_map_bucket(key), article.probes)
        found = self._index.search(sketch.items, counts, entries, self.params.candidates)
        placed = newest(placed_before, _tag(key))
        records = {record.number: record for record in await self.records([*found.numbers, *placed])}
        old = next((records[n] for n in placed if n in records and records[n].key == key), None)
        matched, best, twin = [], NOTHING, False
        for record in (records[n] for n in found.numbers if n in records):
            if record.kind != sketch.kind or abs(record.at - at) > self.params.window:
                continue
            overlap = sketches.compare(sketch.kind, sketch.body, sketch.size, record.body, record.size)
            same_source = source == record.source != 0 and record != old
            if not is_duplicate(sketch.kind, overlap, same_source, self.params):
                continue
            matched.append(record.number)
            best = max(best, overlap, key=lambda o: (o.containment, o.jaccard))
            # A twin that is half out of the window would leave the later ones unfound.
            twin = twin or (is_twin(sketch.kind, overlap) and at - record.at <= self.params.window / 2)
        return _Look(seen, old, matched, best, twin, found.crowded)

    async def _commit(self, article: _Article, look: _Look) -> list[Any]:
        if look.seen >= 0xFFFF_FFFE:
            raise StateError(f"near-duplicates: all numbers below {self._base} are used; delete its keys to start anew")
        entries: list[str | bytes] = []
        if not look.twin:
            for spot, crowded in zip(article.spots, look.crowded, strict=True):
                entries += () if crowded else (spot.bucket, spot.payload)
        reply: list[Any] = await self._script(
            args=[
                *self._head("place"), article.key.to_bytes(8, "big"), look.seen, article.at, int(self.params.window),
                article.source, tail(article.sketch), b"".join(number.to_bytes(4, "big") for number in look.matched),
                look.old.number if look.old else 0, _map_bucket(article.key), self._index.entry_bytes,
                len(article.probes), *article.probes, *entries,
            ]
        )  # fmt: skip
        return reply

    async def _split(self, root: int) -> dict[int, str]:
        """Cuts a cluster that has lost a text into the groups that still hang together; the keys that moved."""
        for _ in range(_TRIES):
            fields, members = await self._members(root)
            if b"v" not in fields or not 2 <= len(members) <= _SPLIT_LIMIT or int(fields[b"n"]) > _SPLIT_LIMIT:
                return {}
            groups = components(len(members), lambda a, b: self._linked(members[a], members[b]))  # noqa: B023
            if len(groups) == 1:
                return {}
            anchor = next((i for i, member in enumerate(members) if member.number == root), 0)
            packed = [
                b"".join(members[i].number.to_bytes(4, "big") for i in group) for group in keep_first(groups, anchor)
            ]
            done, *names = await self._script(
                args=[*self._head("split"), root, fields[b"v"], int(self.params.window), *packed]
            )
            if done:
                moved = zip(keep_first(groups, anchor)[1:], names[0], strict=True)
                return {members[i].key: name.decode() for group, name in moved for i in group}
        return {}

    def _linked(self, a: Record, b: Record) -> bool:
        if a.kind != b.kind:
            return False
        overlap = sketches.compare(a.kind, a.body, a.size, b.body, b.size)
        if self._simhash:
            return round((1 - overlap.jaccard) * 64) <= int(self.params.method[7:])
        return is_duplicate(a.kind, overlap, a.source == b.source != 0, self.params)

    async def _members(self, root: int) -> tuple[dict[bytes, bytes], list[Record]]:
        pipe = self._client.pipeline(transaction=True)
        pipe.hgetall(f"{self._base}c{root}")
        pipe.get(f"{self._base}m{root}")
        fields, packed = await pipe.execute()
        numbers = [int.from_bytes((packed or b"")[i : i + 4], "big") for i in range(0, len(packed or b""), 4)]
        return fields, [record for record in await self.records(numbers) if record.key]

    async def _read(self, map_bucket: str, probes: Sequence[str]) -> tuple[int, bytes, npt.NDArray[np.int64], bytes]:
        """The last placement's number, the key map's entries, the count of entries of each bucket, and these."""
        reply = await self._look_script(args=[self._base, self._index.entry_bytes, map_bucket, *probes])
        head = np.frombuffer(reply, dtype=">u4", count=2 + len(probes)).astype(np.int64)
        start = 4 * len(head)
        end = start + 8 * int(head[1])
        return int(head[0]), reply[start:end], head[2:], reply[end:]

    async def _source_number(self, source: str) -> int:
        if not source or self._simhash:
            return 0
        number = self._sources.get(source)
        if number is None:
            number = int(await self._client.hget(f"{self._base}s", source) or 0)
            if number and len(self._sources) < 100_000:
                self._sources[source] = number
        return number

    def _head(self, command: str) -> list[str | int]:
        return [self._base, command, self._layout.slot_bytes, self._layout.slots]


def sketch_of(text: str, fingerprint: int, params: Dedup) -> Sketch:
    """What is kept of a text by a method; of nothing but the fingerprint under ``simhash``."""
    return sketches.of_fingerprint(fingerprint) if params.method.startswith("simhash") else sketches.of_text(text)


def _map_bucket(key: int) -> str:
    return f"{key >> (64 - _MAP_BITS):x}"


def _tag(key: int) -> int:
    return key & 0xFFFF_FFFF
