"""One worker's conversations with all shards of a frontier, as if they were one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from articlebot.frontier.company import Company
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Leased
from articlebot.frontier.session import Session
from articlebot.frontier.sharded import AnyFrontier, ShardedFrontier

if TYPE_CHECKING:
    from articlebot.frontier.in_hand import InHand


class Sessions:
    """A ``Session`` for each shard; the methods are the same.

    A shard whose master is away waits by itself. What is said at the same moment goes out together
    (``articlebot.together``).

    Args:
        frontier: the queue.
        name: of the worker, unique per process start.
        options: the other arguments of ``Session``.
    """

    def __init__(self, frontier: ShardedFrontier, name: str, **options: Any) -> None:
        self._frontier, self._company = frontier, Company(frontier)
        self._by_shard = {shard: Session(shard, name, company=self._company, **options) for shard in frontier.shards}

    @property
    def _all(self) -> list[Session]:
        return self._company.sessions

    def of(self, host: str) -> Session:
        """The session with the shard of a host."""
        return self._by_shard[self._frontier.of_host(host)]

    def holder(self, leased: Leased) -> Session:
        """The session that has a lease.

        Which shard that is says the lease and not its host: a host has another one when the list of suffixes changes.
        """
        return self._all[leased.shard]

    @property
    def buffered(self) -> int:
        """Requests that are leased and not yet begun."""
        return self._company.buffered

    @property
    def unsaid(self) -> int:
        """Requests that are not stored yet."""
        return sum(one.unsaid for one in self._all)

    def leave_to_others(self, mark: str) -> None:
        """Takes no more requests that this worker cannot run, told by a text of their records (``envelope.mark``)."""
        for one in self._all:
            one.leave_to_others(mark)

    def look_anew(self) -> None:
        """Takes all requests again: what this worker can run has changed."""
        for one in self._all:
            one.look_anew()

    async def start(self, worker: InHand) -> None:
        """Begins the conversations for a worker; the first round trips are made before this returns.

        Waits a minute for servers that are away or refuse for now.

        Raises:
            redis.RedisError: one of them cannot be reached.
            StateError: the frontier was laid out differently.
        """
        self._frontier.links.listen(self._admitted)
        await asyncio.gather(*(one.start(worker) for one in self._all))

    def _admitted(self, envelopes: Sequence[Envelope]) -> None:
        for one in {self.of(envelope.host) for envelope in envelopes}:
            one.speak()

    def push(self, envelope: Envelope) -> None:
        """Queues a request with the next round trip."""
        self.of(envelope.host).push(envelope)

    def next_due(self) -> tuple[Leased, float] | None:
        """A request whose time has come, with its planned start in the event loop's time; None where there is none."""
        some = [one for one in self._all if one.wants_more or one.buffered]
        for one in sorted(some, key=lambda one: one.due_at):
            if (due := one.next_due()) is not None:
                return due
        return None

    def is_pending(self, idle_wait: float) -> bool:
        """Whether anything is buffered, in flight anywhere, unknown, or starts within ``idle_wait`` seconds."""
        return any(one.is_pending(idle_wait) for one in self._all)

    async def close(self) -> bool:
        """Sends all reports and gives back what was not begun.

        Returns:
            Whether this was the last worker of its spider, and nothing of its queue is left.
        """
        return all(await asyncio.gather(*(one.close() for one in self._all)))


def session_with(frontier: AnyFrontier, name: str, **options: Any) -> Session | Sessions:
    """A worker's conversation with a frontier, cut or not; arguments as of ``Session``."""
    kind: Any = Sessions if isinstance(frontier, ShardedFrontier) else Session
    talk: Session | Sessions = kind(frontier, name, **options)
    return talk
