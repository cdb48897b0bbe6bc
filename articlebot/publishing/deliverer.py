"""The threads that empty the outbox while a crawl runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from articlebot.errors import ArticlebotError
from articlebot.outage import Outage
from articlebot.publishing.outbox import Counts, Outbox
from articlebot.publishing.sink import Sink

logger = logging.getLogger(__name__)

# Seconds between passes without a commit, and those that the last pass may take.
_PAUSE_S, _LAST_S = 1.0, 5.0
# Least seconds from one pass to the next while commits come: each has two commits of its own, and the sink's flush.
_GATHER_S = 0.5


class Deliverer:
    """Delivers what was committed, within half a second, and now and then what waits for its next attempt; a thread a
    sink, so that a slow one holds up no other. ``counted`` is called on these threads with what each pass did."""

    def __init__(
        self, outbox: Outbox, sinks: Mapping[str, Sink], now: Callable[[], float], counted: Callable[[Counts], None]
    ) -> None:
        self._outbox, self._now, self._counted = outbox, now, counted
        self._stop_at: float | None = None
        self._ends = threading.Event()
        self._wakes = {name: threading.Event() for name in sinks}
        self._threads = [
            threading.Thread(target=self._run, args=(name, sink), name=f"articlebot-deliveries-{name}", daemon=True)
            for name, sink in sinks.items()
        ]

    def start(self) -> None:
        """Starts with what an earlier process left."""
        self.wake()
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Says that something was committed."""
        for wake in self._wakes.values():
            wake.set()

    def stop(self, within_s: float) -> None:
        """Delivers what is due, for so many seconds at most, and ends the threads; the rest stays in the outbox."""
        end = time.monotonic() + within_s
        self._stop_at = end - _LAST_S
        self._ends.set()
        self.wake()
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _run(self, name: str, sink: Sink) -> None:
        outage, rests_until = Outage(logger), 0.0
        while True:
            self._wakes[name].wait(_PAUSE_S)
            self._ends.wait(max(0.0, rests_until - time.monotonic()))
            self._wakes[name].clear()
            rests_until = time.monotonic() + _GATHER_S
            stopping = self._stop_at is not None  # read before the pass: what was committed before is delivered by it
            try:
                while self._pass(name, sink) and (self._stop_at is None or time.monotonic() < self._stop_at):
                    pass
                outage.end("Deliveries to %s go on", name)
            except Exception as error:
                if isinstance(error, ArticlebotError):
                    outage.begin("Deliveries to %s wait: %s", name, error)
                else:
                    logger.exception("Deliveries to %s failed; again in a moment", name)
                if not stopping:
                    time.sleep(_PAUSE_S)
            if stopping:
                return

    def _pass(self, name: str, sink: Sink) -> bool:
        counts = self._outbox.deliver({name: sink}, self._now())
        if counts.delivered or counts.refused or counts.dead or counts.failed_sinks:
            self._counted(counts)
        return counts.delivered > 0 and counts.more > 0
