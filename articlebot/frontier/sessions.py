"""One worker's conversations with the shards of its frontier, as if they were one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from articlebot.frontier.beat import Beat
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Leased
from articlebot.frontier.session import Session
from articlebot.frontier.sharded import AnyFrontier
from articlebot.shards import agree

if TYPE_CHECKING:
    from articlebot.frontier.in_hand import InHand

logger = logging.getLogger(__name__)


class Sessions:
    """A ``Session`` for each shard, one where the frontier is not cut, and what these have in common.

    A shard whose master is away waits by itself. What is said at the same moment goes out together
    (``articlebot.together``).

    Args:
        frontier: the queue.
        name: of the worker, unique per process start.
        options: the other arguments of ``Session``.

    Attributes:
        every: the sessions, in the order of their shards.
        beat: when they speak.
        alone: by session, the request that is to be the worker's only one: workers died with it in hand.
        found: how many requests were queued through them.
    """

    def __init__(self, frontier: AnyFrontier, name: str, **options: Any) -> None:
        self._frontier = frontier
        self.every = [Session(shard, name, self, **options) for shard in frontier.shards]
        self.beat = Beat(len(self.every))
        self.alone: dict[Session, bytes] = {}
        self.found = 0
        self._by_shard = dict(zip(frontier.shards, self.every, strict=True))
        self._are_several = len(self.every) > 1

    def of(self, host: str) -> Session:
        """The session with the shard of a host."""
        return self._by_shard[self._frontier.of_host(host)]

    def holder(self, leased: Leased) -> Session:
        """The session that has a lease.

        Which shard that is says the lease and not its host: a host has another one when the list of suffixes changes.
        """
        return self.every[leased.shard]

    @property
    def buffered(self) -> int:
        """Requests that are leased and not yet begun."""
        return sum(len(one.due) for one in self.every)

    @property
    def unsaid(self) -> int:
        """Requests that are not stored yet."""
        return sum(len(one.outgoing) for one in self.every)

    @property
    def unsaid_numbers(self) -> list[int]:
        """Those of these requests, in order: pages that were in hand may have led to them."""
        return sorted(number for one in self.every for number in one.outgoing.numbers)

    def leave_to_others(self, mark: str) -> None:
        """Takes no more requests that this worker cannot run, told by a text of their records (``envelope.mark``)."""
        for one in self.every:
            one.left_out.add(mark)

    def look_anew(self) -> None:
        """Takes all requests again: what this worker can run has changed."""
        for one in self.every:
            one.left_out.clear()
            one.speak()

    async def start(self, worker: InHand) -> None:
        """Begins the conversations for a worker; the first round trips are made before this returns.

        Waits a minute for servers that are away or refuse for now.

        Raises:
            redis.RedisError: one of them cannot be reached.
            StateError: the frontier was laid out differently.
        """
        self._frontier.links.listen(self._admitted)
        await asyncio.gather(*(one.start(worker) for one in self.every))

    def _admitted(self, envelopes: Sequence[Envelope]) -> None:
        for one in {self.of(envelope.host) for envelope in envelopes}:
            one.speak()

    def push(self, envelope: Envelope) -> None:
        """Queues a request with the next round trip."""
        self.of(envelope.host).push(envelope, self.found)
        self.found += 1

    def next_due(self) -> tuple[Leased, float] | None:
        """A request whose time has come, with its planned start in the event loop's time; None where there is none."""
        some = [one for one in self.every if one.wants_more or one.due]
        for one in sorted(some, key=lambda one: one.due.first_at):
            if (due := one.next_due()) is not None:
                return due
        return None

    def is_pending(self, idle_wait: float | None) -> bool:
        """As of a session, for all of them."""
        return any(one.is_pending(idle_wait) for one in self.every)

    async def close(self, patience: float = 10.0) -> bool:
        """Sends all reports and gives back what was not begun; gives up after ``patience`` seconds.

        Returns:
            Whether this was the last worker of its spider, and nothing of its queue is left.
        """
        return all(await asyncio.gather(*(one.close(patience) for one in self.every)))

    # -- for each session ---------------------------------------------------------------------------------------------

    async def open(self, session: Session) -> None:
        """Checks how the session's part of the frontier is laid out; see ``Frontier.open``."""
        await agree(self._frontier.redis, self._frontier.shared, len(self.every))
        await session.frontier.open()

    def room(self, session: Session) -> int:
        """How many more requests a session may lease: its part of the worker's room."""
        if self.alone:
            return 0
        room = session.worker.room() - self.buffered - sum(one.asked for one in self.every if one is not session)
        others = sum(one is not session and not one.asked and one.is_ready for one in self.every)
        return -(-room // (1 + others))

    def may_have_more(self, session: Session) -> bool:
        """Whether to ask at once for more when all that a shard gave has begun; of several only one that named more."""
        return not self._are_several or session.is_ready

    def freed(self, session: Session) -> None:
        """Something of the worker's room is free: those for which requests wait the longest may ask."""
        if waiting := [one for one in self.every if one is not session and not one.asked and one.is_ready]:
            room = session.worker.room() - self.buffered - sum(one.asked for one in self.every)
            for one in sorted(waiting, key=lambda one: one.ready_at)[: max(0, room)]:
                one.hurry()

    def members(self, session: Session, begun: bool) -> Mapping[bytes, tuple[str, bool]]:
        """The leases that the worker holds of a session's shard; see ``InHand.members``."""
        return session.worker.members(begun, session.frontier.place[0])

    def may_begin(self, session: Session) -> bool:
        """Whether a request may begin: a suspect one does when all others are done, and others after it."""
        if not self.alone:
            return True
        return next(iter(self.alone)) is session and not (
            session.worker.members(False) or any(one.reports for one in self.every)
        )

    def keep_apart(self, session: Session, suspect: Leased) -> None:
        """Gives the others back that have not begun; the suspect is begun when those that have are done."""
        logger.warning("Workers died with %s in hand: it is fetched alone", suspect.host)
        self.alone[session] = suspect.member
        session.give_back(but=suspect.member)
        session.speak()

    def end_alone(self, session: Session) -> None:
        """Lets others begin again where a session's suspect is done."""
        waiting = (one.member for _, one in session.due)
        if (member := self.alone.get(session)) and member not in {*self.members(session, False), *waiting}:
            del self.alone[session]

    def stored(self, session: Session) -> None:
        """A session has stored what it had: others may have waited for that with their acknowledgements."""
        for one in self.every:
            if one is not session and one.reports:
                one.hurry()

    def fetch_again(self, session: Session) -> None:
        """A server may have lost what pages in hand led to: none of them is acknowledged, each is fetched once more."""
        for one in self.every:
            one.reports.take_back()
        session.worker.fetch_again()
