"""What the sessions of one worker, one for each shard of its frontier, have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from articlebot.frontier.shard_number import agree

if TYPE_CHECKING:
    from articlebot.frontier.session import Session
    from articlebot.frontier.sharded import ShardedFrontier


# Shards that are asked for what others have queued as often as one is; of more each more seldom.
_AT_ONCE = 4
# What the event loop does meanwhile goes out together.
_MOMENT_S = 0.001


class Company:
    """The sessions of a worker. With one shard there is one, and all of this is about itself.

    Args:
        whole: the frontier with all shards; None where there is one.

    Attributes:
        sessions: in the order of their shards.
        alone: those with a request that is to be the worker's only one.
    """

    def __init__(self, whole: ShardedFrontier | None = None) -> None:
        self.sessions: list[Session] = []
        self.alone: list[Session] = []
        self._whole = whole
        self._spoke_at = 0.0  # one of several asked last, or a single one was answered last

    async def open(self, session: Session) -> None:
        """Checks how the session's part of the frontier is laid out; see ``Frontier.open``."""
        if self._whole is not None:
            await self._whole.agree()
        else:
            await agree(session.frontier.redis, session.frontier.shared, 1)
        await session.frontier.open()

    @property
    def buffered(self) -> int:
        """Requests that are leased and not yet begun."""
        return sum(one.buffered for one in self.sessions)

    def latest(self, since: float, every: float, at_most: float) -> float:
        """When a session speaks that has nothing to say, if it did last ``since`` then, and is to so often.

        Several speak at the same times, in one round trip, and less often, as there are many to ask; all ``at_most``
        seconds later.
        """
        if len(self.sessions) == 1:
            return since + every
        every = min(at_most, every * max(1.0, len(self.sessions) / _AT_ONCE))
        return (since // every + 1) * every

    def asks(self, now: float) -> None:
        """A session asks; those that have something to say at this moment do so with it, the others after a gap."""
        if len(self.sessions) > 1:
            self._spoke_at = now

    def answered(self, now: float) -> None:
        """A session has its answer."""
        if len(self.sessions) == 1:
            self._spoke_at = now

    def rest(self, gap: float, now: float) -> float:
        """Seconds that a session with something to say waits, so that what happens together is told together."""
        since = now - self._spoke_at
        return 0.0 if len(self.sessions) > 1 and since < _MOMENT_S else gap - since

    def room(self, session: Session) -> int:
        """How many more requests a session may lease: its part of the worker's room."""
        if self.alone:
            return 0
        room = session.worker.room()
        if len(self.sessions) == 1:
            return room - session.buffered
        room -= self.buffered + sum(one.asked for one in self.sessions if one is not session)
        others = sum(one is not session and not one.asked and one.is_ready for one in self.sessions)
        return -(-room // (1 + others)) if room > 0 else 0

    def may_have_more(self, session: Session) -> bool:
        """Whether to ask at once for more when all that a shard gave has begun; of several only one that named more."""
        return len(self.sessions) == 1 or session.is_ready

    def freed(self, session: Session) -> None:
        """Something of the worker's room is free: those for which requests wait the longest may ask."""
        if len(self.sessions) > 1:
            waiting = [one for one in self.sessions if one is not session and not one.asked and one.is_ready]
            room = session.worker.room() - self.buffered - sum(one.asked for one in self.sessions)
            for one in sorted(waiting, key=lambda one: one.ready_at)[: max(0, room)]:
                one.hurry()

    def members(self, session: Session, begun: bool) -> Mapping[bytes, tuple[str, bool]]:
        """The leases that the worker holds of a session's shard; see ``InHand.members``."""
        if len(self.sessions) == 1:
            return session.worker.members(begun)
        return session.worker.members(begun, session.frontier.place[0])

    def may_begin(self, session: Session) -> bool:
        """Whether a request may begin: a suspect one does when all others are done, and others after it."""
        if not self.alone:
            return True
        return self.alone[0] is session and not (
            session.worker.members(False) or any(one.reports for one in self.sessions)
        )

    @property
    def is_unsaid(self) -> bool:
        """Whether requests are not stored yet: any page in hand may have led to them."""
        return any(one.unsaid for one in self.sessions)

    def stored(self, session: Session) -> None:
        """A session has stored what it had: others may have waited for that with their acknowledgements."""
        if len(self.sessions) > 1 and not self.is_unsaid:
            for one in self.sessions:
                if one is not session and one.reports:
                    one.hurry()

    def fetch_again(self, session: Session) -> None:
        """A server may have lost what pages in hand led to: none of them is acknowledged, each is fetched once more."""
        for one in self.sessions:
            one.reports.take_back()
        session.worker.fetch_again()
