"""Fetches without a lease (robots.txt, media, those of other components): they keep to the host's slot too."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable

from redis.exceptions import RedisError

from articlebot.frontier.sharded import AnyFrontier

_RETRY_S = 0.5
_MOST_RESTS = 10_000


class Hosts:
    """The hosts that this worker downloads from, with a lease or as a guest (a fetch without a lease).

    On a host that the worker has leased, a guest shares the lease. On any other host it takes the slot from Redis until
    it is done. Downloads from one host take turns, with a delay before and after a guest's.

    Args:
        frontier: the queue.
        worker: name of the worker.
    """

    def __init__(self, frontier: AnyFrontier, worker: str) -> None:
        self._frontier = frontier
        self._worker = worker
        self._leased: Counter[str] = Counter()
        self._guests: Counter[str] = Counter()
        self._taken: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = {}
        self._rests: dict[str, float] = {}
        self._turns: dict[str, deque[asyncio.Future[None]]] = {}
        self._leaving: dict[str, asyncio.Future[None]] = {}

    def enter_leased(self, host: str) -> None:
        """A leased request of the host is handed out."""
        self._leased[host] += 1

    def leave_leased(self, host: str) -> None:
        """A leased request of the host has left the downloader."""
        self._leased[host] -= 1
        if self._leased[host] <= 0:
            del self._leased[host]

    async def enter(self, host: str, patience: float, gives_up: Callable[[], bool] = lambda: False) -> bool:
        """Waits for the host's slot; False when it was not free within ``patience`` seconds, or before ``gives_up``."""
        lock = self._locks.setdefault(host, asyncio.Lock())
        async with lock:
            if host not in self._taken and not await self._take(host, patience, gives_up):
                return False
            self._guests[host] += 1
            return True

    def leave(self, host: str, delay: float) -> None:
        """Ends a guest's stay: the host is free after ``delay`` seconds, for this worker's other fetches too."""
        self._rests[host] = _time() + delay
        self._guests[host] -= 1
        if self._guests[host] > 0:
            return
        del self._guests[host]
        self._locks.pop(host, None)
        if host in self._taken:
            self._taken.discard(host)
            self._give_up(host, delay)

    async def turn(self, host: str, gives_up: Callable[[], bool] = lambda: False) -> None:
        """Waits until this worker downloads nothing else from the host, or ``gives_up``; then ``end_turn``."""
        turn = self._turns.setdefault(host, deque())
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn.append(mine)
        if len(turn) > 1:
            await mine
        while (wait := self._rests.get(host, 0.0) - _time()) > 0 and not gives_up():  # noqa: ASYNC110 - a time
            await asyncio.sleep(min(wait, _RETRY_S))

    def end_turn(self, host: str, delay: float, *, guest: bool = True) -> None:
        """Lets this worker's next fetch start, after ``delay`` seconds where a guest was there or one waits.

        Between leased pages the frontier keeps the delay.
        """
        turn = self._turns[host]
        turn.popleft()
        if guest or turn:
            self._rests[host] = _time() + delay
            if len(self._rests) > _MOST_RESTS:
                self._rests = {name: at for name, at in self._rests.items() if at > _time()}
        if not turn:
            del self._turns[host]
        elif not turn[0].done():
            turn[0].set_result(None)

    async def close(self, patience: float = 5.0) -> None:
        """Waits until Redis knows of all hosts that were left; gives up after ``patience`` seconds."""
        if self._leaving:
            await asyncio.wait(self._leaving.values(), timeout=patience)
        for task in self._leaving.values():
            task.cancel()

    def _give_up(self, host: str, delay: float) -> None:
        task = self._leaving[host] = asyncio.ensure_future(self._free(host, _time() + delay))
        task.add_done_callback(lambda _: self._leaving.pop(host, None))

    async def _free(self, host: str, free_at: float) -> None:
        # Were it not told, the host would stay taken as long as this worker lives.
        while True:
            try:
                return await self._frontier.of_host(host).unhold(self._worker, host, max(0.0, free_at - _time()))
            except (RedisError, OSError):
                await asyncio.sleep(_RETRY_S)

    async def _take(self, host: str, patience: float, gives_up: Callable[[], bool]) -> bool:
        deadline, in_doubt = _time() + patience, False
        while not gives_up():
            # A page that is handed out meanwhile may wait for a guest of its own, which waits behind this one.
            if host in self._leased:
                return True
            try:
                wait = await self._hold(host)
            except (RedisError, OSError):
                wait, in_doubt = _RETRY_S, True
            if wait <= 0:
                self._taken.add(host)
                return True
            if _time() + wait > deadline:
                break
            at = _time() + wait
            while at > _time() and not gives_up() and host not in self._leased:  # noqa: ASYNC110 - a time, or a lease
                await asyncio.sleep(min(at - _time(), _RETRY_S))
        if in_doubt:
            self._give_up(host, 0.0)  # Redis may have given it, although its answer never came
        return False

    async def _hold(self, host: str) -> float:
        """Seconds after which to ask again, 0 where the host is taken."""
        if (leaving := self._leaving.get(host)) is not None:
            # Were it told later that this worker has left the host, it would be free with a guest in it.
            await asyncio.wait([leaving], timeout=_RETRY_S)
            if not leaving.done():
                return _RETRY_S
        return await self._frontier.of_host(host).hold(self._worker, host)


def _time() -> float:
    return asyncio.get_running_loop().time()
