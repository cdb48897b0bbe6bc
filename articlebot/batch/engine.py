"""Engines: what runs a pure function over batches."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context
from typing import Protocol, TypeVar

from articlebot.errors import ConfigError, WorkersLost
from articlebot.runtime.children import end_with_parent

B = TypeVar("B")
R = TypeVar("R")

# Batches in hand for each process: enough that none waits for the one that writes, and few enough for memory.
AHEAD = 3
# A batch is tried so often where processes die over it, as dask does with its tasks.
TRIES = 3


class Engine(Protocol):
    """Runs functions over batches."""

    @property
    def link(self) -> str:
        """Address of a page that shows the work, "" where there is none."""

    def run(self, function: Callable[[B], R], batches: Iterable[B]) -> Iterator[tuple[B, R]]:
        """Each batch with its result, in order. Batches are read as they are needed.

        Args:
            function: of a module, without state: it may run twice for one batch.

        Raises:
            WorkersLost: processes keep dying over a batch.
            StoreUnavailable: the engine cannot be reached any more.
        """

    def close(self) -> None:
        """Gives back what was taken."""


class Local:
    """Processes of this machine; with one, or with a single batch, the process itself.

    Args:
        processes: None is one for each core.
    """

    link = ""

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or len(os.sched_getaffinity(0))

    def run(self, function: Callable[[B], R], batches: Iterable[B]) -> Iterator[tuple[B, R]]:
        unread = iter(batches)
        first = list(islice(unread, 2))
        if self._processes == 1 or len(first) < 2:
            yield from ((batch, function(batch)) for batch in chain(first, unread))
            return
        yield from self._in_processes(function, chain(first, unread))

    def _in_processes(self, function: Callable[[B], R], unread: Iterator[B]) -> Iterator[tuple[B, R]]:
        waiting: deque[tuple[B, Future[R] | None]] = deque()
        pool, tries = self._pool(), 1
        try:
            while True:
                waiting.extend((batch, None) for batch in islice(unread, AHEAD * self._processes - len(waiting)))
                if not waiting:
                    return
                try:
                    waiting = deque((batch, asked or pool.submit(function, batch)) for batch, asked in waiting)
                    result = _asked(waiting[0]).result()
                except BrokenProcessPool:
                    if tries == TRIES:
                        raise WorkersLost(f"{TRIES} times processes died before a batch was done") from None
                    tries += 1
                    pool.shutdown(wait=False)
                    pool = self._pool()
                    waiting = deque((batch, asked if _well(asked) else None) for batch, asked in waiting)
                    continue
                tries = 1
                yield waiting.popleft()[0], result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._processes, mp_context=get_context("spawn"), initializer=_begin)

    def close(self) -> None:
        """Nothing is left: processes end with each run."""


def open_engine(name: str, processes: int | None = None) -> Engine:
    """The engine of a name: ``local``, or ``dask://host:port``, where a scheduler listens.

    Raises:
        ConfigError: no such name, or its package is missing.
        StoreUnavailable: no scheduler answers.
    """
    if processes is not None and processes < 1:
        raise ConfigError(f"--processes {processes}: expected one or more")
    if name == "local":
        return Local(processes)
    if not name.startswith("dask://"):
        raise ConfigError(f"--engine {name}: expected local or dask://host:port")
    if processes is not None:
        raise ConfigError("--processes belongs to --engine local: a dask cluster has the workers that were started")
    try:
        from articlebot.batch.dask import Dask  # noqa: PLC0415 - of an extra
    except ImportError:
        raise ConfigError(f"--engine {name}: needs pip install '.[batch]' in the source tree") from None
    return Dask(name.removeprefix("dask://"))


def _begin() -> None:
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends them, without a traceback of each


def _asked(entry: tuple[B, Future[R] | None]) -> Future[R]:
    assert entry[1] is not None
    return entry[1]


def _well(asked: Future[R] | None) -> bool:
    return asked is not None and asked.done() and not asked.cancelled() and asked.exception() is None
