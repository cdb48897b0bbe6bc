"""Virtual time: one clock for all, and an event loop for each worker whose timers fire when the driver says so."""

from __future__ import annotations

import asyncio
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable
from typing import Any

# Some epoch time; nothing depends on it.
EPOCH = 1_700_000_000.0


# By so much time goes on with each event at least, as it does anywhere; well above the rounding of the times here.
TICK_S = 1e-8


class Clock:
    """The one time of a schedule: seconds since it began; the driver moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def move(self, at: float) -> None:
        """It is so late now, and later than before."""
        self.now = max(self.now + TICK_S, at)


class Loop(asyncio.AbstractEventLoop):
    """An event loop that runs what is ready when it is told to, and nothing by itself.

    Args:
        clock: the time of the schedule.
        since: seconds that the worker's machine runs already: no two machines count from the same moment.
    """

    def __init__(self, clock: Clock, since: float) -> None:
        self._clock, self._since = clock, since
        self._ready: deque[events.Handle] = deque()
        self._timers: list[tuple[float, int, events.TimerHandle]] = []
        self._order = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self.dead = False
        # What nobody caught; there should be none.
        self.errors: list[str] = []

    def time(self) -> float:
        return self._clock.now + self._since

    @property
    def next_at(self) -> float | None:
        """When the first timer fires, in the schedule's time; None where there is none."""
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        return self._timers[0][0] - self._since if self._timers else None

    def turn(self, *, timers: bool) -> None:
        """Runs all that is ready, and where ``timers`` what has fallen due, until nothing is left to do now."""
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            # What falls due meanwhile comes with a later turn, as time does not stand still in between.
            while timers and self._timers and self._timers[0][0] <= self.time() + TICK_S:
                self._ready.append(heapq.heappop(self._timers)[2])
            while self._ready and not self.dead:
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            events._set_running_loop(before)

    def within(self, work: Callable[[], Any]) -> Any:
        """What ``work`` returns, called as from inside this loop."""
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            return work()
        finally:
            events._set_running_loop(before)

    # -- what asyncio asks of a loop ----------------------------------------------------------------------------------

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> events.Handle:  # type: ignore[override]
        handle = events.Handle(callback, args, self, context)
        if not self.dead:
            self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> events.TimerHandle:  # type: ignore[override]
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> events.TimerHandle:  # type: ignore[override]
        handle = events.TimerHandle(when, callback, args, self, context)
        self._order += 1
        if not self.dead:
            heapq.heappush(self._timers, (when, self._order, handle))
        return handle

    def _timer_handle_cancelled(self, handle: events.TimerHandle) -> None:
        """Nothing: what is cancelled is passed over when its time comes."""

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name, context=context)
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # a killed worker says nothing
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.errors.append(f"{context.get('message')}: {error!r}")

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return events._get_running_loop() is self

    def is_closed(self) -> bool:
        return self.dead
