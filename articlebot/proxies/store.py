"""What is known of every proxy, in Redis: records with their history, the pool of the day, bans for all workers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from articlebot.connect import RedisStore
from articlebot.errors import RefusedError, StateError
from articlebot.proxies.proxy import Proxy

VERSION = 1
_HISTORY = 50
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of one proxy.

    Attributes:
        source: the list it stood in, or ``added`` where it was given by hand.
        share: successes of the trials, 0 to 1; ``sites`` are those at single sites, ``median_s`` their median seconds.
        alters, leaks, honest_tls: None where that could not be told.
        reason: why it is not in the pool, empty where it is.
        failed: checks in a row that it did not pass.
        history: (at, share, median_s) of its last 50 checks, oldest first.
    """

    proxy: Proxy
    source: str = "added"
    added_at: float = 0.0
    checked_at: float | None = None
    share: float | None = None
    median_s: float | None = None
    alters: bool | None = None
    leaks: bool | None = None
    honest_tls: bool | None = None
    sites: dict[str, float] = field(default_factory=dict)
    reason: str = "unchecked"
    failed: int = 0
    history: tuple[tuple[float, float, float | None], ...] = ()

    def weight(self, site: str) -> float:
        """How likely a draw takes it: by its successes, against its time."""
        share = self.sites.get(site, 0.5 if self.share is None else self.share)
        return max(0.01, share) / (0.5 + (1.0 if self.median_s is None else self.median_s))

    def checked(self, at: float, **found: Any) -> Record:
        """The record after a check."""
        after = replace(self, checked_at=at, **found)
        passed = not after.reason
        entry = (at, after.share or 0.0, after.median_s)
        return replace(after, failed=0 if passed else self.failed + 1, history=(*self.history, entry)[-_HISTORY:])

    def shown(self) -> dict[str, Any]:
        """The record for people and programs, without credentials."""
        row = {name: value for name, value in asdict(self).items() if name != "proxy"}
        return {"proxy": self.proxy.masked, "key": self.proxy.key, **row}


class RedisProxies(RedisStore):
    """The proxies in Redis.

    Credentials of proxies that were added by hand are kept here; those from the configuration never come here.
    """

    below = "proxies"

    async def add(self, proxies: Iterable[Proxy], source: str, now: float, *, most: int | None = None) -> int:
        """Makes proxies known that are not, ``most`` altogether; returns how many were new."""
        fresh = {proxy.key: Record(proxy=proxy, source=source, added_at=now) for proxy in proxies}
        room = len(fresh) if most is None else max(0, most - int(await self._redis.hlen(f"{self._key}:known")))
        new = 0
        for key, record in fresh.items():
            if new >= room:
                break
            new += int(await self._redis.hsetnx(f"{self._key}:known", key, _dump(record)))
        return new

    async def known(self) -> list[Record]:
        """All records, by name.

        Raises:
            StateError: one was written by a version that cannot be read.
        """
        return await self._all(f"{self._key}:known")

    async def _all(self, place: str) -> list[Record]:
        rows = await self._redis.hgetall(place)
        return [_load(rows[key]) for key in sorted(rows)]

    async def write(self, records: Iterable[Record]) -> None:
        """Writes records anew."""
        await self._put(f"{self._key}:known", records)

    async def _put(self, place: str, records: Iterable[Record]) -> None:
        waiting = iter(records)
        while some := list(islice(waiting, _BATCH)):
            await self._redis.hset(place, mapping={record.proxy.key: _dump(record) for record in some})

    async def remove(self, keys: Iterable[str]) -> int:
        """Forgets proxies, in the pool too; returns how many were known."""
        names = list(keys)
        await self.leave_pool(names)
        return int(await self._redis.hdel(f"{self._key}:known", *names)) if names else 0

    async def put_in_pool(self, records: Iterable[Record]) -> None:
        """Adds members to the pool."""
        await self._put(f"{self._key}:pool", records)

    async def leave_pool(self, keys: Iterable[str]) -> None:
        """Takes proxies out of the pool; they stay known."""
        if names := list(keys):
            await self._redis.hdel(f"{self._key}:pool", *names)

    async def publish(self, records: Iterable[Record]) -> None:
        """Makes these the pool, all at once: no worker sees half of it."""
        rows = {record.proxy.key: _dump(replace(record, history=())) for record in records}
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(f"{self._key}:pool")
            if rows:
                pipe.hset(f"{self._key}:pool", mapping=rows)
            await pipe.execute()

    async def pool(self) -> list[Record]:
        """The members of the pool."""
        return await self._all(f"{self._key}:pool")

    async def ban(self, key: str, site: str, until: float) -> None:
        """Tells every worker that a site has banned a proxy, until a time."""
        await self._redis.zadd(f"{self._key}:bans", {f"{key} {site}": until}, gt=True)

    async def bans(self, now: float) -> list[tuple[str, str, float]]:
        """(name, site, until) of the bans in force; those that are over are removed."""
        await self._redis.zremrangebyscore(f"{self._key}:bans", "-inf", now)
        rows = await self._redis.zrange(f"{self._key}:bans", 0, -1, withscores=True)
        pairs = ((member.decode().partition(" "), float(until)) for member, until in rows)
        return [(key, site, until) for (key, _, site), until in pairs]


def _dump(record: Record) -> str:
    row: Mapping[str, Any] = {**asdict(record), "proxy": record.proxy.url, "v": VERSION}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _load(text: bytes) -> Record:
    try:
        row = json.loads(text)
        if row.pop("v") != VERSION:
            raise StateError("a proxy's record is of another version")
        row["proxy"] = Proxy.parse(row["proxy"], allow_private=True)
        row["history"] = tuple((at, share, median) for at, share, median in row["history"])
        return Record(**row)
    except (ValueError, KeyError, TypeError, AttributeError, RefusedError) as error:
        raise StateError(f"a proxy's record cannot be read: {type(error).__name__}") from None
