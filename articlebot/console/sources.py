"""What the console reads from: the stores of the crawl, and the values that are kept for some seconds."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from redis.exceptions import RedisError

from articlebot import text
from articlebot.actions.status import LATE_S, state_of
from articlebot.actions.teaching import Teaching
from articlebot.console.figures import Published, published, shares
from articlebot.console.rounds import DAYS_BACK, Rhythm, rhythms
from articlebot.errors import ArticlebotError, StateError, StoreUnavailable
from articlebot.extraction.wrapper.store import WrapperStore
from articlebot.frontier.inspect import counts_by_spider
from articlebot.frontier.leases import Counts
from articlebot.jobs.book import JobBook
from articlebot.jobs.files import JobFiles
from articlebot.jobs.folder import JobFolder
from articlebot.jobs.learned import LearnedJobs
from articlebot.proxies import RedisProxies
from articlebot.proxies.wall_counts import SiteWalls
from articlebot.publishing import letters
from articlebot.recrawl.store import Counts as PageCounts
from articlebot.runtime import Runtime
from articlebot.runtime.runs import Run

_DAY = 86400.0
FACETS = ("site", "category", "job")
T = TypeVar("T")
logger = logging.getLogger(__name__)

# A value is not read again before so many times the time it took: what is costly is read seldom.
_REST = 20
# A value that is so many times older than it may be is not shown before the next one had some time to come. Reading
# four weeks of thousands of jobs takes longer after the start; what else is known is shown meanwhile.
_OLD, _PATIENCE_S = 3, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The state of the crawl at one time; None where its store is away."""

    at: float
    minutes: list[Counter[str]]
    published: Published
    totals: dict[str, int]
    sinks: list[dict[str, Any]]
    queue: Counts | None
    pages: PageCounts | None
    proxies: int | None
    walls: dict[str, SiteWalls]
    last_run: dict[str, Any] | None
    running: list[Run]


