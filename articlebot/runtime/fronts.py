"""What the front page of each job's site says of itself, which articles repeat: its name, and its own pictures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import redis.asyncio

from articlebot.bounded import Bounded
from articlebot.connect import RedisStore
from articlebot.urls import is_front

if TYPE_CHECKING:
    from articlebot.jobs import Job
    from articlebot.page import Page

_Said = tuple[str, frozenset[str]]
_MOST_JOBS = 20_000


class Fronts(RedisStore):
    """A field per job in a hash, for all workers and the next start; written when a front page says something else."""

    below = "fronts"

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}") -> None:
        super().__init__(client, prefix)
        self._said: Bounded[str, _Said] = Bounded(_MOST_JOBS)
        self._unkept: dict[str, _Said] = {}

    def see(self, job: Job, page: Page | None) -> None:
        """Remembers what the front page of a job's site says of itself; any other page is passed over."""
        if page is None or not (is_front(page.url) or page.url == job.site):
            return
        from articlebot.extraction.fields.lead import stated_leads  # noqa: PLC0415 - commands see no page

        said = page.title, frozenset(lead.image.url for lead in stated_leads(page))
        if said != self._said.get(job.name):
            self._said[job.name] = self._unkept[job.name] = said

    async def open(self, job: str) -> None:
        """Keeps what was seen here, and has at hand what another worker has seen, where this one saw nothing.

        Raises:
            redis.RedisError: Redis is away.
        """
        if (said := self._unkept.get(job)) is not None:
            await self._redis.hset(self._key, job, json.dumps([said[0], sorted(said[1])], ensure_ascii=False))
            del self._unkept[job]
        elif job not in self._said and (kept := await self._redis.hget(self._key, job)) is not None:
            title, pictures = json.loads(kept)
            self._said[job] = title, frozenset(pictures)

    def of(self, job: str) -> tuple[str, frozenset[str]]:
        """What the front page is called, and the addresses of the pictures that it states for itself."""
        return self._said.get(job, ("", frozenset()))
