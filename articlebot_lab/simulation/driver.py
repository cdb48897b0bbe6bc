"""Plays a schedule: decides what happens next, in virtual time, and looks after every step whether all is right."""

from __future__ import annotations

import asyncio
import heapq
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from scrapy import Request

from articlebot.frontier.requests import keys_of
from articlebot_lab.simulation.book import Book, Download, url_of
from articlebot_lab.simulation.clock import EPOCH, Clock
from articlebot_lab.simulation.faults import strike
from articlebot_lab.simulation.network import Call, Network
from articlebot_lab.simulation.plan import Plan
from articlebot_lab.simulation.rules import Stored, broken
from articlebot_lab.simulation.servers import Servers
from articlebot_lab.simulation.site import Site
from articlebot_lab.simulation.worker import CLICK_S, JOBS, Worker

# Calls and seconds after which a crawl that has healed must have come to its end: five times what the longest took.
_MOST_CALLS, _MOST_S = 10_000, 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a schedule went.

    Args:
        wrong: what was not as it must be; empty where all was.
        step: after which that was found.
        steps: calls that Redis has executed, those of the healing included.
        downloads: how many there were.
        seconds: of virtual time.
        trace: what happened, a line for each.
    """

    wrong: tuple[str, ...]
    step: int
    steps: int
    downloads: int
    seconds: float
    trace: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Short for the trace: two runs of one plan have the same."""
        return sha256("\n".join(self.trace).encode()).hexdigest()[:16]


class Broken(Exception):
    """Something is not as it must be."""


def run(plan: Plan, servers: Servers, watch: Callable[[Stored], list[str]] = lambda stored: []) -> Outcome:
    """Plays a schedule; ``watch`` is shown what is stored after each call, and names what is wrong with it."""
    with _silence():
        world = World(plan, servers, watch)
        wrong: tuple[str, ...] = ()
        try:
            world.play()
            world.heal()
        except Broken as error:
            wrong = tuple(error.args)
        world.end()
        downloads = sum(world.book.begun.values())
        seconds = world.clock.now
        return Outcome(wrong, world.steps, world.calls, downloads, seconds, tuple(world.trace))


