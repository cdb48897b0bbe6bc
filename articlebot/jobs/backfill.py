"""What a job's ``backfill`` asks for, and how far it has come, in Redis."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis

from articlebot.connect import RedisStore

# What a first visit takes of a job without a backfill; as many as a sitemap's newest entries.
FIRST_ARTICLES = 2000
# Which pages were gone through is known for so long; a backfill of a large site takes weeks.
_KEPT_S = 60 * 86400
_DAY = 86400.0
_MOST_DUE = 100  # pages of one look


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a backfill asks for: so many articles, or those of so many days; None: all."""

    articles: int | None = None
    days: int | None = None

    @classmethod
    def of(cls, backfill: str | None) -> Bounds:
        """The bounds of a job's key."""
        if backfill is None:
            return cls(FIRST_ARTICLES)
        if backfill == "all":
            return cls()
        return cls(days=int(backfill[:-1])) if backfill.endswith("d") else cls(int(backfill))

    def takes(self, at: float | None, now: float) -> bool:
        """Whether what appeared then is asked for; what has no time is."""
        return self.days is None or at is None or at >= now - self.days * _DAY


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a backfill has come.

    Attributes:
        wanted: the job's key.
        begun_at: epoch seconds.
        admitted: articles that were queued for it.
        done: those of them that were fetched.
        lists: list pages gone through.
        old: articles in a row that were older than wanted.
    """

    job: str
    wanted: str
    begun_at: float
    admitted: int = 0
    done: int = 0
    lists: int = 0
    old: int = 0

    def left_s(self, now: float) -> float | None:
        """Seconds until its end at the pace so far, None where nothing tells: of "all" only what is queued counts."""
        bounds = Bounds.of(self.wanted)
        left = (self.admitted if bounds.articles is None else max(bounds.articles, self.admitted)) - self.done
        return None if not self.done or now <= self.begun_at else left * (now - self.begun_at) / self.done


class RedisBackfills(RedisStore):
    """A hash and a set for each job that is gone through."""

    below = "jobs:backfill"

    def __init__(self, client: Redis, prefix: str = "{articlebot}") -> None:
        super().__init__(client, prefix)
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        self._since: dict[tuple[str, str], float] = {}

    async def begin(self, job: str, wanted: str, now: float) -> bool:
        """Whether a job's backfill is to begin: it was not, or whoever began it has died before ``has_begun``."""
        key = f"{self._key}:{job}"
        kept, queued = await self._redis.hmget(key, "wanted", "queued")
        if kept is not None and kept.decode() == wanted:
            return bool(queued == b"0")
        await self._redis.delete(key, f"{key}:turned")
        await self._redis.sadd(self._key, job)
        await self._redis.hset(key, mapping={"wanted": wanted, "begun_at": repr(now), "queued": 0})
        return True

    async def has_begun(self, job: str) -> None:
        """What a backfill begins with is queued."""
        await self._redis.hset(f"{self._key}:{job}", "queued", 1)

    async def since(self, job: str, wanted: str | None) -> float | None:
        """What was published before is not asked for, in epoch seconds; None where no days are stated, or none begun.

        It is counted from the backfill's begin: what appears while nobody crawls is news to the next run.
        """
        days = Bounds.of(wanted).days if wanted else None
        if wanted is None or days is None:
            return None
        if (job, wanted) not in self._since:
            begun = await self._redis.hmget(f"{self._key}:{job}", "wanted", "begun_at")
            if None in begun or begun[0].decode() != wanted:
                return None
            self._since[job, wanted] = float(begun[1]) - days * _DAY
        return self._since[job, wanted]

    async def is_new(self, job: str, wanted: str | None, page_key: int) -> bool:
        """Whether a list page was not gone through yet; from now on it is."""
        key = f"{self._key}:{job}:turned{'' if wanted else ':first'}"
        new = await self._redis.sadd(key, f"{page_key:016x}")
        await self._redis.expire(key, _KEPT_S)
        return bool(new)

    async def put_off(self, url: str, visit: Mapping[str, Any], at: float) -> None:
        """Keeps a further page of a list, which has no visits of its own, for a later try.

        Args:
            url: of the page.
            visit: of it, JSON-able, with the name of the job as ``job``.
            at: when it is due, epoch seconds.
        """
        await self._redis.zadd(f"{self._key}:later", {json.dumps([visit["job"], url, visit]): at})
        await self._redis.expire(f"{self._key}:later", _KEPT_S)

    async def due(self, now: float) -> list[tuple[bytes, str, dict[str, Any]]]:
        """Further pages that are due, a hundred at most: a name for ``taken``, the address, the visit."""
        found = await self._redis.zrangebyscore(f"{self._key}:later", 0, now, start=0, num=_MOST_DUE)
        return [(name, *json.loads(name)[1:]) for name in found]

    async def taken(self, name: bytes) -> None:
        """A further page that was due is queued, or nobody's."""
        await self._redis.zrem(f"{self._key}:later", name)

    async def has_room(self, job: str, wanted: str) -> bool:
        """Whether a backfill is still short of what it is to bring."""
        await self.flush()
        bounds, kept = Bounds.of(wanted), await self.progress(job)
        if kept is None:
            return True
        if bounds.days is not None:
            return kept.old < _OLD_ENOUGH
        return bounds.articles is None or kept.admitted < bounds.articles

    def note(self, job: str, wanted: str | None, **counts: int) -> None:
        """Counts what became of a backfill's pages; written by ``flush``."""
        if wanted is not None:
            self._counts.setdefault((job, wanted), Counter()).update(counts)

    def note_age(self, job: str, wanted: str | None, published_at: float | None, now: float) -> None:
        """An article of a backfill was read that was published then."""
        days = Bounds.of(wanted).days if wanted else None
        if wanted and days is not None and published_at is not None:
            self.note(job, wanted, **({"old": 1} if published_at < now - days * _DAY else {"fresh": 1}))

    async def flush(self) -> None:
        """Writes what was counted."""
        if not self._counts:
            return
        counts, self._counts = self._counts, {}
        for (job, _), counted in counts.items():
            key = f"{self._key}:{job}"
            if counted.pop("fresh", 0):
                await self._redis.hset(key, "old", 0)
            for name, number in counted.items():
                await self._redis.hincrby(key, name, number)

    async def progress(self, job: str) -> Progress | None:
        """How far a job's backfill has come, None where none was begun."""
        kept = await self._redis.hgetall(f"{self._key}:{job}")
        return _read(job, kept) if kept else None

    async def all(self) -> list[Progress]:
        """Every backfill that was begun, by job."""
        jobs = sorted(name.decode() for name in await self._redis.smembers(self._key))
        return [one for job in jobs if (one := await self.progress(job)) is not None]

    async def forget(self, job: str) -> None:
        """Forgets how far a job's backfill has come, and which lists were gone through."""
        key = f"{self._key}:{job}"
        await self._redis.delete(key, f"{key}:turned", f"{key}:turned:first")
        await self._redis.srem(self._key, job)
        async for name, _ in self._redis.zscan_iter(f"{self._key}:later"):
            if json.loads(name)[0] == job:
                await self.taken(name)


# Articles in a row that are older than the days that a backfill asks for, from which its lists are followed no further:
# one or two are pinned to the top of lists.
_OLD_ENOUGH = 10


def _read(job: str, kept: Mapping[bytes, bytes]) -> Progress:
    fields = {name.decode(): value.decode() for name, value in kept.items()}
    numbers = {name: int(fields.get(name, 0)) for name in ("admitted", "done", "lists", "old")}
    return Progress(job, fields["wanted"], float(fields["begun_at"]), **numbers)


def is_older(wanted: str, addresses: Mapping[str, float | None], now: float) -> bool:
    """Whether most of a list's articles of which a time is known are older than a backfill wants.

    Args:
        addresses: of its articles, with the times that are known.
    """
    days = Bounds.of(wanted).days
    known = [at for at in addresses.values() if at is not None]
    return days is not None and bool(known) and 2 * sum(at < now - days * _DAY for at in known) > len(known)
