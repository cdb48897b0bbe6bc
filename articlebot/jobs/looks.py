"""What looks at the sites of jobs have found, in Redis, so that all workers and the next start know it."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from articlebot.connect import RedisStore
from articlebot.front import Front

VERSION = 1
# One worker looks at a site and says every few seconds that it still does; should it die, another may after so long.
_LOOKING_S = 30.0
# Lists repeat what a look has read while they are gone through: from the last that asked for it, for so long.
_REPEATED_S = 86_400
# What other workers, which ask every few seconds, may have kept meanwhile.
_MOST_HEARD = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """What a look has found of a job's site.

    Attributes:
        site: the address that was looked at.
        at: when, epoch seconds.
        keys: of a job, as a job file would say them.
        why: a reason by address.
        report: what else there is to tell of it.
        title: what the front page is called.
        pictures: addresses of pictures that stand for the site, and for none of its articles.
        keywords: of the site, as its front page states them, case-folded.
        dated: whether the site's articles tell their days by themselves.
    """

    site: str
    at: float
    keys: dict[str, Any]
    why: dict[str, str] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    pictures: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    dated: bool = False

    @property
    def front(self) -> Front:
        """What its articles' pages repeat."""
        return Front(self.title, frozenset(self.pictures), frozenset(self.keywords), self.dated)


class RedisLooks(RedisStore):
    """One hash, a field a job."""

    below = "jobs:looks"

    @property
    def _failed(self) -> str:
        return f"{self._prefix}:jobs:unfound"

    @property
    def _log(self) -> str:
        return f"{self._prefix}:jobs:looks_kept"

    async def heard(self, after: str) -> tuple[str, list[str]]:
        """The jobs of which anything was kept since, and where to go on; after "" none: what comes next counts."""
        if not after:
            last = await self._redis.xrevrange(self._log, count=1)
            return last[0][0].decode() if last else "0", []
        kept = await self._redis.xrange(self._log, min=f"({after}")
        return kept[-1][0].decode() if kept else after, list(dict.fromkeys(one[b"job"].decode() for _, one in kept))

    async def get(self, jobs: Iterable[str]) -> dict[str, Found]:
        """What was found, by job; those never looked at are left out."""
        names = list(jobs)
        kept = await self._redis.hmget(self._key, names) if names else []
        read = ((name, _read(value)) for name, value in zip(names, kept, strict=True) if value is not None)
        return {name: found for name, found in read if found is not None}

    async def all(self) -> dict[str, Found]:
        """Every look that is kept."""
        kept = await self._redis.hgetall(self._key)
        read = ((name.decode(), _read(value)) for name, value in sorted(kept.items()))
        return {name: found for name, found in read if found is not None}

    async def put(self, job: str, found: Found) -> None:
        """Keeps what a look has found."""
        await self._redis.hset(self._key, job, _written(found))
        await self._redis.hdel(self._failed, job)
        await self._redis.xadd(self._log, {"job": job}, maxlen=_MOST_HEARD)

    async def note_failure(self, job: str, said: str, at: float) -> None:
        """Keeps why a look has found no entry page, and when it ended, epoch seconds."""
        await self._redis.hset(self._failed, job, f"{said}\n{at:.3f}")
        await self._redis.xadd(self._log, {"job": job}, maxlen=_MOST_HEARD)

    async def failures(self) -> dict[str, str]:
        """Why looks have found no entry page, by job."""
        kept = await self._redis.hgetall(self._failed)
        return {name.decode(): said.decode().partition("\n")[0] for name, said in kept.items()}

    async def failed_at(self, jobs: Iterable[str]) -> dict[str, float]:
        """When looks that found no entry page ended, by job."""
        names = list(jobs)
        kept = await self._redis.hmget(self._failed, names) if names else []
        told = {name: said.partition(b"\n")[2] for name, said in zip(names, kept, strict=True) if said is not None}
        return {name: float(at) for name, at in told.items() if at}  # earlier states kept no time

    async def free(self, jobs: Iterable[str]) -> set[str]:
        """Those of the jobs whose sites no worker looks at now."""
        names = list(jobs)
        taken = await self._redis.mget([f"{self._key}:{name}" for name in names]) if names else []
        return {name for name, worker in zip(names, taken, strict=True) if worker is None}

    async def begin(self, job: str, worker: str) -> bool:
        """Whether this worker is to look at a job's site now: no other does."""
        key = f"{self._key}:{job}"
        return bool(await self._redis.set(key, worker, nx=True, px=round(1000 * _LOOKING_S)))

    async def go_on(self, jobs: Iterable[str]) -> None:
        """The looks at the sites of these jobs, begun by this worker, are still under way."""
        for job in jobs:
            await self._redis.pexpire(f"{self._key}:{job}", round(1000 * _LOOKING_S))

    async def tell(self, job: str, found: Found) -> None:
        """Tells what a look has found before what it leads to is queued: another worker may be handed that at once."""
        await self._redis.set(f"{self._key}:{job}", _written(found), px=round(1000 * _LOOKING_S))

    async def told(self, job: str) -> Found | None:
        """What was found of a job's site, told or kept."""
        async with self._redis.pipeline(transaction=False) as pipe:
            told, kept = await pipe.get(f"{self._key}:{job}").hget(self._key, job).execute()
        value = told if told is not None and told.startswith(b"{") else kept
        return None if value is None else _read(value)

    async def keep_read(self, job: str, **read: Iterable[int]) -> None:
        """Keeps what a look has read of a site, for whichever worker is handed the lists behind it.

        Args:
            read: page keys by name: ``shown``, what feeds, news sitemaps and the home page name; ``listed``, what all
                lists name, sections too; ``telling``, the home page where lists alone tell the days of what a sitemap
                names.
        """
        for name, keys in read.items():
            await self._redis.set(f"{self._prefix}:jobs:read:{name}:{job}", array("Q", keys).tobytes(), ex=_REPEATED_S)

    async def was_read(self, job: str, name: str, keys: Collection[int] = ()) -> bool:
        """Whether a look has read all of these as ``name``, see ``keep_read``; of no keys, whether it has any such."""
        kept = await self._redis.getex(f"{self._prefix}:jobs:read:{name}:{job}", ex=_REPEATED_S)
        return bool(kept) and set(keys) <= set(array("Q", kept))

    async def end(self, *jobs: str) -> None:
        """The looks have ended, with or without a result."""
        if jobs:
            await self._redis.delete(*(f"{self._key}:{job}" for job in jobs))

    async def forget(self, job: str) -> None:
        """Forgets what was found of a job's site."""
        await self.forget_failure(job)
        await self._redis.hdel(self._key, job)

    async def forget_failure(self, job: str) -> None:
        """Forgets why a look at a job's site has found no entry page."""
        await self._redis.hdel(self._failed, job)


def _written(found: Found) -> str:
    return json.dumps({"v": VERSION, **asdict(found)}, ensure_ascii=False)


def _read(value: bytes) -> Found | None:
    kept = json.loads(value)
    return (
        Found(**{name: kept[name] for name in Found.__dataclass_fields__ if name in kept})
        if kept["v"] == VERSION
        else None
    )
