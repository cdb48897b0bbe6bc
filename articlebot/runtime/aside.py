"""Side work: what is done beside a page and may fail without costing it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from redis.exceptions import RedisError

from articlebot.errors import StoreUnavailable, exhausted

logger = logging.getLogger(__name__)


class Aside:
    """Guards side work (mining, shapes, learning, history, metrics): a failure is counted, and told once for each work.

    Stats: ``articlebot/side_work/<work>``, how often it failed.

    Args:
        count: takes the name of what is counted.
    """

    def __init__(self, count: Callable[[str], None] = lambda what: None) -> None:
        self._count, self._told = count, set[str]()

    @contextmanager
    def __call__(self, work: str) -> Iterator[None]:
        """Runs the block; an error in it ends the block alone."""
        try:
            yield
        except Exception as error:
            self._count(f"side_work/{work}")
            if work not in self._told:
                self._told.add(work)
                # Whose texts say all; one for want of memory or files ends the worker, which is told by the log.
                away = isinstance(error, StoreUnavailable | RedisError | OSError) and exhausted(error) is None
                logger.warning(
                    "Side work fails, the pages go their way: %s. This is said once; articlebot/side_work/%s counts.%s",
                    work, work, f" {error}" if away else "", exc_info=None if away else error,
                )  # fmt: skip
