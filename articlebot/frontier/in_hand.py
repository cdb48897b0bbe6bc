"""A worker's requests, from hand-out to acknowledgement: what happens to each, and what the frontier is told."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from scrapy import Request

from articlebot.frontier.breaker import NO_ANSWER, after, is_to_blame, places_behind
from articlebot.frontier.delays import Delays
from articlebot.frontier.fetch import Fetch
from articlebot.frontier.hosts import Hosts
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.progress import Progress
from articlebot.frontier.servers import Servers
from articlebot.frontier.sessions import Sessions
from articlebot.frontier.slot_rests import SlotRests

logger = logging.getLogger(__name__)
# A guest that was downloaded is worked on by two or three middlewares before it leaves its slot; one of them may
# download another page for it. Seconds.
_LONGEST_STAY_S = 30.0
# Longest rest of a worker whose pages cannot be kept.
_LONGEST_REST_S = 16.0


class InHand:
    """The requests that a worker downloads or works on; their only owner.

    Args:
        session: is told what became of leases.
        hosts: is told which hosts the worker is in.
        delays: of the slots.
        capacity: leased requests that may be in their slots at once.
        now: the wall clock, epoch seconds.
        wake: called when a request is due or the outlook changed.
        count: counts an event, for the statistics.
        send: sends a signal of the crawler.
        longest_pause: seconds that a host which does not answer is left alone at most.
        servers: tells which hosts share one server; None where politeness counts by host alone.
    """

    def __init__(
        self, session: Sessions, hosts: Hosts, delays: Delays, *, capacity: int, now: Callable[[], float],
        wake: Callable[[], None], count: Callable[[str, int], None], send: Callable[..., Any], longest_pause: float,
        servers: Servers | None = None,
    ) -> None:  # fmt: skip
        self._session, self._hosts, self._delays = session, hosts, delays
        self._capacity, self._longest_pause = capacity, longest_pause
        self.wake, self._count = wake, count
        self._fetches: dict[Request, Fetch] = {}
        self._progress = Progress(self._fetches, self._is_ended, self._rest, now=now, send=send)
        self._rests, self._rests_until = 0, -math.inf
        self._leased = 0
        self._servers = servers
        self._slot_rests = SlotRests(delays, count)

    def listen(self, connect: Callable[[Any, Any], Any]) -> None:
        """Connects to the signals of Scrapy that say how a download goes."""
        self._progress.listen(connect)

    # -- for the scheduler --------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many leased requests there are."""
        return self._leased

    def holds(self, request: Request) -> bool:
        """Whether the request is leased by this worker."""
        fetch = self._fetches.get(request)
        return fetch is not None and fetch.leased is not None

    def take(self, request: Request, leased: Leased, planned_at: float) -> None:
        """A leased request is handed out; ``planned_at`` in the event loop's clock."""
        self._fetches[request] = Fetch(leased.host, leased, planned_at, found=self._session.found)
        self._leased += 1
        self._hosts.enter_leased(leased.host)
        self._slot_rests.told(leased)

    def acknowledge(self, in_progress: Collection[Request]) -> None:
        """Says the last word of all leased requests that are not in progress any more.

        Turns that nobody gave back end here: where a middleware fails between the downloader and that of the slots,
        Scrapy tells no other of it, and all that waits for the host would wait for ever.
        """
        now = _time()
        for request, fetch in list(self._fetches.items()):
            if fetch.leased is None:
                if fetch.ended_at is not None and now - fetch.ended_at > _LONGEST_STAY_S:
                    self.leave(request)
                continue
            if request in in_progress:
                continue
            self.leave(request)
            del self._fetches[request]
            self._leased -= 1
            if not fetch.released:
                self._release(request, fetch, fetch.leased)
            if not fetch.lost:
                outcome, settlement, free_at = fetch.last_word(fetch.leased.member, now)
                if settlement.operation == "ack":
                    self._rests = 0
                if outcome:
                    self._count(outcome, 1)
                found = range(fetch.found, self._session.found)
                self._session.holder(fetch.leased).report(settlement, free_at, found)

    # -- for the session ----------------------------------------------------------------------------------------------

    def room(self) -> int:
        """How many more requests may be leased, those not counted that wait for their start."""
        return self._capacity - sum(1 for one in self._fetches.values() if one.leased is not None and not one.released)

    @property
    def is_resting(self) -> bool:
        """Whether nothing is to be fetched for now, because what came last could not be kept.

        Once a second page could not be kept either, they go one by one until one is.
        """
        return _time() < self._rests_until or (self._rests > 1 and self._leased > 0)

    def _rest(self) -> None:
        # What was under way meanwhile says nothing new; the first time, the store may be back already.
        if _time() >= self._rests_until:
            self._rests_until = _time() + (min(2.0 ** (self._rests - 1), _LONGEST_REST_S) if self._rests else 0.0)
            self._rests += 1

    def members(self, begun: bool, shard: int | None = None) -> Mapping[bytes, tuple[str, bool]]:
        """The leases held, of one shard or of all, with their hosts, and whether they are in their slot.

        With ``begun``, those whose download has not begun are given up first.
        """
        held = [
            (one, one.leased)
            for one in self._fetches.values()
            if one.leased is not None and shard in (None, one.leased.shard)
        ]
        for fetch, _ in held:
            if begun and fetch.started_at is None:
                self._lose(fetch)
        return {one.member: (one.host, not fetch.released) for fetch, one in held if not fetch.lost}

    def fetch_again(self) -> None:
        """What has begun goes back when it ends: it may have found links that Redis has lost."""
        for fetch in self._fetches.values():
            if fetch.leased is not None and fetch.started_at is not None and fetch.goes_behind is None:
                fetch.postponed_s = fetch.postponed_s or 0.0

    def lose(self, member: bytes) -> None:
        """A lease is not this worker's any more."""
        self._count("lost", 1)
        for fetch in self._fetches.values():
            if fetch.leased is not None and fetch.leased.member == member:
                self._lose(fetch)
        logger.warning("The lease of %s went to another worker", member.hex())

    # -- for the download ---------------------------------------------------------------------------------------------

    async def enter(self, request: Request, host: str, patience: float, gives_up: Callable[[], bool]) -> bool:
        """Waits for the request's turn in its slot; False where a guest got none within ``patience`` seconds.

        Args:
            gives_up: asked while it waits.
        """
        fetch = self._fetches.get(request)
        if fetch is None:
            if not await self._hosts.enter(host, patience, gives_up):
                return False
            fetch = self._fetches[request] = Fetch(host, planned_at=_time(), is_guest=True)
        await self._hosts.turn(host, gives_up)
        if self._servers is not None and "proxy" not in request.meta:
            fetch.server = await self._servers.slot_of(host)
        if fetch.server is not None:
            if await self._hosts.enter(fetch.server, math.inf, gives_up):
                await self._hosts.turn(fetch.server, gives_up)
            else:
                fetch.server = None
        fetch.in_turn = True
        return True

    async def time_left(self, request: Request, gives_up: Callable[[], bool]) -> float:
        """Seconds that a download may take, so that it ends while the slot still belongs to this worker.

        Waits while Redis is away. 0 means that the slot may belong to another worker by now. Then a leased request must
        not be downloaded, and any other request must ask for its slot again.
        """
        fetch = self._fetches[request]
        session = self._session.of(fetch.host) if fetch.leased is None else self._session.holder(fetch.leased)
        doubtful = session.contact.in_doubt
        while session.contact.in_doubt and not gives_up():  # noqa: ASYNC110 - a time, not an event
            await asyncio.sleep(0.1)
        if fetch.leased is None:
            return 0.0 if doubtful else session.contact.left()
        if session.contact.in_doubt:
            self._lose(fetch)
        return 0.0 if fetch.lost else session.contact.left()

    def limit(self, request: Request, seconds: float, usual: float) -> None:
        """Lets the download last so long at most; ``usual`` is its timeout where it has none of its own."""
        self._fetches[request].limit(request, seconds, usual)

    def leave(self, request: Request) -> None:
        """The request is out of its slot; a guest is forgotten."""
        fetch = self._fetches.get(request)
        if fetch is None or not fetch.in_turn:
            return
        fetch.in_turn = False
        fetch.lift_limit(request)
        delay = self._slot_rests.after(request, fetch)
        if fetch.is_guest:
            del self._fetches[request]
            self._hosts.leave(fetch.host, delay)
        self._hosts.end_turn(fetch.host, delay, guest=fetch.is_guest)
        if fetch.server is not None:
            self._hosts.leave(fetch.server, delay)
            self._hosts.end_turn(fetch.server, delay)
            fetch.server = None

    def is_guest(self, request: Request) -> bool:
        """Whether the request is in a slot without a lease of its own."""
        fetch = self._fetches.get(request)
        return fetch is not None and fetch.is_guest

    def postpone(self, request: Request, seconds: float) -> None:
        """Queues a leased request again when it ends, and rests its slot for so many seconds.

        Call this before the request fails. It counts as no try.
        """
        if (fetch := self._fetches.get(request)) is not None:
            fetch.postponed_s = seconds

    def no_answer(self, request: Request, fault: str, patience: int) -> bool:
        """The host of a request did not answer: its slot rests, and all of its pages with it.

        Args:
            fault: what happened, for ``scrapy status`` and the log.
            patience: how often a page may meet this while its host answers others; 0 for one that is not tried again.

        Returns:
            Whether the request goes back to the queue; else it has failed, or is not leased.
        """
        fetch = self._fetches.get(request)
        if fetch is None or fetch.leased is None or fetch.lost or fetch.is_heard:
            return False
        leased = fetch.leased
        if not fetch.released:
            self._release(request, fetch, leased)
        silence = after(leased.silence, leased.host, fault, leased.start_at)
        pause = silence.pause(self._delays.policy.back_off, self._longest_pause)
        self._count(f"no_answer/{fault}", 1)
        level = logging.DEBUG if leased.silence else logging.INFO
        logger.log(level, "%s does not answer (%s): asked again in %.0f s", leased.host, fault, pause)
        self._session.holder(leased).report(Settlement("mute", leased.member, text=silence.dump()), _time() + pause)
        if is_to_blame(leased.silence, (reason for _, _, reason in leased.tries), patience):
            return False
        places = places_behind(silence, leased.silence)
        fetch.goes_behind = f"{places} {'' if leased.silence else NO_ANSWER + fault}"
        return True

    def refused(self, request: Request, status: int, patience: int) -> bool:
        """As ``no_answer``, for a host that refuses a request for haste or load with this status, 429 or 503."""
        fetch = self._fetches.get(request)
        if fetch is None or not fetch.goes_back(status, patience):
            return False
        self._count(f"too_soon/{status}", 1)
        return True

    # -- what becomes of leases ---------------------------------------------------------------------------------------

    def _is_ended(self, request: Request, fetch: Fetch) -> None:
        # One without an answer keeps its slot until it is told why: other pages of a silent host must not start before.
        if fetch.leased is not None and not fetch.released and fetch.is_heard:
            self._release(request, fetch, fetch.leased)

    def _release(self, request: Request, fetch: Fetch, leased: Leased) -> None:
        now = _time()
        fetch.released = True
        self._hosts.leave_leased(leased.host)
        if fetch.started_at is None or fetch.lost:
            return  # answered without a download: the slot is freed with the acknowledgement
        free_at, pace = self._slot_rests.until(request, fetch, leased, now)
        if leased.silence is not None and fetch.is_heard:
            logger.info("%s answers again", leased.host)
            self._session.holder(leased).report(Settlement("heard", leased.member), 0.0)
        text = "" if pace == leased.pace else pace.dump()
        self._session.holder(leased).report(Settlement("release", leased.member, text=text), free_at)

    def _lose(self, fetch: Fetch) -> None:
        fetch.lost = True
        if fetch.started_at is None and not fetch.released:
            fetch.released = True
            self._hosts.leave_leased(fetch.host)


def _time() -> float:
    return asyncio.get_running_loop().time()