class Sources:
    """The stores of one data folder, and the jobs; none where no job file was given.

    Args:
        paths: the job files and folders, which are followed while the console runs.
        start_key: of addresses to visit at once, as the crawl's settings name it.
    """

    def __init__(self, runtime: Runtime, paths: Sequence[Path] = (), start_key: str = "") -> None:
        self.runtime, self.start_key = runtime, start_key
        self.folder = JobFolder(paths) if paths else None
        self._files = JobFiles(paths)
        self._found: dict[str, dict[str, Any]] = {}
        # A folder that is empty gets its first job here.
        empty = len(paths) == 1 and paths[0].is_dir() and not any(paths[0].rglob("*.toml"))
        self.book = JobBook(self._files.read() if paths and not empty else ())
        self.data_dir = runtime.config.general.data_dir
        self._shelf, self._history = runtime.shelf(), runtime.visits.history
        self.wrappers = WrapperStore(self._shelf, runtime.config.wrappers.folder)
        self._begun: dict[str, float] = {}
        self._totals: Cached[dict[str, int]] = Cached(self._count, 30.0, runtime.now)
        self.walls: Cached[dict[str, SiteWalls]] = Cached(self._walls, 10.0, runtime.now)
        self.learned: Cached[LearnedJobs] = Cached(self._learned, 10.0, runtime.now)
        self.overview: Cached[Overview] = Cached(self._overview, 4.0, runtime.now)
        self.health: Cached[dict[str, Any]] = Cached(self._health, 10.0, runtime.now)
        self.rhythms: Cached[dict[str, Rhythm]] = Cached(self._rhythms, 60.0, runtime.now)
        self.facets: Cached[dict[str, list[tuple[str, int]]]] = Cached(self._facets, 60.0, runtime.now)

    @cached_property
    def teaching(self) -> Teaching:
        """The stored pages, to be pointed at."""
        return Teaching(self.runtime.config, self._shelf, self.runtime.archive)

    async def close(self) -> None:
        """Closes the stores."""
        self._shelf.close()
        self._history.close()
        await self.runtime.close()

    async def follow_files(self, every_s: float | None = None) -> None:
        """Takes what the job files say now; again after each so many seconds where they are given."""
        while True:
            # A file is taken when two looks have found the same.
            news = [await asyncio.to_thread(self._files.look) for _ in range(2 if every_s is None else 1)]
            jobs = next((one.jobs for one in reversed(news) if one.jobs is not None), None)
            before = self._found
            with suppress(RedisError, OSError):
                self._found = {name: one.keys for name, one in (await self.runtime.looks.all()).items()}
            if jobs is not None or self._found != before:
                self.book = JobBook(self.book.stated if jobs is None else jobs, found=self._found)
            if every_s is None:
                return
            await asyncio.sleep(every_s)

    async def warm(self) -> None:
        """Reads what takes longest, so that the first reader need not wait; what cannot be read is told to that one."""
        with suppress(ArticlebotError):
            await self.overview.get()
        await asyncio.to_thread(text.segment, "词典")  # reads the dictionary that a search needs
        await asyncio.to_thread(self.book.owners, "http://www.example.com/")  # finds the places of all jobs
        for kept in (self.facets, self.rhythms):
            with suppress(ArticlebotError):
                await kept.get()

    async def _overview(self) -> Overview:
        now, runtime = self.runtime.now(), self.runtime
        engine = runtime.archive.engine
        totals, figures, sinks, last_run = await asyncio.gather(
            self._totals.get(),
            asyncio.to_thread(published, engine, now, self._begun),
            asyncio.to_thread(letters.summary, engine, list(runtime.config.publishing.sinks), now),
            asyncio.to_thread(self._last_run),
        )
        queue: Counts | None = None
        pages: PageCounts | None = None
        proxies: int | None = None
        minutes, running = [Counter[str]() for _ in range(60)], list[Run]()
        # Shown as "not available"; the archive's figures are good without it.
        with suppress(StoreUnavailable, StateError, RedisError):
            queues, pages = await counts_by_spider(runtime.frontier), await runtime.pages.counts(now)
            queue = Counts.total(queues.values())
            minutes, running = await runtime.runs.downloads(now), await runtime.runs.running(now)
            proxies = len(await RedisProxies(runtime.clients.of(), runtime.config.general.key_prefix).pool())
        return Overview(
            at=now, minutes=minutes, published=figures, totals=totals, sinks=sinks, queue=queue, pages=pages,
            proxies=proxies, walls=await self.walls.get(), last_run=last_run, running=running,
        )  # fmt: skip

    async def _health(self) -> dict[str, Any]:
        """How the crawl is, as `scrapy status` says it."""
        return await state_of(self.runtime, LATE_S)

    async def _count(self) -> dict[str, int]:
        return await asyncio.to_thread(self.runtime.archive.counts)

    async def _walls(self) -> dict[str, SiteWalls]:
        """By site; nothing where Redis is away, which the overview tells."""
        with suppress(StoreUnavailable, StateError, RedisError):
            return {row.site: row for row in await self.runtime.walls.table()}
        return {}

    async def _learned(self) -> LearnedJobs:
        """Nothing where the file is damaged, which `scrapy jobs intervals` will tell."""
        try:
            return await self.runtime.visits.hear()
        except (ArticlebotError, RedisError):
            return LearnedJobs()

    def _last_run(self) -> dict[str, Any] | None:
        try:
            kept = json.loads(self.runtime.last_run.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) and isinstance(kept.get("stats"), dict) else None

    async def _rhythms(self) -> dict[str, Rhythm]:
        since = self.runtime.now() - DAYS_BACK * _DAY
        return await asyncio.to_thread(lambda: rhythms(self._history.rounds(since), self.zone_of))

    async def _facets(self) -> dict[str, list[tuple[str, int]]]:
        engine = self.runtime.archive.engine
        return {name: await asyncio.to_thread(shares, engine, name) for name in FACETS}

    def zone_of(self, job: str) -> str:
        """Name of a job's time zone, UTC where its file was not given."""
        known = self.book.get(job)
        return known.zone.key if known is not None else "UTC"


class Cached(Generic[T]):
    """A value that is read anew when it is older than so many seconds, later where reading takes long.

    Pages show the last value while the next one is being read. The first asker waits, and for two seconds whoever comes
    after nobody has asked for long.
    """

    def __init__(self, read: Callable[[], Awaitable[T]], seconds: float, now: Callable[[], float]) -> None:
        self._read, self._seconds, self._now = read, seconds, now
        self._value: T | None = None
        self._read_at = self._took = 0.0
        self._reading: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """The value.

        Raises:
            ArticlebotError: it was never read and cannot be.
        """
        pause = max(self._seconds, _REST * self._took)
        if self._reading is None and (self._value is None or self._now() - self._read_at >= pause):
            self._reading = asyncio.ensure_future(self._refresh())
            self._reading.add_done_callback(self._ended)
        if self._value is None:
            assert self._reading is not None
            return await asyncio.shield(self._reading)
        if self._reading is not None and self._now() - self._read_at >= _OLD * pause:
            await asyncio.wait({self._reading}, timeout=_PATIENCE_S)
        return self._value

    async def get_within(self, seconds: float = _PATIENCE_S) -> T | None:
        """The value; None where it was never read and is not there after so many seconds.

        Raises:
            ArticlebotError: it was never read and cannot be.
        """
        try:
            return await asyncio.wait_for(self.get(), seconds)
        except TimeoutError:
            return None

    async def _refresh(self) -> T:
        begun = time.monotonic()
        value = await self._read()
        self._value, self._read_at, self._took = value, self._now(), time.monotonic() - begun
        return value

    def _ended(self, task: asyncio.Task[T]) -> None:
        self._reading = None
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ArticlebotError):
            logger.error("The console cannot read what it shows", exc_info=error)
