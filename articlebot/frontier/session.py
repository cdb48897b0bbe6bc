"""One worker's conversation with one shard of the frontier: local buffers here, a round trip in the background.

Scrapy's scheduler must answer at once, so requests are fetched ahead: those whose start is near wait here. Reports are
collected and sent together. While Redis cannot be reached everything is kept and nothing new starts.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from articlebot.frontier.away import Away
from articlebot.frontier.beat import GAP_S
from articlebot.frontier.contact import Contact
from articlebot.frontier.due import Due
from articlebot.frontier.envelope import Envelope
from articlebot.frontier.leases import Leased, Settlement, Taken
from articlebot.frontier.outgoing import LeftOut, Outgoing
from articlebot.frontier.queue import Frontier
from articlebot.frontier.reports import Reports
from articlebot.frontier.scripts import passes
from articlebot.frontier.upkeep import Upkeep

if TYPE_CHECKING:
    from articlebot.frontier.in_hand import InHand
    from articlebot.frontier.sessions import Sessions

logger = logging.getLogger(__name__)
_START_PATIENCE_S = 60.0


class Session:
    """Leases and reports of one worker.

    Args:
        frontier: the queue.
        name: of the worker, unique per process start.
        company: all sessions of the worker.
        look_ahead: seconds before its start that a request is fetched.
        count: counts an event, for the statistics.
        dead_workers: names, out of those given, of workers that are known to have ended.
        revive, refused: see ``Away``.
        stay: seconds that a run which ends when idle waits for a start; None for one that goes on.
    """

    def __init__(
        self,
        frontier: Frontier, name: str, company: Sessions, *, look_ahead: float, count: Callable[[str, int], None],
        dead_workers: Callable[[list[str]], list[str]] = lambda names: [],
        revive: Callable[[], Awaitable[None]] | None = None,
        refused: Callable[[Exception], None] = lambda error: None, stay: float | None = None,
    ) -> None:  # fmt: skip
        self._company = company
        self.frontier, self._name, self._look_ahead = frontier, name, look_ahead
        self._count, self._dead_workers = count, dead_workers
        self._upkeep = Upkeep(frontier, name, count)
        self.worker: InHand
        self.due: Due
        self._loop = asyncio.get_running_loop()
        self.outgoing, self.reports, self.left_out = Outgoing(frontier, count), Reports(), LeftOut()
        self._news, self._closing, self._stay = asyncio.Event(), False, stay
        self._task: asyncio.Task[None] | None = None
        self.contact = Contact(frontier.lease_s, self._loop.time)
        self._in_touch_since = self._loop.time()
        self._away = Away(count, revive, refused)
        self._compare = False
        # Events after which what is known of the queue is old, and how many of them the last answer knew of.
        self._spoken, self._heard, self._comparison = 1, 0, 0
        # Whether the last answer brought requests, so that there may be more at once.
        self._fed = True
        self.asked = 0  # requests that are asked for at this moment

    @property
    def ready_at(self) -> float:
        """When the next queued request may start, in the event loop's time; infinity where none can be named."""
        return self.contact.outlook.ready_at

    @property
    def is_ready(self) -> bool:
        """Whether requests are queued that may be fetched now."""
        return self.ready_at <= self._loop.time() + self._look_ahead

    def hurry(self) -> None:
        """The next round trip is made soon."""
        self._news.set()

    async def start(self, worker: InHand) -> None:
        """Begins the conversation for a worker; the first round trip is made before this returns.

        Waits a minute for a server that is away or refuses for now.

        Raises:
            redis.RedisError: Redis cannot be reached.
            StateError: the frontier was laid out differently.
        """
        self.worker, self.due = worker, Due(self._loop, worker.wake)
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
                self._away.begin(error)
                await asyncio.sleep(0.5)
        self._task = self._loop.create_task(self._run())

    def push(self, envelope: Envelope, number: int) -> None:
        """Queues a request with the next round trip; ``number`` is that among all that the worker has found."""
        self.outgoing.add(envelope, number)
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
        return self.due.pop() if self.due.is_due() and not self.contact.in_doubt else None

    @property
    def wants_more(self) -> bool:
        """Whether the last answer brought requests, all of which have begun: there may be more."""
        return self._fed and not self.due and self._company.may_have_more(self)

    def is_pending(self, idle_wait: float | None) -> bool:
        """Whether anything is buffered or unknown; unless None, in flight anywhere or starts within so many seconds."""
        if self.due or self.outgoing or self.reports or self._spoken > self._heard or self._away.is_on:
            return True
        return idle_wait is not None and self.contact.outlook.is_pending(self._loop.time() + idle_wait)

    def give_back(self, but: bytes = b"") -> None:
        """Leaves what has not begun to others, one request excepted."""
        others = [(planned, one.member) for planned, one in self.due if one.member != but]
        for planned, member in others:
            self.reports.add(Settlement("back", member), planned)
        self.due.drop([member for _, member in others])

    async def close(self, patience: float = 10.0) -> bool:
        """Sends all reports and gives back what was not begun; gives up after ``patience`` seconds.

        Returns:
            Whether this was the last worker of its spider, and nothing of its queue is left.
        """
        self._closing = True
        self._news.set()
        if self._task is None:
            return False
        self.due.stop()
        try:
            async with asyncio.timeout(patience):
                await self._task  # its last answer may have brought requests
                self.give_back()
                while self.outgoing or self.reports:
                    await self._exchange()
                    if self._company.unsaid:
                        await asyncio.sleep(GAP_S)
                return await self.frontier.retire(self._name)
        except (RedisError, OSError) as error:
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
                if self._away.is_on or self._compare or self.contact.in_doubt:
                    await self._come_back()
                await self._exchange()
                await self._upkeep.tend(self._loop.time(), self._in_touch_since)
                pause = 0.05
            except (RedisError, OSError) as error:
                self._away.begin(error)
                await asyncio.sleep(pause)
                await self._away.start_redis()
                pause = min(1.0, 2 * pause)
                self._news.set()
            except Exception as error:
                # The conversation must not end because of one bad answer: the crawl would hang.
                logger.exception("The frontier's answer could not be used")
                self._away.refused(error)
                self._count("error", 1)
                await asyncio.sleep(1.0)

    async def _wait(self) -> None:
        hungry = self._company.room(self) > 0
        latest = self._company.beat.latest(self.contact.outlook.at, self.frontier.lease_s, hungry=hungry)
        if hungry:
            latest = min(latest, max(self.ready_at - self._look_ahead, self._loop.time()))
        timer = self._loop.call_at(latest, self._news.set)
        await self._news.wait()
        timer.cancel()
        rest = self._company.beat.rest(self._loop.time(), hungry=hungry and not self._company.buffered)
        if rest > 0 and not self._closing:
            await asyncio.sleep(rest)
        self._news.clear()

    async def _exchange(self) -> None:
        self._company.end_alone(self)
        spoken = self._spoken
        if self.outgoing:
            await self.outgoing.send()
            self._company.stored(self)
        reports = self.reports.say(self._company.unsaid_numbers)
        now = self._loop.time()
        settlements = [Settlement(one.operation, one.member, free_at - now, one.text) for one, free_at, _ in reports]
        self._company.beat.spoke(now, answered=False)
        self.asked = room = 0 if self._closing else max(0, self._company.room(self))
        anew, left_out = self.left_out.news()
        try:
            settled, taken = await self.frontier.exchange(
                self._name, settlements, room, look_ahead=self._look_ahead, left_out=left_out, anew=anew,
                said_at=now + self.contact.clock.most, number=self.reports.number, says=self.reports.repeats,
                begun=None if self._stay is None else self.contact.begun or None, stay=self._stay or 0.0,
            )  # fmt: skip
        finally:
            self.asked = 0
        self.left_out.told(left_out, anew=anew)
        self.contact.asked_at = now  # and not when the answer came: Redis may have heard of us long before
        self.reports.heard(reports)
        self._heard = spoken
        self.reports.drop(settled.unknown)
        if settled.quarantined:
            self._count("quarantined", settled.quarantined)
        for member in settled.unknown:
            self.worker.lose(member)
        self._receive(taken)

    def _receive(self, taken: Taken) -> None:
        if self.contact.hear(taken):
            self._company.fetch_again(self)
        self._fed = bool(taken.requests)
        self._company.beat.spoke(self.contact.outlook.at, answered=True)
        held = self._company.members(self, False)
        self._count("leased", len(taken.requests))
        self.due.drop({leased.member for leased in taken.requests})
        for leased in taken.requests:
            if leased.member not in held:  # else Redis forgot that it had given it, and gives it once more
                self.due.add(leased, leased.start_at - self.contact.clock.offset)
        if suspect := next((one for one in taken.requests if one.is_suspect), None):
            self._company.keep_apart(self, suspect)
        # Leases of which the answer never came, or that were taken away: the comparison puts both right.
        self._compare = taken.own != len(held) + len(self.due) + self.reports.ends
        if self.due.is_due() or not self.due:
            self.worker.wake()

    async def _come_back(self) -> None:
        begun_at = self._loop.time()
        if self.contact.in_doubt:
            # Others may have had these slots meanwhile: what has not begun starts anew, when its slot is free again.
            self.due.drop()
        # What waits for its start is held by this worker alone; what is still to be told about is held too.
        held = {leased.member: (leased.host, True) for _, leased in self.due}
        held |= dict.fromkeys(self.reports.members, ("", False))
        held |= self._company.members(self, self.contact.in_doubt)
        self._comparison += 1
        lost = await self.frontier.reconcile(
            self._name, [(member, *one) for member, one in held.items()], number=self._comparison,
            answered=self.reports.answered,
        )  # fmt: skip
        self.due.drop(lost)
        self.reports.drop(lost)
        for member in lost:
            self.worker.lose(member)
        self.contact.asked_at = begun_at
        if self._away.end():
            # Redis may have lost the last second or two of its file, and with them links that it had taken.
            self.frontier.links.forget()
            self._in_touch_since = self._loop.time()
        self._compare = False
