"""Whether the jobs of a crawl are well: counted while it goes on, compared with earlier runs when it is settled."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from redis.exceptions import RedisError

from articlebot.diagnosis import (
    Coverage,
    Finding,
    JobCounts,
    Past,
    RedisPasts,
    Tally,
    after,
    coverage,
    diagnose,
    exits_badly,
)
from articlebot.diagnosis.advice import advised
from articlebot.errors import StoreUnavailable
from articlebot.frontier.inspect import SilentHost
from articlebot.jobs import Job
from articlebot.proxies.live import LivePool
from articlebot.recrawl.store import RedisPageStates
from articlebot.urls import subdomain

logger = logging.getLogger(__name__)
# A signal of the crawler with a ``Settled``: an hour of a worker was judged.
SETTLED = object()


@dataclass(frozen=True, slots=True)
class Settled:
    """What a run, or an hour of a worker, came to.

    Attributes:
        visited: names of the jobs that were visited.
        findings: what is wrong with some of them.
        published: articles.
        due: whether anything was due, articles that were read before among it.
        next_at: when the next page is due, epoch seconds; None where none is or it is not known.
        at: when this was settled.
        covered: of each job that named something new, what became of it.
    """

    visited: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    published: int = 0
    due: bool = False
    next_at: float | None = None
    at: float = 0.0
    covered: tuple[Coverage, ...] = ()

    @property
    def bad(self) -> bool:
        """Whether an exit code says so."""
        return exits_badly(self.findings, len(self.visited), self.published)

    @property
    def note(self) -> str:
        """What there is to say of a run that found nothing although nothing is wrong, else ""."""
        if self.published or self.findings:
            return ""
        ahead = 0.0 if self.next_at is None else self.next_at - self.at
        wait = f", the next visit is in {_span(ahead)}" if ahead > 0.0 else ""
        return ("nothing new" if self.due else "nothing was due") + wait


class Diagnosis:
    """The tally of a crawl and what it is compared with.

    Args:
        pasts: what earlier runs found.
        pages: for when the next visit is.
        silent: the hosts that do not answer.
        pool: of proxies, asked only for jobs that demand one.
        now: the clock.
    """

    def __init__(
        self, pasts: RedisPasts, pages: Callable[[], RedisPageStates], pool: Callable[[], LivePool],
        now: Callable[[], float], silent: Callable[[], Awaitable[list[SilentHost]]],
    ) -> None:  # fmt: skip
        self.pasts, self.tally = pasts, Tally()
        self._pages, self._pool, self._now, self._silent = pages, pool, now, silent
        self._jobs: Callable[[], Iterable[Job]] | None = None
        self._ended: asyncio.Task[Settled] | None = None
        self._marked: set[str] = set()

    def begin(self, jobs: Callable[[], Iterable[Job]]) -> None:
        """A spider follows these jobs and counts their visits."""
        self._jobs = jobs

    async def published(self, job: str) -> None:
        """An article went through all pipelines. The first of a job is known at once: this run may not end well."""
        self.tally.published(job)
        if job not in self._marked:
            self._marked.add(job)
            try:
                await self.pasts.mark_published(job)
            except (RedisError, OSError) as error:
                logger.debug("Redis is away: %s", error)  # settling says it again

    async def settle(self) -> Settled:
        """Judges what was counted since the last time, and remembers it."""
        jobs = list(self._jobs()) if self._jobs is not None else []
        counted, now = self.tally.take(), self._now()
        counted |= await self._waiting([job for job in jobs if job.name not in counted])
        pasts = await self._known(counted)
        # Of a job that was paused or taken out meanwhile nobody need know.
        mine = {job.name: counted[job.name] for job in jobs if job.name in counted}
        found = {name: one for name, counts in mine.items() if (one := diagnose(name, counts, pasts[name]))}
        # Said once: what the look at a site has found stays.
        stop = {job.name for job in jobs if job.site and job.neighbours and not pasts.get(job.name, Past()).links}
        pasts = {name: after(past, counted[name]) for name, past in pasts.items()}
        try:
            await self.pasts.put(pasts, found, now)
        except (RedisError, OSError) as error:
            logger.warning("The next run cannot be compared with this one, Redis is away: %s", error)
        findings = [*found.values(), *await self._without_proxy([job for job in jobs if job.name not in counted])]
        published = sum(counts.published for counts in counted.values())
        due = bool(counted or self.tally.again)
        told = (coverage(name, counts, stops=name in stop) for name, counts in sorted(counted.items()))
        return Settled(
            frozenset(counted), tuple(findings), published, due, await self._next_at(), now, tuple(filter(None, told))
        )

    async def end(self) -> Settled | None:
        """The last settling, once for all who ask for it; None where no spider counted."""
        if self._jobs is None:
            return None
        if self._ended is None:
            self._ended = asyncio.ensure_future(self.settle())
        return await self._ended

    async def _known(self, counted: dict[str, JobCounts]) -> dict[str, Past]:
        try:
            return await self.pasts.get(counted)
        except (RedisError, OSError) as error:
            logger.warning("This run cannot be compared with earlier ones, Redis is away: %s", error)
            return {name: Past() for name in counted}

    async def _waiting(self, unvisited: list[Job]) -> dict[str, JobCounts]:
        """Jobs that had nothing because their host does not answer and what they have queued waits for it."""
        try:
            silent = {one.host: one.fault for one in await self._silent()} if unvisited else {}
        except (StoreUnavailable, RedisError, OSError):
            return {}
        found = {}
        for job in unvisited if silent else ():
            hosts = [(silent[host], url) for url, _ in job.entry_urls if (host := subdomain(url)) in silent]
            for fault, url in hosts[:1]:
                found[job.name] = JobCounts(entries=Counter({fault: 1}), examples={fault: (url, "")})
        return found

    async def _without_proxy(self, unvisited: list[Job]) -> list[Finding]:
        demanding = frozenset(job.name for job in unvisited if job.proxies == "required")
        try:
            lacking = await self._pool().lacking(demanding) if demanding else frozenset()
        except (RedisError, OSError):
            return []
        return [Finding(name, "no_proxy", *advised("no_proxy", {})) for name in sorted(lacking)]

    async def _next_at(self) -> float | None:
        try:
            return await self._pages().next_due_at()
        except (StoreUnavailable, RedisError, OSError):
            return None


def _span(seconds: float) -> str:
    """A time to wait, as people say it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