@contextmanager
def _silence() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class World:
    """A schedule while it is played."""

    def __init__(self, plan: Plan, servers: Servers, watch: Callable[[Stored], list[str]]) -> None:
        self.plan, self.servers, self._watch = plan, servers, watch
        self.clock, self.site = Clock(), Site(plan)
        self.book = Book(plan.lease_s, CLICK_S, plan.shared, parents=plan.adjacency == "keys")
        self.trace: list[str] = []
        self.workers: list[Worker] = []
        self.steps = self.calls = self.born = 0
        self.skew = 0.0
        self.down_until = self.full_until = 0.0
        self.errors = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0
        self.network = Network(plan, self.later, self._execute, lambda: self.clock.now, self.say)
        self._due = list(plan.faults)
        self.stored = Stored.of({})
        self.healing = False
        servers.begin()
        for _ in range(plan.workers):
            self.start()

    # -- what happens -------------------------------------------------------------------------------------------------

    def say(self, what: str) -> None:
        """A line of the trace."""
        self.trace.append(f"{self.clock.now:10.4f} {what}")

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Something happens after so many seconds."""
        self._order += 1
        heapq.heappush(self._events, (self.clock.now + seconds, self._order, do))

    def start(self) -> None:
        """One more worker begins."""
        self.born += 1
        worker = Worker(f"w{self.born}", self.plan, self.clock, self)
        self.workers.append(worker)
        self.say(f"{worker.name} starts")
        worker.loop.turn(timers=True)

    def gone(self, worker: Worker) -> None:
        """A worker has ended, in order or not."""
        self.say(f"{worker.name} is gone")
        worker.loop.dead = True
        self.book.dies(worker)
        self.workers.remove(worker)

    def send(self, worker: Worker, commands: list[list[bytes]], answer: asyncio.Future[list[Any]]) -> None:
        """A worker calls Redis."""
        if not worker.loop.dead:
            self.network.send(worker, commands, answer)

    def _execute(self, call: Call) -> list[Any] | None:
        now = self.clock.now
        if now < self.down_until:
            self.say(f"{call} finds no Redis")
            return None
        self.steps += not self.healing
        self.calls += 1
        before = len(self.servers.log)
        replies = [self.servers.execute(command, EPOCH + now + self.skew) for command in call.commands]
        for place, entry in enumerate(self.servers.log[before:], before):
            self.book.told(entry, place, now)
        done = ", ".join(f"{entry.words[0].decode()} {_short(entry.reply)}" for entry in self.servers.log[before:])
        self.say(f"{call}: {done}" if done else str(call))
        if len(self.servers.log) > before:
            self._look()
        return replies

    def _look(self) -> None:
        keys = self.servers.dump()
        shards = [Stored.of(keys, shared) for shared in self.plan.shared]
        self.stored = Stored.together(shards)
        self.book.kept(self.stored.records)
        for shard in shards:
            self.book.wrong += broken(shard, self.plan.adjacency, self.book.acked)
        self.book.wrong += self._watch(self.stored)

    # -- what the workers tell ----------------------------------------------------------------------------------------

    def begins(self, worker: Worker, request: Request) -> Download:
        """A worker asks a site."""
        host, now = self.site.by_url[request.url].host, self.clock.now
        took, status = self.site.answer(host, now)
        answered: asyncio.Future[None] = worker.loop.create_future()
        # Under `slot` pages of one slot keep apart; one that is adjacent to two may come close to those of the other
        # (docs/explanation/frontier.md).
        slot = f"slot {request.meta['articlebot_slot']}" if self.plan.adjacency == "slot" else host
        download = Download(worker, request.url, slot, keys_of(request).parent, now, answered, status)
        self.say(f"{worker.name} begins {request.url}")
        self.book.begins(download, now)
        self.later(took, lambda: self._answers(download))
        return download

    def _answers(self, download: Download) -> None:
        worker = download.worker

        def do() -> None:
            if not download.answered.done():
                download.answered.set_result(None)

        if worker.frozen_until > self.clock.now:
            self.book.ends(download)  # the site is done; the worker will hear of it
            worker.inbox.append(do)
        elif not worker.loop.dead:
            worker.loop.within(do)

    def ends(self, download: Download) -> None:
        """A worker is done with a download."""
        self.say(f"{download.worker.name} ends {download.url}")
        self.book.ends(download)

    def read(self, url: str) -> None:
        """A page's callback has ended well."""
        self.book.read[url] = self.book.read.get(url, 0) + 1
        self.book.given_up.discard(url)

    def gives_up(self, url: str) -> None:
        """The spider was told that a page is faulty."""
        self.book.given_up.add(url)

    def raises(self) -> bool:
        """Whether the next callback raises."""
        self.errors, raises = max(0, self.errors - 1), self.errors > 0
        return raises

    # -- the course ---------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Plays the planned steps."""
        while self.steps < self.plan.steps:
            while self._due and self._due[0].step <= self.steps:
                strike(self, self._due.pop(0))
            self._step()

    def _step(self) -> None:
        """The next thing happens: what was under way arrives, or a timer of a worker fires."""
        now = self.clock.now
        awake = [one for one in self.workers if one.frozen_until <= now]
        timers = [(at, number) for number, one in enumerate(awake) if (at := one.loop.next_at) is not None]
        first = min(timers, default=None)
        if self._events and (first is None or self._events[0][0] <= first[0]):
            at, _, do = heapq.heappop(self._events)
            self.clock.move(at)
            do()
        elif first is not None:
            self.clock.move(first[0])
            awake[first[1]].loop.turn(timers=True)
        else:
            raise Broken("nothing happens any more")
        for worker in list(self.workers):
            if worker.frozen_until <= self.clock.now:
                worker.loop.turn(timers=False)
                self._listen(worker)
        if self.book.wrong:
            raise Broken(*self.book.wrong)

    def _listen(self, worker: Worker) -> None:
        self.book.wrong += worker.loop.errors
        if worker.counts.get("articlebot/frontier/error"):
            self.book.wrong.append(f"{worker.name} could not use an answer of Redis")

    def thaw(self, worker: Worker, timers_first: bool) -> None:
        """A worker goes on."""
        if worker.loop.dead or worker.frozen_until > self.clock.now:
            return
        self.say(f"{worker.name} goes on")
        if timers_first:
            worker.loop.turn(timers=True)
        came, worker.inbox = worker.inbox, []
        for do in came:
            worker.loop.within(do)
        worker.loop.turn(timers=False)

    def heal(self) -> None:
        """Ends all faults, lets list pages name their links again, and sees the crawl to its end."""
        self.say("all heals")
        self.healing = True
        self.network.heal()
        self.errors = 0
        self.site.silent, self.site.refusing, self.site.slow = {}, {}, {}
        self.down_until = min(self.down_until, self.clock.now)
        if self.full_until:
            self.servers.fill(False)
        for worker in list(self.workers):
            worker.partitioned_until = 0.0
            if worker.frozen_until > self.clock.now:
                worker.frozen_until = self.clock.now
                self.thaw(worker, True)
            worker.follow(JOBS)
        while len(self.workers) < 2:
            self.start()
        calls, began = self.calls, self.clock.now
        self._until_idle(calls, began)
        for worker in self.workers:
            worker.find_anew()
        self._until_idle(calls, began)
        self._judge()

    def _until_idle(self, calls: int, began: float) -> None:
        asked = self.calls
        while True:
            self._step()
            if self.calls > calls + _MOST_CALLS or self.clock.now > began + _MOST_S:
                raise Broken(f"the crawl does not come to its end; stored: {self.stored.queues} {self.stored.leases}")
            # Twice around, so that what was sent has arrived.
            is_quiet = self.stored.is_empty and all(one.is_idle() for one in self.workers if not one.left)
            if not is_quiet:
                asked = self.calls
            elif self.calls > asked + 2 * len(self.workers):
                return

    def _judge(self) -> None:
        """Whether every page that was found has been read, is in quarantine, or was faulty."""
        dead = {url_of(text) for text in self.stored.dead.values()}
        found = {self.site.pages[number].url for number in self.site.seeds}
        for url in list(found):
            # What a page named may be lost with Redis' last second. It is read once more then, and may be faulty.
            self._follow(url, found, self.book.given_up | dead)
        missing = sorted(found - self.book.read.keys() - self.book.given_up - dead)
        if missing:
            raise Broken(f"lost: {' '.join(missing)}")
        if not self.plan.faults and (twice := [url for url, number in self.book.read.items() if number > 1]):
            raise Broken(f"read twice without a cause: {' '.join(sorted(twice))}")

    def _follow(self, url: str, found: set[str], faulty: set[str]) -> None:
        if url not in self.book.read or url in faulty:
            return
        for number in self.site.by_url[url].links:
            other = self.site.pages[number].url
            if other not in found:
                found.add(other)
                self._follow(other, found, faulty)

    def end(self) -> None:
        """Lets go of everything."""
        for worker in self.workers:
            worker.loop.dead = True
        self._events.clear()


def _short(reply: Any) -> str:
    if isinstance(reply, list):
        return "[" + " ".join(_short(one) for one in reply[:8]) + "]"
    if not isinstance(reply, bytes):
        return str(reply)
    # Servers have names of their own at each start.
    return re.sub(r"[0-9a-f]{40}", "server", reply.decode())[:60] if reply.isascii() else reply.hex()[:60]
