"""Processes that a worker starts for work of its own."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

# Seconds for the processes of a pool to be gone, which were killed.
_PATIENCE_S = 2.0


def end_with_parent() -> None:
    """Lets this process end as soon as the one that started it is gone; for a pool's ``initializer``.

    A pool's processes wait for work at a pipe that each of them holds open itself. So they would outlive a worker that
    was killed, with all the memory they have.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def end(pool: ProcessPoolExecutor) -> None:
    """Ends a pool with whatever it is doing: else this process waits for that before it can end."""
    # What watches the processes closes its pipe when they are gone. Where this process ends at that moment, Python
    # writes into it still, and says so in a traceback.
    watching: Any = pool._executor_manager_thread  # a thread, whatever the stubs say
    for process in list((pool._processes or {}).values()):  # Python 3.14 has ``kill_workers``
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)
    if watching is not None:
        watching.join(_PATIENCE_S)


@contextmanager
def without_main() -> Iterator[None]:
    """While processes are spawned: they do not import the program that started this one.

    A script that runs a crawl as Scrapy's documentation shows, without a guard, would run a second one in each.
    """
    main = sys.modules["__main__"]
    hidden: dict[str, Any] = {name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)}
    for name in hidden:
        delattr(main, name)
    main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(hidden)


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
