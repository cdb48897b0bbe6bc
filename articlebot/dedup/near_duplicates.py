"""Clusters of near-duplicates in Redis: each article is placed as it comes, by any number of workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import redis.asyncio

from articlebot.config import Dedup
from articlebot.connect import tagged
from articlebot.dedup import sketch as sketches
from articlebot.dedup.index import Found, Index, Probes, ShingleIndex, SimhashIndex, Spot, newest
from articlebot.dedup.records import Layout, Record, tail
from articlebot.dedup.sketch import NOTHING, Overlap, Sketch
from articlebot.dedup.store import RedisClusters, map_bucket
from articlebot.dedup.verification import components, is_duplicate, is_twin, joined, keep_first
from articlebot.errors import StateError, StoreUnavailable

Role = Literal["single", "representative", "member"]

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
class Arrival:
    """An article to be placed: page key, sketch, when it was fetched, and its site ("" where that is not known)."""

    key: int
    sketch: Sketch
    at: float
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Article:
    arrival: Arrival
    spots: list[Spot]
    probes: Probes


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
        self._simhash = params.method.startswith("simhash")
        # Another version of the sketch or another method cannot be compared: it starts beside the old one.
        tag = f"h{params.method[7:]}" if self._simhash else "w"
        layout = Layout.of(8 if self._simhash else sketches.BODY_BYTES)
        base = f"{tagged(prefix, 'nd')}:{tag}{sketches.VERSION}:"
        stem = f"{base}b"
        self._index: Index = SimhashIndex(int(params.method[7:]), stem) if self._simhash else ShingleIndex(stem)
        self._store = RedisClusters(client, base, layout, simhash=self._simhash)

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
        return (await self.place_many([Arrival(key, self.sketch(text, fingerprint), at, first_source)]))[0]

    def sketch(self, text: str, fingerprint: int) -> Sketch:
        """What :meth:`place` keeps of a text; may be made in another thread or process."""
        return sketch_of(text, fingerprint, self.params)

    async def place_many(self, arrivals: Sequence[Arrival]) -> list[Placement]:
        """:meth:`place` for several articles with three round trips, as if they came one after the other.

        A later one that meets an earlier one of the same call waits until that is placed.
        """
        articles = [
            _Article(a, self._index.spots(a.sketch.items), self._index.probes(a.sketch.items)) for a in arrivals
        ]
        placed: dict[int, Placement] = {}
        failures = 0
        while waiting := [number for number in range(len(articles)) if number not in placed]:
            looks = await self._looks([articles[number] for number in waiting])
            calls = [self._arguments(articles[n], look) for n, look in zip(waiting, looks, strict=True)]
            before = len(placed)
            for number, look, reply in zip(waiting, looks, await self._store.run_many("place", calls), strict=True):
                # 0: somebody was placed into the same buckets meanwhile, perhaps this text's twin; look again.
                if reply[0]:
                    placed[number] = await self._placement(articles[number].arrival.key, look, reply)
            failures = 0 if len(placed) > before else failures + 1
            if failures == _TRIES:
                raise StoreUnavailable(f"near-duplicates: {_TRIES} times other workers came first")
        return [placed[number] for number in range(len(articles))]

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
        (reading,) = await self._store.read([(None, self._index.probes(sketch.items))])
        limit = 1 << 30 if self._simhash else self.params.candidates
        return self._index.search(sketch.items, reading.lengths, reading.buckets, limit)

    async def records(self, numbers: Sequence[int]) -> list[Record]:
        """Records of placements that are still there, in the order asked for."""
        return await self._store.records(numbers)

    async def forget(self, key: int) -> bool:
        """Takes an article out of its cluster, such as one that its site has withdrawn; False where it is not known."""
        (reading,) = await self._store.read([(key, Probes(0, b""))])
        records = await self._store.records(newest(reading.placed, _tag(key)))
        old = next((record for record in records if record.key == key), None)
        if old is None:
            return False
        gone, *root = await self._store.run("forget", old.number, key.to_bytes(8, "big"))
        if gone:
            await self._split(root[0])
        return bool(gone)

    async def cluster(self, name: str) -> Cluster | None:
        """A cluster by name, also by a name it had before it was merged; None for unknown ones and single articles."""
        root = await self._store.root(int(name[8:], 16))
        fields, members = await self._store.members(root)
        if b"n" not in fields or not members:
            return None
        leader = next((m.key for m in members if m.number == int(fields[b"rep"])), members[0].key)
        return Cluster(
            name=f"{await self._store.epoch():08x}{root:08x}", members=int(fields[b"n"]),
            first_source=await self._store.source(fields[b"src"]), first_at=int(fields[b"first"]),
            representative=leader, keys=tuple(member.key for member in members),
        )  # fmt: skip

    async def _looks(self, articles: Sequence[_Article]) -> list[_Look]:
        sources = await self._store.source_numbers(article.arrival.source for article in articles)
        wanted = [(article.arrival.key, article.probes) for article in articles]
        readings = await self._store.read(wanted)
        found, placed = [], []
        for article, reading in zip(articles, readings, strict=True):
            items = article.arrival.sketch.items
            found.append(self._index.search(items, reading.lengths, reading.buckets, self.params.candidates))
            placed.append(newest(reading.placed, _tag(article.arrival.key)))
        numbers = sorted({n for hit in found for n in hit.numbers} | {n for before in placed for n in before})
        records = {record.number: record for record in await self._store.records(numbers)}
        looks = []
        for article, reading, hit, before in zip(articles, readings, found, placed, strict=True):
            key, source = article.arrival.key, sources.get(article.arrival.source, 0)
            old = next((records[n] for n in before if n in records and records[n].key == key), None)
            looks.append(self._judge(article, hit, old, records, seen=reading.last, source=source))
        return looks

    def _judge(
        self, article: _Article, found: Found, old: Record | None, records: dict[int, Record], *, seen: int, source: int
    ) -> _Look:
        arrival, sketch = article.arrival, article.arrival.sketch
        matches: list[tuple[Record, Overlap]] = []
        for record in (records[n] for n in found.numbers if n in records):
            if record.kind != sketch.kind or abs(record.at - arrival.at) > self.params.window:
                continue
            overlap = sketches.compare(sketch.kind, sketch.body, sketch.size, record.body, record.size)
            same_source = source == record.source != 0 and record != old
            if is_duplicate(sketch.kind, overlap, same_source, self.params):
                matches.append((record, overlap))
        # A twin that is half out of the window would leave the later ones unfound.
        twin = any(
            is_twin(sketch.kind, overlap) and arrival.at - record.at <= self.params.window / 2
            for record, overlap in matches
        )
        best = max((overlap for _, overlap in matches), key=lambda o: (o.containment, o.jaccard), default=NOTHING)
        joins = joined([(record.cluster, overlap) for record, overlap in matches]) if sketch.kind == "words" else None
        matched = [r.number for r, _ in matches if joins is None or r.cluster in joins or r == old]
        return _Look(seen, old, matched, best, twin, found.crowded)

    def _arguments(self, article: _Article, look: _Look) -> list[Any]:
        if look.seen >= 0xFFFF_FFFE:
            raise StateError(f"all numbers below {self._store.base} are used; delete its keys to start anew")
        entries: list[str | bytes] = []
        if not look.twin:
            for spot, crowded in zip(article.spots, look.crowded, strict=True):
                entries += () if crowded else (spot.bucket, spot.payload)
        arrival = article.arrival
        return [
            arrival.key.to_bytes(8, "big"), look.seen, int(arrival.at), int(self.params.window), arrival.source,
            tail(arrival.sketch), b"".join(number.to_bytes(4, "big") for number in look.matched),
            look.old.number if look.old else 0, map_bucket(arrival.key), self._index.entry_bytes,
            article.probes.packed(), *entries,
        ]  # fmt: skip

    async def _split(self, root: int) -> dict[int, str]:
        """Cuts a cluster that has lost a text into the groups that still hang together; the keys that moved."""
        for _ in range(_TRIES):
            fields, members = await self._store.members(root)
            if b"v" not in fields or not 2 <= len(members) <= _SPLIT_LIMIT or int(fields[b"n"]) > _SPLIT_LIMIT:
                return {}
            groups = components(len(members), lambda a, b: self._linked(members[a], members[b]))  # noqa: B023
            if len(groups) == 1:
                return {}
            anchor = next((i for i, member in enumerate(members) if member.number == root), 0)
            packed = [
                b"".join(members[i].number.to_bytes(4, "big") for i in group) for group in keep_first(groups, anchor)
            ]
            done, *names = await self._store.run("split", root, fields[b"v"], int(self.params.window), *packed)
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


def sketch_of(text: str, fingerprint: int, params: Dedup) -> Sketch:
    """What is kept of a text by a method; of nothing but the fingerprint under ``simhash``."""
    return sketches.of_fingerprint(fingerprint) if params.method.startswith("simhash") else sketches.of_text(text)


def _tag(key: int) -> int:
    return key & 0xFFFF_FFFF
