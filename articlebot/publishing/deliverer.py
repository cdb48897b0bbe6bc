"""The thread that empties the outbox while a crawl runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from articlebot.errors import ArticlebotError
from articlebot.publishing.outbox import Counts, Outbox
from articlebot.publishing.sink import Sink

logger = logging.getLogger(__name__)


class Deliverer:
    """Delivers after each commit, and now and then what waits for its next attempt.

    Args:
        outbox: of the archive.
        sinks: by name.
        now: the clock.
        counted: called on this thread with what each pass did.
        pause_s: seconds between passes without a commit.
    """

    def __init__(
        self,
        outbox: Outbox,
        sinks: Mapping[str, Sink],
        now: Callable[[], float],
        counted: Callable[[Counts], None],
        pause_s: float = 1.0,
    ) -> None:
        self._outbox, self._sinks, self._now, self._counted, self._pause_s = outbox, sinks, now, counted, pause_s
        self._wake = threading.Event()
        self._stop_at: float | None = None
        self._thread = threading.Thread(target=self._run, name="articlebot-deliveries", daemon=True)

    def start(self) -> None:
        """Starts with what an earlier process left."""
        self._wake.set()
        self._thread.start()

    def wake(self) -> None:
        """Says that something was committed."""
        self._wake.set()

    def stop(self, within_s: float) -> None:
        """Delivers what is due, for so many seconds at most, and ends the thread; the rest stays in the outbox."""
        self._stop_at = time.monotonic() + within_s
        self._wake.set()
        self._thread.join(within_s + 5)

    def _run(self) -> None:
        while True:
            self._wake.wait(self._pause_s)
            self._wake.clear()
            stopping = self._stop_at is not None  # read before the pass: what was committed before is delivered by it
            try:
                while self._pass() and (self._stop_at is None or time.monotonic() < self._stop_at):
                    pass
            except ArticlebotError as error:
                logger.warning("Deliveries wait: %s", error)
                if not stopping:
                    time.sleep(self._pause_s)
            except Exception:
                logger.exception("Deliveries failed; again in a moment")
                if not stopping:
                    time.sleep(self._pause_s)
            if stopping:
                return

    def _pass(self) -> bool:
        counts = self._outbox.deliver(self._sinks, self._now())
        if counts.delivered or counts.refused or counts.dead or counts.failed_sinks:
            self._counted(counts)
        return counts.delivered > 0
