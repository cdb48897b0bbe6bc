"""Addresses that others push to ``<spider>:start_urls``, as users of scrapy-redis do."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis
from scrapy import Request
from scrapy.settings import BaseSettings
from scrapy_redis.spiders import RedisMixin

from articlebot.errors import RefusedError
from articlebot.jobs.book import JobBook
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.runtime.followed import followed_last
from articlebot.urls import canonical_url, page_key

if TYPE_CHECKING:
    from articlebot.visiting.desk import Desk

logger = logging.getLogger(__name__)
_AT_ONCE = 100
_DEFAULT_KEY = "%(name)s:start_urls"


class _Format(RedisMixin):  # type: ignore[misc]
    """scrapy-redis' reading of what is pushed: a URL, or JSON with ``url``, ``method``, ``meta`` and form fields."""

    redis_encoding = "utf-8"
    logger = logger


class StartUrls:
    """Takes what was pushed: a list, a set or a sorted set, whichever the key is.

    An address is queued before it is removed, under a name that cannot be queued twice: no crash loses it.

    Args:
        desk: what it works with.
        key: of the addresses.
    """

    def __init__(self, desk: Desk, key: str) -> None:
        self._desk, self._key = desk, key
        self._format = _Format()

    @staticmethod
    def key_of(settings: BaseSettings, spider: str) -> str:
        """The key that the settings name for a spider."""
        return str(settings.get("REDIS_START_URLS_KEY") or _DEFAULT_KEY) % {"name": spider}

    async def queue(self) -> int:
        """Queues what waits, up to 100; returns how many requests that were.

        Raises:
            redis.RedisError, StoreUnavailable: Redis is away; the call may be repeated.
        """
        redis = self._desk.runtime.clients.of_key(self._key)
        kind, pushed = await _waiting(redis, self._key)
        if not pushed:
            return 0
        read = [request for data in pushed for request in self._read(data)]
        strange = any(not self._desk.jobs.owners(one.url) for one in read)
        others = await self._others() if strange else JobBook(())
        requests = [visit for one in read if (visit := self._visit(one, others)) is not None]
        await self._desk.queue(*requests)
        await _remove(redis, kind, self._key, pushed)
        return len(requests)

    def _read(self, data: bytes) -> list[Request]:
        try:
            made = self._format.make_request_from_data(_as_json(data))
            requests = [made] if isinstance(made, Request) else made or []
            return [one.replace(url=canonical_url(one.url), cls=Request) for one in requests]
        except (RefusedError, ValueError, TypeError, AttributeError) as error:
            self._refuse(data, error)
            return []

    def _refuse(self, pushed: object, why: object) -> None:
        self._desk.outcomes.count("refused/start_url")
        logger.warning("Refused %.200r from %s: %s", pushed, self._key, why)

    async def _others(self) -> JobBook:
        """Own jobs that are paused, and those that other workers follow or followed.

        What is queued for one of them waits for it, or for such a worker. A job of others that has no page was given
        another name since.
        """
        runtime, jobs = self._desk.runtime, self._desk.jobs
        mine = jobs.every
        pages = (await runtime.pages.counts(runtime.now())).by_job
        others = [job for job in await followed_last(runtime) if pages.get(job.name) and job.name not in mine]
        paused = [job.model_copy(update={"enabled": True}) for job in mine.values() if not jobs.follows(job.name)]
        return JobBook([*paused, *others])

    def _visit(self, request: Request, others: JobBook) -> Request | None:
        """The visit of a pushed request, for the job whose site it is on; None where there is none."""
        url = request.url
        owners = self._desk.jobs.owners(url) or others.owners(url)
        if not owners:
            self._refuse(url, f"no job follows {url}; add one to the job file, or run with -a url={url}")
            return None
        job = owners[0]
        visit = Visit(job=job.name, kind=dict(job.entry_urls).get(url, "auto"), key=page_key(url), delay=job.delay)
        ready = self._desk.request(url, job, visit)
        return request.replace(
            callback=ready.callback, errback=ready.errback, priority=ready.priority, dont_filter=True,
            meta={**request.meta, META_KEY: visit.meta()},
        )  # fmt: skip


def _as_json(data: bytes) -> bytes:
    text = data.decode("utf-8").strip()
    if not text.startswith("{"):
        return json.dumps({"url": text}).encode()
    # scrapy-redis says it in colours, which are no good in a log file.
    if not json.loads(text).get("url"):
        raise ValueError('expected the key "url" in it')
    return data


async def _waiting(redis: Redis, key: str) -> tuple[str, list[bytes]]:
    store: Any = redis
    kind = (await store.type(key)).decode()
    if kind == "list":
        return kind, await store.lrange(key, 0, _AT_ONCE - 1)
    if kind == "set":
        return kind, await store.srandmember(key, _AT_ONCE)
    if kind == "zset":
        return kind, await store.zrevrange(key, 0, _AT_ONCE - 1)
    return kind, []


async def push(redis: Redis, key: str, urls: Sequence[str]) -> None:
    """Pushes addresses, to whatever the key is; to a list where it is not there yet.

    Raises:
        redis.RedisError: Redis is away.
    """
    store: Any = redis
    kind = (await store.type(key)).decode()
    if kind == "set":
        await store.sadd(key, *urls)
    elif kind == "zset":
        await store.zadd(key, dict.fromkeys(urls, 0))
    else:
        await store.rpush(key, *urls)


async def _remove(redis: Redis, kind: str, key: str, pushed: list[bytes]) -> None:
    store: Any = redis
    if kind == "list":
        async with store.pipeline(transaction=False) as pipe:
            for data in pushed:
                pipe.lrem(key, 1, data)
            await pipe.execute()
    else:
        await (store.srem if kind == "set" else store.zrem)(key, *pushed)
