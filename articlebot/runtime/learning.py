"""Learning wrappers beside the crawl: pages are kept as they come, and a process of low priority learns from them."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from articlebot.config import Wrappers
from articlebot.extraction.wrapper import PageStore, StoredPage, Wrapper, WrapperBook, WrapperStore, by_hand, learn_site
from articlebot.jobs.model import Selectors
from articlebot.page import Page
from articlebot.runtime.aside import Aside
from articlebot.runtime.children import end_with_parent, without_main

logger = logging.getLogger(__name__)
# A signal of the crawler with ``site`` and ``event``: what became of the wrapper of a site, see ``Learning``.
wrapper_changed = object()
_NICENESS = 15
_MOST_HAND_MADE = 2000


class Learning:
    """The wrapper of each site, learned when enough of its articles have been read.

    Args:
        config: the section ``wrappers``.
        data_dir: where pages and wrappers are kept.
        now: the clock.
        aside: guards what is learned beside the pages.
        tell: takes a site and ``learned``, ``doubted``, ``recovered`` or ``failed`` as they happen.
    """

    def __init__(
        self, config: Wrappers, data_dir: Path, now: Callable[[], float], tell: Callable[[str, str], None],
        aside: Aside | None = None,
    ) -> None:  # fmt: skip
        self._aside = aside or Aside()
        self._config, self._data_dir, self._now, self._tell = config, data_dir, now, tell
        store, pages = WrapperStore(data_dir, config.folder), PageStore(data_dir, config.keep_pages)
        self._book = WrapperBook(store, pages, min_pages=config.min_pages)
        self._hand_made: dict[tuple[Selectors, str | None, str], Wrapper] = {}
        self._pool: ProcessPoolExecutor | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def choose(self, site: str, page: Page, selectors: Selectors | None = None) -> Wrapper | None:
        """The wrapper for a page, None where there is none that fits; a job's selectors win over what was learned."""
        learned = None
        with self._aside("learning"):
            learned = self._book.choose(site, page) if self._config.enabled else None
        return learned if selectors is None else self._with_selectors(site, learned, selectors)

    def in_force(self, site: str) -> list[Wrapper]:
        """What was learned of a site and may be applied now."""
        found: list[Wrapper] = []
        with self._aside("learning"):
            if self._config.enabled:
                found = self._book.in_force(site)
        return found

    def earlier(self, name: str, selectors: Selectors | None = None) -> Wrapper | None:
        """The wrapper that goes by a name, under a job's selectors; None where there is none, as for generic rules."""
        learned = self._book.named(name)
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
        """Takes notice of an article page that was read."""
        if not self._config.enabled:
            return
        with self._aside("learning"):
            self._note(site, body, content_type, page)

    def _note(self, site: str, body: bytes, content_type: str | None, page: Page) -> None:
        now = self._now()
        for event in self._book.note(site, StoredPage(page.url, body, content_type, page.fetched_at), page, now):
            if event != "learn":
                logger.warning("The wrapper of %s is %s", site, event)
                self._tell(site, event)
            elif self._config.processes:
                task = asyncio.ensure_future(self._learn(site, now))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Ends what is being learned; the pages stay, and the next crawl learns from them."""
        for task in list(self._tasks):
            task.cancel()
        with self._aside("learning"):
            self._book.close()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    async def _learn(self, site: str, now: float) -> None:
        learned: list[str] = []
        with self._aside("learning"):
            learned = await self._learned(site, now)
        with self._aside("learning"):
            number = self._book.adopt(site, learned)
            self._tell(site, "failed" if number is None else "learned")
            logger.debug("Learned the wrapper of %s: version %s", site, number)

    async def _learned(self, site: str, now: float) -> list[str]:
        if self._pool is None:
            # Spawned, not forked: the parent has threads and a reactor.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._config.processes, mp_context=context, initializer=_step_back)
        try:
            with without_main():  # the pool starts its process here, where it has none
                learning = asyncio.get_running_loop().run_in_executor(
                    self._pool, learn_site, str(self._data_dir), site, now
                )
            return await learning
        except (BrokenProcessPool, OSError, MemoryError) as error:
            logger.warning("The wrapper of %s could not be learned: %s", site, error)
            self._pool = None
            return []


def _step_back() -> None:
    """The crawl comes first, and nothing is learned after it."""
    end_with_parent()
    os.nice(_NICENESS)
