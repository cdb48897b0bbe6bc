"""One worker's conversation with one shard of the frontier: local buffers here, a round trip in the background.

Scrapy's scheduler must answer at once, so requests are fetched ahead: those whose start is near wait here. Reports are
collected and sent together. While Redis cannot be reached everything is kept and nothing new starts.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from articlebot.errors import StateError, StoreUnavailable
from articlebot.frontier.contact import Contact, Outlook, ServerClock
from articlebot.frontier.due import Due
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Leased, Settlement, Taken
from articlebot.frontier.left_out import LeftOut
from articlebot.frontier.outgoing import Outgoing
from articlebot.frontier.queue import Frontier
from articlebot.frontier.reports import Reports
from articlebot.frontier.scripts import passes, said
from articlebot.frontier.upkeep import Upkeep
from articlebot.outage import Outage

if TYPE_CHECKING:
    from articlebot.frontier.in_hand import InHand
    from articlebot.frontier.sessions import Sessions

logger = logging.getLogger(__name__)

# How often a worker with room asks for what others have queued, and any worker says that it lives.
_POLL_S, _HEARTBEAT_S = 0.2, 2.0
# Between two round trips, so that what happens together is told together; short while the worker has nothing to do.
_GAP_BUSY_S, _GAP_HUNGRY_S = 0.02, 0.003
_START_PATIENCE_S = 60.0


async def _as_it_is() -> None:
    """Leaves Redis to whoever runs it."""


class Session:
    """Leases and reports of one worker.

    Args:
        frontier: the queue.
        name: of the worker, unique per process start.
        company: all sessions of the worker.
        look_ahead: seconds before its start that a request is fetched.
        count: counts an event, for the statistics.
        dead_workers: names, out of those given, of workers that are known to have ended.
        revive: starts Redis again where that is this machine's business.
        stay: seconds that a run which ends when idle waits for a start; None for one that goes on.
    """

    def __init__(
        self,
        frontier: Frontier, name: str, company: Sessions, *, look_ahead: float, count: Callable[[str, int], None],
        dead_workers: Callable[[list[str]], list[str]] = lambda names: [],
        revive: Callable[[], Awaitable[None]] = _as_it_is,
        refused: Callable[[Exception], None] = lambda error: None, stay: float | None = None,
    ) -> None:  # fmt: skip
        self._company = company
        self._revive, self._refused = revive, refused
        self.frontier, self._name, self._look_ahead = frontier, name, look_ahead
        self._count, self._dead_workers = count, dead_workers
        self._upkeep = Upkeep(frontier, name, count)
        self.worker: InHand
        self._due: Due
        self._loop = asyncio.get_running_loop()
        self._outgoing = Outgoing(frontier, count)
        self.reports = Reports()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._outlook = Outlook()
        self._last_at = self._in_touch_since = self._loop.time()
        self._contact = Contact(frontier.lease_s, self._last_at)
        self._clock = ServerClock(self._last_at)
        self._outage = Outage(logger)
        self._compare = False
        self._told = False  # that Redis cannot be started again
        # Events after which what is known of the queue is old, and how many of them the last answer knew of.
        self._spoken, self._heard, self._comparison = 1, 0, 0
        # Whether the last answer brought requests, so that there may be more at once.
        self._fed = True
        self._left_out = LeftOut()
        self._stay, self._begun = stay, 0.0  # the second by the server's clock, from its first answer on
        # A request that this worker has alone, or will when the others have ended: workers died with it in hand.
        self._alone: bytes | None = None
        # Requests that are asked for at this moment.
        self.asked = 0

    @property
    def ready_at(self) -> float:
        """When the next queued request may start, in the event loop's time; infinity where none can be named."""
        at = self._outlook.ready_at
        return math.inf if at is None else at

    @property
    def is_ready(self) -> bool:
        """Whether requests are queued that may be fetched now."""
        return self.ready_at <= self._loop.time() + self._look_ahead

    def hurry(self) -> None:
        """The next round trip is made soon."""
        self._news.set()

    @property
    def buffered(self) -> int:
        """Requests that are leased and not yet begun."""
        return len(self._due)

    @property
    def unsaid(self) -> int:
        """Requests that are not stored yet."""
        return len(self._outgoing)

    @property
    def unsaid_numbers(self) -> list[int]:
        """Those of these requests, in order."""
        return self._outgoing.numbers

    def server_time(self, at: float | None = None) -> float:
        """Redis' clock as this worker knows it, epoch seconds; ``at`` is a time of the event loop, None for now."""
        return (self._loop.time() if at is None else at) + self._clock.offset

    def lease_left(self) -> float:
        """Seconds for which what this worker holds is surely its own: nobody can take it for dead before."""
        return self._contact.left(self._loop.time())

    @property
    def in_doubt(self) -> bool:
        """Whether others may take this worker for dead. Then nothing may start until Redis has confirmed its leases."""
        return self._contact.in_doubt(self._loop.time())

    def leave_to_others(self, mark: str) -> None:
        """Takes no more requests that this worker cannot run, told by a text of their records (``envelope.mark``)."""
        self._left_out.add(mark)

    def look_anew(self) -> None:
        """Takes all requests again: what this worker can run has changed."""
        self._left_out.clear()
        self.speak()

    async def start(self, worker: InHand) -> None:
        """Begins the conversation for a worker; the first round trip is made before this returns.

        Waits a minute for a server that is away or refuses for now.

        Raises:
            redis.RedisError: Redis cannot be reached.
            StateError: the frontier was laid out differently.
        """
        self.worker, self._due = worker, Due(self._loop, worker.wake)
        deadline = self._loop.time() + _START_PATIENCE_S
        while True:
            try:
                await self._company.open(self)
                await self._upkeep.begin(self._dead_workers(await self.frontier.workers()))
                await self._exchange()
                break
            except (RedisError, OSError) as error:
                if not passes(error) or self._loop.time() > deadline:
                    raise
                self._leave(error)
                await asyncio.sleep(0.5)
        self._task = self._loop.create_task(self._run())

    def push(self, envelope: Envelope, number: int) -> None:
        """Queues a request with the next round trip; ``number`` is that among all that the worker has found."""
        self._outgoing.add(envelope, number)
        self.speak()

    def report(self, settlement: Settlement, free_at: float, found: range = range(0)) -> None:
        """Tells what became of a lease with the next round trip.

        Args:
            free_at: in the event loop's time.
            found: numbers of the requests that were found meanwhile; before they are stored, its end is not told.
        """
        self.reports.add(settlement, free_at, found)
        self.speak()
        self._company.freed(self)

    def speak(self) -> None:
        """The next round trip is made soon, and what is known of the queue is old until then."""
        self._spoken += 1
        self._news.set()

    def next_due(self) -> tuple[Leased, float] | None:
        """A request whose time has come, with its planned start in the event loop's time; None where there is none."""
        if self.wants_more and not self._news.is_set() and self._company.room(self) > 0:
            self._news.set()
        if not self._company.may_begin(self):
            return None  # others are in hand, or are so for all that Redis knows
        return self._due.pop() if self._due.is_due() and not self.in_doubt else None

    @property
    def wants_more(self) -> bool:
        """Whether the last answer brought requests, all of which have begun: there may be more."""
        return self._fed and not self._due and self._company.may_have_more(self)

    @property
    def due_at(self) -> float:
        """When the first of the leased requests is to start, in the event loop's time; infinity where there is none."""
        return self._due.first_at

    def _keep_apart(self, suspect: Leased) -> None:
        """Gives the others back that have not begun; the suspect is begun when those that have are done."""
        logger.warning("Workers died with %s in hand: it is fetched alone", suspect.host)
        if self._alone is None:
            self._company.alone.append(self)
        self._alone = suspect.member
        others = [(planned, one.member) for planned, one in self._due if one.member != suspect.member]
        for planned, member in others:
            self.reports.add(Settlement("back", member), planned)
        self._due.drop([member for _, member in others])
        self.speak()

    def _is_over(self, member: bytes) -> bool:
        return member not in self._company.members(self, False) and all(one.member != member for _, one in self._due)

    def is_pending(self, idle_wait: float) -> bool:
        """Whether anything is buffered, in flight anywhere, unknown, or starts within ``idle_wait`` seconds."""
        if self._due or self._outgoing or self.reports or self._spoken > self._heard or self._outage.is_on:
            return True
        return self._outlook.is_pending(self._loop.time() + idle_wait)

    async def close(self, patience: float = 10.0) -> bool:
        """Sends all reports and gives back what was not begun; gives up after ``patience`` seconds.

        Returns:
            Whether this was the last worker of its spider, and nothing of its queue is left.
        """
        self._closing = True
        self._news.set()
        if self._task is None:
            return False
        self._due.stop()
        try:
            async with asyncio.timeout(patience):
                await self._task  # its last answer may have brought requests
                for planned, leased in self._due:
                    self.reports.add(Settlement("back", leased.member), planned)
                self._due.drop()
                while self._outgoing or self.reports:
                    await self._exchange()
                    if self._company.unsaid:
                        await asyncio.sleep(_GAP_BUSY_S)
                return await self.frontier.retire(self._name)
        except (TimeoutError, RedisError, OSError) as error:
            logger.warning(
                "Redis is away at the end (%s): %d reports are left; the leases return after %.0f s",
                error, len(self.reports), self.frontier.lease_s,
            )  # fmt: skip
        return False

    async def _run(self) -> None:
        pause = 0.05
        while True:
            await self._wait()
            if self._closing:
                return
            try:
                if self._outage.is_on or self._compare or self.in_doubt:
                    await self._come_back()
                await self._exchange()
                await self._upkeep.tend(self._loop.time(), self._in_touch_since)
                pause = 0.05
            except (RedisError, OSError) as error:
                self._leave(error)
                if not passes(error):
                    self._refused(error)
                await asyncio.sleep(pause)
                await self._start_redis()
                pause = min(1.0, 2 * pause)
                self._news.set()
            except Exception as error:
                # The conversation must not end because of one bad answer: the crawl would hang.
                logger.exception("The frontier's answer could not be used")
                self._refused(error)
                self._count("error", 1)
                await asyncio.sleep(1.0)

    async def _wait(self) -> None:
        now = self._loop.time()
        hungry = self._company.room(self) > 0
        heartbeat = min(_HEARTBEAT_S, self.frontier.lease_s / 4)
        latest = self._company.latest(self._last_at, _POLL_S if hungry else heartbeat, heartbeat)
        if hungry and (ready_at := self._outlook.ready_at) is not None:
            latest = min(latest, max(ready_at - self._look_ahead, now))
        timer = self._loop.call_at(latest, self._news.set)
        await self._news.wait()
        timer.cancel()
        gap = _GAP_HUNGRY_S if hungry and not self._company.buffered else _GAP_BUSY_S
        if (rest := self._company.rest(gap, self._loop.time())) > 0 and not self._closing:
            await asyncio.sleep(rest)
        self._news.clear()

    async def _exchange(self) -> None:
        if self._alone is not None and self._is_over(self._alone):
            self._alone = None
            self._company.alone.remove(self)
        spoken = self._spoken
        if self._outgoing:
            await self._outgoing.send()
            self._company.stored(self)
        reports = self.reports.say(self._company.unsaid_numbers)
        now = self._loop.time()
        settlements = [Settlement(one.operation, one.member, free_at - now, one.text) for one, free_at, _ in reports]
        self._company.spoke(now, answered=False)
        self.asked = room = 0 if self._closing else max(0, self._company.room(self))
        anew, left_out = self._left_out.news()
        try:
            settled, taken = await self.frontier.exchange(
                self._name, settlements, room, look_ahead=self._look_ahead, left_out=left_out, anew=anew,
                said_at=now + self._clock.most, number=self.reports.number, says=self.reports.repeats,
                begun=self._begun or None, stay=self._stay or 0.0,
            )  # fmt: skip
        finally:
            self.asked = 0
        self._left_out.told(left_out, anew=anew)
        self._contact.asked_at = now  # and not when the answer came: Redis may have heard of us long before
        self.reports.heard(reports)
        self._heard = spoken
        self.reports.drop(settled.unknown)
        if settled.quarantined:
            self._count("quarantined", settled.quarantined)
        for member in settled.unknown:
            self.worker.lose(member)
        self._receive(taken, now)

    def _receive(self, taken: Taken, asked_at: float) -> None:
        now = self._loop.time()
        if self._outlook.taken is not None and self._outlook.taken.server != taken.server:
            self._company.fetch_again(self)
        self._outlook, self._last_at, self._fed = Outlook(taken, now), now, bool(taken.requests)
        self._company.spoke(now, answered=True)
        self._clock.hear(taken.at, asked_at, now)
        if self._stay is not None:
            self._begun = self._begun or taken.at
        held = self._company.members(self, False)
        self._count("leased", len(taken.requests))
        self._due.drop({leased.member for leased in taken.requests})
        for leased in taken.requests:
            if leased.member not in held:  # else Redis forgot that it had given it, and gives it once more
                self._due.add(leased, leased.start_at - self._clock.offset)
        if suspect := next((one for one in taken.requests if one.is_suspect), None):
            self._keep_apart(suspect)
        # Leases of which the answer never came, or that were taken away: the comparison puts both right.
        self._compare = taken.own != len(held) + len(self._due) + self.reports.ends
        if self._due.is_due() or not self._due:
            self.worker.wake()

    async def _start_redis(self) -> None:
        try:
            await self._revive()
        except StateError as error:
            self._refused(error)
        except (StoreUnavailable, OSError) as error:
            logger.log(logging.DEBUG if self._told else logging.WARNING, "Redis cannot be started again: %s", error)
            self._told = True

    def _leave(self, error: Exception) -> None:
        if self._outage.begin("Redis is away, the crawl waits: %s", said(error)):
            self._count("redis_away", 1)

    async def _come_back(self) -> None:
        begun_at = self._loop.time()
        if self.in_doubt:
            # Others may have had these slots meanwhile: what has not begun starts anew, when its slot is free again.
            self._due.drop()
        held = dict(self._company.members(self, self.in_doubt))
        # What is still to be told about is held too; what waits for its start is so by this worker alone.
        for member in self.reports.members:
            held.setdefault(member, ("", False))
        for _, leased in self._due:
            held.setdefault(leased.member, (leased.host, True))
        self._comparison += 1
        lost = await self.frontier.reconcile(
            self._name, [(member, *one) for member, one in held.items()], number=self._comparison,
            answered=self.reports.answered,
        )  # fmt: skip
        self._due.drop(lost)
        self.reports.drop(lost)
        for member in lost:
            self.worker.lose(member)
        self._contact.asked_at = begun_at
        if self._outage.end("Redis is back, the crawl goes on"):
            # Redis may have lost the last second or two of its file, and with them links that it had taken.
            self.frontier.links.forget()
            self._in_touch_since = self._loop.time()
        self._compare = self._told = False
