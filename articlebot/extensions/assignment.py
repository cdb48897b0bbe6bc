"""Agrees with the other servers on who follows which job (``docs/explanation/frontier.md``, "Many servers")."""

from __future__ import annotations

import asyncio
import logging
import socket

from redis.exceptions import RedisError
from scrapy import Spider
from scrapy.crawler import Crawler

from articlebot.errors import Off
from articlebot.jobs.book import followed_by
from articlebot.outage import Outage
from articlebot.runtime.component import Component
from articlebot.urls import site

logger = logging.getLogger(__name__)


class AssignmentExtension(Component):
    """Keeps ``runtime.assignment`` up to date, three times per ``ARTICLEBOT_FRONTIER_LEASE_S``.

    Stats: ``articlebot/jobs/mine``, the number of jobs that this worker follows.

    Raises:
        Off: the worker has a Redis of its own, so there is nobody to share jobs with.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self._runtime.config.general.redis_url:
            raise Off("REDIS_URL is not set: no other server")
        self._assignment = self._runtime.assignment
        self._name: str | None = None
        self._mine: frozenset[str] = frozenset()
        self._agreeing, self._left, self._outage = asyncio.Lock(), False, Outage(logger)

    async def spider_opened(self, spider: Spider) -> None:
        """Takes part, where the spider follows jobs."""
        if followed_by(spider) is None:
            return
        await self._agree()
        self._repeat(self._agree, self._assignment.silence_s / 3)

    async def jobs_changed(self) -> None:
        """Says at once what this worker can follow now."""
        if self._repeats:
            await self._agree()

    async def spider_closed(self) -> None:
        """Leaves the jobs to the others."""
        if not self._stop():
            return
        self._left = True
        async with self._agreeing:  # what is on its way to Redis would take part again
            if self._name is None:
                return
            try:
                await self._assignment.leave(self._name)
            except (RedisError, OSError) as error:
                logger.warning("The others take over in %.0f s: %s", self._assignment.silence_s, error)

    async def _agree(self) -> None:
        async with self._agreeing:
            if not self._left:
                await self._take_part()

    async def _take_part(self) -> None:
        runtime, book = self._runtime, getattr(self._crawler.spider, "book", ())
        jobs = {job.name: site(job.addresses[0]) for job in book}
        try:
            self._name = await self._assignment.name(socket.gethostname(), runtime.worker, self._name)
            passes = getattr(self._crawler.spider, "until", None) == "idle"
            mine = await self._assignment.mine(self._name, jobs, await runtime.clients.time(), passes=passes)
        except (RedisError, OSError) as error:
            self._outage.begin("Jobs stay where they are while Redis is away: %s", error)
            return
        self._outage.end("Jobs are shared again")
        if mine != self._mine and logger.isEnabledFor(logging.INFO):
            logger.info("As %s this worker follows %d of %d jobs", self._name, len(mine), len(jobs))
        self._mine = mine
        self._runtime.note("articlebot/jobs/mine", len(mine))
