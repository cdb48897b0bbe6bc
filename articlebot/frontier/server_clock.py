"""Redis' clock as a worker knows it."""

from __future__ import annotations

_DRIFT = 0.0005


class ServerClock:
    """The difference between the server's clock and the worker's own, from times in the server's answers.

    An answer is always late, so the largest difference is the truest: with it the way there and back takes nothing off
    a slot's rate. It sinks slowly (drift), or at once where the server's clock was set back.

    Args:
        now: the worker's time.
    """

    def __init__(self, now: float) -> None:
        self.offset, self._adjusted_at = -1e12, now

    def hear(self, server_time: float, now: float) -> None:
        """Takes an answer into account."""
        offset = server_time - now
        if offset > self.offset or self.offset - offset > 1.0:
            self.offset = offset
        else:
            self.offset = max(offset, self.offset - _DRIFT * (now - self._adjusted_at))
        self._adjusted_at = now
