"""What needs the archive waits while that is away, and the crawl fetches nothing more meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from articlebot.errors import StateError, StoreUnavailable
from articlebot.outage import Outage

logger = logging.getLogger(__name__)
# Reasons for which a crawl ends before it is done.
AWAY, DAMAGED = "archive_away", "archive_damaged"
# The stat that says why a running worker fetches nothing, "" where it does.
WAITS = "articlebot/publish/waits"
_FIRST_S, _LONGEST_S = 0.1, 10.0
# Twice as long as SQLite waits for another process: what has no answer by then is asked anew.
_SILENT_S = 60.0
T = TypeVar("T")


class ArchiveWait:
    """Tries again what the archive cannot do for now: it is away, locked, or its disk is full.

    Args:
        count: takes the name of what is counted.
        is_ending: whether the crawl ends; then nothing waits.
        end: ends the crawl for a reason.
        cut: ends what has no answer with an error.
        tell: takes what is waited for, for those who look on; "" when it is over.
        give_up_s: seconds after which it is ended; None for a worker that runs for ever.
    """

    def __init__(
        self, count: Callable[[str], None], *, give_up_s: float | None, is_ending: Callable[[], bool] = lambda: False,
        end: Callable[[str], None] = lambda reason: None, cut: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda said: None,
    ) -> None:  # fmt: skip
        self._count, self._give_up_s, self._is_ending, self._end = count, give_up_s, is_ending, end
        self._cut, self._tell, self._outage = cut, tell, Outage(logger)

    @property
    def is_away(self) -> bool:
        """Whether nothing is to be fetched, because it could not be kept."""
        return self._outage.is_on

    async def call(self, work: Callable[[], Awaitable[T]], what: str) -> T:
        """What the work returns, tried again with growing pauses.

        Args:
            what: waits meanwhile, for the log.

        Raises:
            StoreUnavailable: the crawl ends, because the archive stays away or is damaged, or by itself.
        """
        loop = asyncio.get_running_loop()
        begun, pause = loop.time(), _FIRST_S
        while True:
            try:
                done = await self._answer(work)
            except StateError as error:
                self._finish(DAMAGED, logging.ERROR, error)
                raise StoreUnavailable(str(error)) from error
            except StoreUnavailable as error:
                self._count("publish/store_unavailable")
                self._outage.begin("%s wait: %s; nothing more is fetched until it is back", what, error)
                self._tell(str(error))
                if self._is_ending():
                    raise
                if self._give_up_s is not None and loop.time() + pause > begun + self._give_up_s:
                    self._finish(AWAY, logging.WARNING, error)
                    raise
            else:
                if self._outage.end("The archive is back, the crawl goes on"):
                    self._tell("")
                return done
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_S)

    async def _answer(self, work: Callable[[], Awaitable[T]]) -> T:
        asked = asyncio.ensure_future(work())
        try:
            while not (await asyncio.wait([asked], timeout=_SILENT_S))[0]:
                self._cut()
            return asked.result()
        finally:
            asked.cancel()

    def _finish(self, reason: str, level: int, error: Exception) -> None:
        if not self._is_ending():
            logger.log(level, "The crawl ends, its pages stay queued: %s", error)
            self._end(reason)
