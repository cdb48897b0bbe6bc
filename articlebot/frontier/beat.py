"""When the sessions of a worker speak with Redis: what happens together is told together."""

from __future__ import annotations

# How often a worker with room asks for what others have queued, and any worker says that it lives.
_POLL_S, _HEARTBEAT_S = 0.2, 2.0
# Between two round trips, so that what happens together is told together; short while the worker has nothing to do.
GAP_S, _GAP_HUNGRY_S = 0.02, 0.003
# Shards that are asked for what others have queued as often as one is; of more each more seldom.
_AT_ONCE = 4
# What the event loop does meanwhile goes out together.
_MOMENT_S = 0.001


class Beat:
    """The times of so many sessions, of the event loop's clock."""

    def __init__(self, sessions: int) -> None:
        self._sessions = sessions
        self._spoke_at = 0.0  # one of several asked last, or a single one was answered last

    def latest(self, since: float, lease_s: float, *, hungry: bool) -> float:
        """When a session speaks that has nothing to say and last did ``since`` then; sooner where it has room.

        Several speak at the same times, in one round trip, and less often, as there are many to ask.
        """
        heartbeat = min(_HEARTBEAT_S, lease_s / 4)
        every = _POLL_S if hungry else heartbeat
        if self._sessions == 1:
            return since + every
        every = min(heartbeat, every * max(1.0, self._sessions / _AT_ONCE))
        return (since // every + 1) * every

    def spoke(self, now: float, *, answered: bool) -> None:
        """A session asks, or has its answer: several have a beat by what they ask, a single one by its answers."""
        if answered is (self._sessions == 1):
            self._spoke_at = now

    def rest(self, now: float, *, hungry: bool) -> float:
        """Seconds that a session with something to say waits; less where the worker has nothing to do.

        Of several, those that have something to say when one asks do so with it.
        """
        since = now - self._spoke_at
        if self._sessions > 1 and since < _MOMENT_S:
            return 0.0
        return (_GAP_HUNGRY_S if hungry else GAP_S) - since
