"""Clusters of near-duplicates in Redis: each article is placed as it comes, by any number of workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import redis.asyncio

from articlebot.config import Dedup
from articlebot.connect import tagged
from articlebot.dedup import sketch as sketches
from articlebot.dedup.index import Index, ShingleIndex, SimhashIndex
from articlebot.dedup.looks import Arrival, linked, look
from articlebot.dedup.records import Layout
from articlebot.dedup.sharded import ShardedClusters
from articlebot.dedup.sketch import Sketch
from articlebot.dedup.store import RedisClusters, Reply, Role
from articlebot.dedup.verification import components, keep_first
from articlebot.errors import StateError, StoreUnavailable
from articlebot.shards import shard_tag
from articlebot.text import simhash

_TRIES = 200
_SPLIT_LIMIT = 64  # members of a cluster that are all compared with each other: 2,016 pairs
# Articles of one step. Redis answers nobody else meanwhile: about 10 ms.
_STEP = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where an article came to stand.

    ``cluster`` is the cluster's name (16 hex digits, also for an article alone), ``representative`` the page key of the
    cluster's representative, ``members`` how many articles the cluster has now. ``merged`` names clusters that went
    into this one; ``moved`` gives the page keys that an article's new version no longer connects, with the cluster each
    has now.
    """

    cluster: str
    role: Role
    representative: int
    members: int = 1
    merged: tuple[str, ...] = ()
    moved: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster of two or more articles (or of one that others have left). ``keys`` lists its first 1,024 at most."""

    name: str
    members: int
    representative: int
    keys: tuple[int, ...]


class NearDuplicates:
    """Finds the near-duplicates of articles and keeps their clusters. Redis 6.2 or later, replies as bytes."""

    def __init__(
        self, client: redis.asyncio.Redis, prefix: str, params: Dedup | None = None,
        shards: Sequence[redis.asyncio.Redis] = (),
    ) -> None:  # fmt: skip
        """``shards``: a client for each shard, whose commands go together; none where one hash slot has all."""
        self.params = params = params or Dedup()
        self._simhash = params.method.startswith("simhash")
        # Another version of the sketch or another method cannot be compared: it starts beside the old one.
        tag = f"h{params.method[7:]}" if self._simhash else "w"
        layout = Layout.of(8 if self._simhash else sketches.BODY_BYTES)
        base = f"{tagged(prefix, 'nd')}:{tag}{sketches.VERSION}:"
        stem = f"{base}b"
        self._index: Index = SimhashIndex(int(params.method[7:]), stem) if self._simhash else ShingleIndex(stem)
        self._store = RedisClusters(client, base, layout, simhash=self._simhash)
        if shards:
            self._store = ShardedClusters(
                client, base, layout, simhash=self._simhash, entry=self._index.entry.itemsize,
                shards=[
                    (one, f"{shard_tag(prefix, 'nd', number, len(shards))}:{tag}{sketches.VERSION}:")
                    for number, one in enumerate(shards)
                ],
            )  # fmt: skip

    async def place(self, key: int, text: str, fingerprint: int, at: float, source: str = "") -> Placement:
        """Puts an article, or a new version of one, into the cluster it belongs to.

        Args:
            key: page key, 64 bits, not 0.
            text: see :func:`articlebot.dedup.article_text`.
            fingerprint: of the text; only the ``simhash`` methods use it.
            at: when it was fetched, epoch seconds.
            source: the site.

        Raises:
            StoreUnavailable: other workers kept changing the same buckets.
            StateError: 2**32 placements are used up.
        """
        return (await self.place_many([Arrival(key, self.sketch(text, fingerprint), at, source)]))[0]

    def sketch(self, text: str, fingerprint: int) -> Sketch:
        """What :meth:`place` keeps of a text; may be made in another thread or process."""
        return sketches.of_fingerprint(fingerprint) if self._simhash else sketches.of_text(text)

    async def place_many(self, arrivals: Sequence[Arrival]) -> list[Placement]:
        """:meth:`place` for several articles as if they came one by one, 128 of them with three round trips."""
        placed: list[Placement] = []
        for start in range(0, len(arrivals), _STEP):
            placed += await self._place_step(arrivals[start : start + _STEP])
        return placed

    async def _place_step(self, arrivals: Sequence[Arrival]) -> list[Placement]:
        placed: dict[int, Placement] = {}
        failures = 0
        while len(placed) < len(arrivals):
            waiting = [n for n in range(len(arrivals)) if n not in placed]
            # A version waits for the one before it, and what comes after for both.
            keys = [arrivals[n].key for n in waiting]
            waiting = waiting[: next((n for n, key in enumerate(keys) if key in keys[:n]), None)]
            step = await look(self._store, self._index, self.params, [arrivals[n] for n in waiting])
            if step.seen + len(waiting) > 0xFFFF_FFFE:
                raise StateError(f"all numbers below {self._store.base} are used; delete its keys to start anew")
            if len(waiting) > 1 and any(one.old for one in step.coming):
                # A version that leaves its cluster may split it, which moves others.
                for n in waiting:
                    placed[n] = (await self._place_step([arrivals[n]]))[0]
                continue
            before = len(placed)
            replies = await self._store.place(step, self.params.window)
            for number, reply in zip(waiting, replies, strict=True):
                if reply is not None:
                    placed[number] = await self._placement(arrivals[number].key, reply)
            failures = 0 if len(placed) > before else failures + 1
            if failures == _TRIES:
                raise StoreUnavailable(f"near-duplicates: {_TRIES} times other workers came first")
        return [placed[number] for number in range(len(arrivals))]

    async def _placement(self, key: int, reply: Reply) -> Placement:
        cluster, role, members, leader = reply.cluster, reply.role, reply.members, reply.representative
        moved = await self._split(reply.left) if reply.left else {}
        if moved:
            cluster = moved.pop(key, cluster)
            now = await self.cluster(cluster)
            members, leader = (now.members, now.representative) if now else (1, key)
            role = "single" if members == 1 else "representative" if leader == key else "member"
        return Placement(
            cluster=cluster, role=role, representative=leader, members=members, merged=reply.merged, moved=moved,
        )  # fmt: skip

    async def forget(self, key: int) -> bool:
        """Takes an article out of its cluster, such as one that its site has withdrawn; False where it is not known."""
        reading = await self._store.read([key], self._index.ask([()]))
        rows = await self._store.rows(reading.placed.numbers)
        own = reading.placed.numbers[(rows["key"] == key) & (rows["cluster"] > 0)]
        if not len(own):
            return False
        gone, *root = await self._store.run("forget", int(own[-1]), key.to_bytes(8, "big"))
        if gone:
            await self._split(root[0])
        return bool(gone)

    async def cluster(self, name: str) -> Cluster | None:
        """A cluster by name, also by a name it had before it was merged; None for unknown ones and single articles."""
        root = await self._store.root(int(name[8:], 16))
        fields, numbers, rows = await self._store.members(root)
        if b"n" not in fields or not len(rows):
            return None
        keys: list[int] = rows["key"].tolist()
        leader = dict(zip(numbers.tolist(), keys, strict=True)).get(int(fields[b"rep"]), keys[0])
        return Cluster(
            name=f"{await self._store.epoch():08x}{root:08x}", members=int(fields[b"n"]),
            representative=leader, keys=tuple(keys),
        )  # fmt: skip

    async def _split(self, root: int) -> dict[int, str]:
        """Cuts a cluster that has lost a text into the groups that still hang together; the keys that moved."""
        for _ in range(_TRIES):
            fields, numbers, rows = await self._store.members(root)
            if b"v" not in fields or not 2 <= len(rows) <= _SPLIT_LIMIT or int(fields[b"n"]) > _SPLIT_LIMIT:
                return {}
            groups = components(linked(rows, self.params))
            if len(groups) == 1:
                return {}
            groups = keep_first(groups, int((numbers == root).argmax()))
            packed = [numbers[group].astype(">u4").tobytes() for group in groups]
            done, *names = await self._store.run("split", root, fields[b"v"], int(self.params.window), *packed)
            if done:
                moved = zip(groups[1:], names[0], strict=True)
                return {int(key): name.decode() for group, name in moved for key in rows["key"][group]}
        return {}


def sketches_of(texts: Sequence[str], params: Dedup) -> list[Sketch]:
    """What is kept of texts by a method; of nothing but the fingerprints under ``simhash``."""
    if params.method.startswith("simhash"):
        return [sketches.of_fingerprint(simhash.fingerprint(text)) for text in texts]
    return sketches.of_texts(texts)


class Assignments:
    """Follows the clusters of articles through joins and splits."""

    def __init__(self) -> None:
        self._of: dict[int, str] = {}
        self._into: dict[str, str] = {}

    def note(self, key: int, placement: Placement) -> None:
        """Takes in what placing an article has done to it and to others."""
        for name in placement.merged:
            self._into[name] = placement.cluster
        self._of[key] = placement.cluster
        for other, name in placement.moved.items():
            self._into.pop(name, None)  # a name that comes back stands for itself again
            self._of[other] = name

    def cluster(self, key: int) -> str:
        """An article's cluster now.

        Raises:
            KeyError: it was never placed.
        """
        name = self._of[key]
        while name in self._into:
            name = self._into[name]
        return name
