"""A Redis that is away: it is said once, and it is started again where that is this machine's business."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from articlebot.errors import StateError, StoreUnavailable
from articlebot.frontier.scripts import passes, said
from articlebot.outage import Outage

logger = logging.getLogger(__name__)


class Away:
    """Whether Redis is away, for one session.

    Args:
        count: counts an event, for the statistics.
        revive: starts Redis again; None where whoever runs it does.
        refused: takes what does not pass by itself.
    """

    def __init__(
        self,
        count: Callable[[str, int], None],
        revive: Callable[[], Awaitable[None]] | None,
        refused: Callable[[Exception], None],
    ) -> None:
        self._count, self._revive, self.refused = count, revive, refused
        self._outage = Outage(logger)
        self._told = False  # that Redis cannot be started again

    @property
    def is_on(self) -> bool:
        """Whether it is away."""
        return self._outage.is_on

    def begin(self, error: Exception) -> None:
        """It did not answer, or not as it should."""
        if self._outage.begin("Redis is away, the crawl waits: %s", said(error)):
            self._count("redis_away", 1)
        if not passes(error):
            self.refused(error)

    def end(self) -> bool:
        """It has answered; whether it was away."""
        self._told = False
        return self._outage.end("Redis is back, the crawl goes on")

    async def start_redis(self) -> None:
        """Starts it again."""
        if self._revive is None:
            return
        try:
            await self._revive()
        except StateError as error:
            self.refused(error)
        except (StoreUnavailable, OSError) as error:
            logger.log(logging.DEBUG if self._told else logging.WARNING, "Redis cannot be started again: %s", error)
            self._told = True
