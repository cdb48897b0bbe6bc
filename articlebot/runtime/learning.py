"""Learning wrappers beside the crawl: pages are kept as they come, and a process of low priority learns from them.

What is learned belongs to the crawl. One worker learns a site, and the others read what it has written: at once where
they share a data folder or a PostgreSQL database, from their own pages otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, ParamSpec, TypeVar

from articlebot.config import Wrappers
from articlebot.extraction.wrapper.book import Known, WrapperBook, learn_site
from articlebot.extraction.wrapper.shelf import Shelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.extraction.wrapper.turns import RedisTurns
from articlebot.extraction.wrapper.wrapper import Wrapper, by_hand
from articlebot.jobs.model import Selectors
from articlebot.page import Page
from articlebot.runtime.aside import Aside
from articlebot.runtime.children import end, end_with_parent, without_main

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
# A signal of the crawler with ``site`` and ``event``: what became of the wrapper of a site, see ``Learning``.
wrapper_changed = object()
_NICENESS = 15
_MOST_HAND_MADE = 2000
# What other workers have learned is asked for so often.
_NEWS_S = 10.0
# Pages that wait to be kept; while the store is slower than the crawl, those beyond are not.
_MOST_WAITING = 50
# Pages that are asked at once whether their site is known. Each waits for its own alone: the database may be far away.
_READERS = 8
# At the end, what is being written may take so long.
_PATIENCE_S = 10.0


class Learning:
    """The wrapper of each site, learned when enough of its articles have been read.

    Stores are written in a thread of its own, and read for a page by others: no page waits for what is kept of others.

    Args:
        config: the section ``wrappers``.
        shelf: opens the shelf where pages and wrappers lie; the process that learns calls it too.
        now: the clock.
        tell: takes a site and ``learned``, ``doubted``, ``recovered`` or ``failed`` as they happen here.
        turns: keeps two workers from learning one site.
        aside: guards what is learned beside the pages.
    """

    def __init__(
        self, config: Wrappers, shelf: Callable[[], Shelf], now: Callable[[], float],
        tell: Callable[[str, str], None], turns: RedisTurns, *,
        aside: Aside | None = None,
    ) -> None:  # fmt: skip
        self._aside = aside or Aside()
        self._config, self._open_shelf, self._now, self._tell, self._turns = config, shelf, now, tell, turns
        self._shelf = shelf()
        self._pages = PageStore(self._shelf)
        self._book = WrapperBook(WrapperStore(self._shelf, config.folder), self._pages)
        self._hand_made: dict[tuple[Selectors, str | None, str], Wrapper] = {}
        self._earlier: dict[str, Wrapper | None] = {}
        self._thread, self._readers = ThreadPoolExecutor(1, "learning"), ThreadPoolExecutor(_READERS, "wrappers")
        self._pool: ProcessPoolExecutor | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._learners: set[asyncio.Task[None]] = set()
        self._heard_at = -_NEWS_S

    async def open(self, site: str) -> None:
        """Has what is known of a site at hand; without it, ``choose`` finds no wrapper."""
        if not self._config.enabled:
            return
        with self._aside("learning"):
            await self._hear()
            if not self._book.has(site):
                known = await _run(self._readers, self._book.read, site)
                if not self._book.has(site) and (left := self._book.take(site, known)) is not None:
                    self._begin(self._save(*left))

    async def recall(self, name: str) -> None:
        """Has the wrapper of a name at hand, for ``earlier``."""
        if name not in self._earlier:
            with self._aside("learning"):
                found = await _run(self._readers, self._book.named, name)
                if len(self._earlier) >= _MOST_HAND_MADE:
                    self._earlier.clear()
                self._earlier[name] = found

    def choose(self, site: str, page: Page, selectors: Selectors | None = None) -> Wrapper | None:
        """The wrapper for a page, None where there is none that fits; a job's selectors win over what was learned."""
        learned = None
        with self._aside("learning"):
            learned = self._book.choose(site, page) if self._book.has(site) else None
        return learned if selectors is None else self._with_selectors(site, learned, selectors)

    def earlier(self, name: str, selectors: Selectors | None = None) -> Wrapper | None:
        """The wrapper that goes by a name, under a job's selectors; None where there is none, as for generic rules."""
        learned = self._earlier.get(name)
        site = "" if learned is None else learned.rules.site
        return learned if selectors is None else self._with_selectors(site, learned, selectors)

    def _with_selectors(self, site: str, learned: Wrapper | None, selectors: Selectors) -> Wrapper:
        name = (selectors, None if learned is None else learned.name, site)
        known = self._hand_made.get(name)
        if known is None:
            if len(self._hand_made) >= _MOST_HAND_MADE:
                self._hand_made.clear()
            known = self._hand_made[name] = by_hand(site, learned, selectors.model_dump())
        return known

    def note(self, site: str, body: bytes, content_type: str | None, page: Page) -> None:
        """Takes notice of an article page that was read; it is kept while the crawl goes on."""
        if self._config.enabled and len(self._tasks) < _MOST_WAITING:
            self._begin(self._note(site, StoredPage(page.url, body, content_type, page.fetched_at), page))

    async def _note(self, site: str, stored: StoredPage, page: Page) -> None:
        await self.open(site)
        for event in self._book.note(site, page, self._now()) if self._book.has(site) else ():
            await self._save(site, self._book.of(site), anyhow=event != "save")
            if event != "save":
                logger.warning("The wrapper of %s is %s", site, event)
                self._tell(site, event)
                await self._turns.tell(site)
        if self._book.has(site) and not self._book.wants(site):
            return
        count = await self._apart(self._pages.put, site, stored)
        if self._book.has(site) and self._book.kept(site, count):
            await self._learn_in_turn(site)

    async def _save(
        self, site: str, known: Known, threads: ThreadPoolExecutor | None = None, *, anyhow: bool = False
    ) -> None:
        drift, before = known.drift, None if anyhow else known.written
        stands = await _run(threads or self._thread, self._book.save, site, drift, before)
        self._book.saved(site, drift, stands)

    async def _hear(self) -> None:
        """Forgets what other workers have changed; asked for now and then, by the first page that comes."""
        if self._now() - self._heard_at >= _NEWS_S:
            self._heard_at = self._now()
            for site in await self._turns.news():
                self._book.drop(site)

    async def close(self) -> None:
        """Ends what is being learned, and writes the rest; the pages stay, and the next crawl learns from them."""
        for task in self._learners:
            task.cancel()
        await _settled(self._tasks | self._learners)  # who was to learn gives its turn back
        for site, known in self._book.unsaved().items():
            self._begin(self._save(site, known, self._readers))  # each once, so in any order
        await _settled(self._tasks)
        if self._pool is not None:
            end(self._pool)
        for threads in (self._thread, self._readers):
            threads.shutdown(wait=False, cancel_futures=True)
        self._shelf.close()

    async def _learn_in_turn(self, site: str) -> None:
        if not self._config.processes or not await self._turns.begin(site):
            self._book.leave(site)
            return
        task = asyncio.ensure_future(self._guarded(self._learn(site)))
        self._learners.add(task)
        task.add_done_callback(self._learners.discard)

    async def _learn(self, site: str) -> None:
        number = None
        try:
            if learned := await self._learned(site):
                number = await self._apart(self._book.adopt, site, learned)
                self._book.drop(site)
                await self._turns.tell(site)
        finally:
            if number is None:
                self._book.leave(site)
            self._tell(site, "failed" if number is None else "learned")
            await self._turns.end(site)
        logger.debug("Learned the wrapper of %s: version %s", site, number)

    async def _learned(self, site: str) -> list[str]:
        if self._pool is None:
            # Spawned, not forked: the parent has threads and a reactor.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._config.processes, mp_context=context, initializer=_step_back)
        try:
            with without_main():  # the pool starts its process here, where it has none
                learning = asyncio.get_running_loop().run_in_executor(
                    self._pool, _learn_from, self._open_shelf, site, self._now()
                )
            return await learning
        except (BrokenProcessPool, OSError, MemoryError) as error:
            logger.warning("The wrapper of %s could not be learned: %s", site, error)
            self._pool = None
            return []

    async def _apart(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await _run(self._thread, work, *args, **kwargs)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        with self._aside("learning"):
            await work


async def _settled(tasks: set[asyncio.Task[None]]) -> None:
    """Waits for tasks, and ends those that take longer than one may wait for them at the end."""
    if tasks:
        for task in (await asyncio.wait(tasks, timeout=_PATIENCE_S))[1]:
            task.cancel()


async def _run(threads: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads, partial(work, *args, **kwargs))


def _learn_from(shelf: Callable[[], Shelf], site: str, now: float) -> list[str]:
    opened = shelf()
    try:
        return learn_site(PageStore(opened), site, now)
    finally:
        opened.close()


def _step_back() -> None:
    """The crawl comes first, and nothing is learned after it."""
    end_with_parent()
    os.nice(_NICENESS)
