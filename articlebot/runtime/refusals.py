"""A Redis that answers, but refuses what the crawl asks in a way that does not pass by itself."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic

from articlebot.errors import exhausted

logger = logging.getLogger(__name__)
# Why a crawl ends before it is done.
REFUSES = "redis_refuses"
# As long as a start waits for a server that is away.
_PATIENCE_S = 60.0


class Refusals:
    """Ends a crawl that would wait for ever: its keys are damaged, or its user may not do all that it needs.

    Args:
        is_ending: whether the crawl ends already.
        end: ends it for a reason.
        clock: seconds.
    """

    def __init__(
        self, is_ending: Callable[[], bool], end: Callable[[str], None], clock: Callable[[], float] = monotonic
    ) -> None:
        self._is_ending, self._end, self._clock = is_ending, end, clock
        self._since = self._last = -_PATIENCE_S

    def note(self, error: Exception) -> None:
        """Something was refused that is asked for again and again; after a minute of that the crawl ends."""
        if exhausted(error):
            logger.error("Redis cannot be asked", exc_info=error)
            return
        now = self._clock()
        if now - self._last >= _PATIENCE_S / 2:
            self._since = now
            logger.error(
                "Redis refuses what the crawl asks: %s. Its user may not do all that is needed, or keys are damaged "
                "(scrapy restore puts a backup in their place); where it goes on for a minute, the crawl ends", error,
            )  # fmt: skip
        self._last = now
        if now - self._since >= _PATIENCE_S and not self._is_ending():
            self._end(REFUSES)
