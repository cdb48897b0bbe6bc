"""What the slots of hosts can still take of visits to known pages."""

from __future__ import annotations

from collections.abc import Mapping

# A slot is kept supplied until the next look, which comes at once on an idle machine and after a second or two on a
# busy one. More would only grow old in the queue, with what is said of the page when it was put there.
_AHEAD_S = 3.0
_LEAST = 8.0
# Visits at one look: the most, and the fewest, since known pages must be seen in the end; and by how many they grow.
_MOST, _SLOWEST, _STEP = 500, 1, 4
# A loop that is so late keeps downloads, leases and deadlines waiting too.
_LATE_S = 0.25


class Pace:
    """How many visits to known pages a worker takes at a look, by how late its event loop is.

    When the processor is the bottleneck, new pages would wait for visits to known pages of all other hosts. So the
    number of these visits grows by addition and shrinks by multiplication, like TCP's window (Jacobson, 1988), until
    the loop is on time.
    """

    def __init__(self) -> None:
        self.most = _MOST

    def note(self, late_s: float) -> None:
        """A timer of the event loop was ``late_s`` seconds late."""
        if late_s > _LATE_S:
            self.most = max(_SLOWEST, self.most // 2)
        else:
            self.most = min(_MOST, self.most + _STEP)


class Room:
    """One look at what is due: who gets into the queue, and after how long the others may ask again.

    A host may be slower than its pages want (its delay, its back-off or the machine forbid more). Its queue would grow
    without end. New pages would not suffer, because they come first in a slot. But known pages would be fetched in the
    order of queueing, not of urgency. So only what the slot can fetch soon is queued. The others are put off in turn,
    to when the slot could get to them. If the slot is still full then, they are put off again.

    Args:
        queued: requests in each host's slot, new ones included: these come before; and those of them that come before
            one that takes turns with them.
        most: visits that the worker can take over all slots, see ``Pace``.
    """

    def __init__(self, queued: Mapping[str, tuple[int, int]], most: int) -> None:
        self._queued = dict(queued)
        self._left = most

    def wait(self, host: str, delay_s: float, *, in_turn: bool = False) -> float:
        """0 where the host's slot takes one more visit, which is counted; else the seconds until its turn may come.

        Args:
            delay_s: mean seconds between two pages of the slot.
            in_turn: it does not come behind all that waits.
        """
        every, turn = self._queued.get(host, (0, 0))
        self._queued[host] = every + 1, turn + 1
        before = turn if in_turn else every
        if before < max(_LEAST, _AHEAD_S / max(delay_s, 1e-3)) and self._left > 0:
            self._left -= 1
            return 0.0
        return max(delay_s * before, 1.0)
