"""Processes that a worker starts for work of its own."""

from __future__ import annotations

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """Lets this process end as soon as the one that started it is gone; for a pool's ``initializer``.

    A pool's processes wait for work at a pipe that each of them holds open itself. So they would outlive a worker that
    was killed, with all the memory they have.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
