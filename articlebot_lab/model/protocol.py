"""Workers, the network and Redis: who leases which page, and what goes wrong meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from articlebot_lab.model.rules import (
    DONE,
    QUARANTINED,
    QUEUED,
    RESTS,
    UNSEEN,
    Rules,
    Server,
)

FAULTS = (
    "a host is not taken", "a parent is not taken", "a lease is not checked", "words have no number",
    "a host does not rest", "the dead keep their hosts", "the dead keep their pages",
    "a comparison forgets what was said", "links are marked and not queued", "links are stored after the page is done",
    "done is done after a restart", "a worker begins in doubt", "a download outlives its lease",
)  # fmt: skip

# The last word that was answered, and the one to come: only which is later counts.
_ANSWERED, _NEXT = 1, 2
# What a page that is said to be in a phase is told under.
_WORDS = {"ended": "release", "done": "ack", "failed": "fail"}

# Phases after which nothing is said to be done: which server the worker knows matters not.
_MATTERS_NOT = ("", "astray", "failed")
_COMPARISONS = ("compare", "keep")


class Worker(NamedTuple):
    """What a worker knows.

    Attributes:
        mode: up; in doubt, out of touch for so long that it begins nothing; frozen; or dead.
        page, phase: in hand: due, loading, ended, read, done or failed; or astray, loading though its lease is lost.
        forgotten: Redis has lost the lease under which it is due or loading.
        knows: which server it talks to: it was restarted since, or not.
    """

    mode: str = "up"
    page: int = -1
    phase: str = ""
    forgotten: bool = False
    knows: bool = True

    def without(self) -> Worker:
        """With nothing in hand."""
        return self._replace(page=-1, phase="", forgotten=False)


class Late(NamedTuple):
    """A call that its worker has given up, and that may still arrive: a settlement, a comparison or a take."""

    worker: int
    word: str
    page: int
    number: int
    knows: bool


class State(NamedTuple):
    """All of it.

    Attributes:
        began: hosts at which a download has begun since they last rested, by bit.
        saved: what a restart would go on with, while Redis has written what it will forget; ``writes`` counts that.
        crashes: how many more there may be.
        wrong: what an action has found.
    """

    server: Server
    workers: tuple[Worker, ...]
    began: int
    late: Late | None
    saved: Server | None
    writes: int
    crashes: int
    wrong: str = ""


class Protocol:
    """The frontier's protocol.

    A page for each host. The first links to the last, which is seen then; the second and the third have one parent,
    and the second may fail.

    Args:
        workers, hosts: how many.
        crashes: how often a worker dies, or is frozen beyond its lease, or Redis loses its last changes, or a call
            arrives that was given up.
        lost: changes that Redis may lose at once.
        faults: what is done wrong, out of ``FAULTS``.
    """

    def __init__(
        self, workers: int = 3, hosts: int = 3, crashes: int = 2, *, lost: int = 1,
        faults: Collection[str] = (),
    ) -> None:  # fmt: skip
        parent = hosts
        keys_of = [(host, parent) if 0 < host < 3 else (host,) for host in range(hosts)]
        self.rules = Rules(keys_of, faults)
        self._workers, self._hosts, self._link = workers, hosts, hosts - 1
        self._crashes, self._lost, self._faults = crashes, lost, frozenset(faults)

    def initial(self) -> State:
        pages = QUEUED * self._link + (UNSEEN if self._link else QUEUED)
        server = Server(pages, RESTS * (self._hosts + 1), ((),) * self._workers, (0,) * self._workers)
        return State(server, (Worker(),) * self._workers, 0, None, None, 0, self._crashes)

    def is_over(self, state: State) -> bool:
        if all(worker.mode == "dead" for worker in state.workers):
            return True  # until one is started
        pages = state.server.pages
        unknown = self._link and pages[self._link] == UNSEEN and pages[0] == QUARANTINED
        return all(
            letter in DONE + QUARANTINED or (unknown and place == self._link) for place, letter in enumerate(pages)
        )

    def broken(self, state: State) -> str:
        if state.wrong:
            return state.wrong
        if self._link and state.server.pages[0] == DONE and state.server.pages[self._link] == UNSEEN:
            return "a page is done, and what it links to was never seen"
        return self.rules.broken(state.server)

    def actions(self, state: State) -> Iterator[tuple[str, State]]:
        """What may happen; what Redis writes may also be what it will forget."""
        for name, after in self._actions(state):
            if after.server is state.server or after.server == state.server or name == "Redis forgets":
                yield name, _plain(after)
                continue
            if state.saved is None:
                yield name, _plain(after)
                if after.crashes:
                    doomed = after._replace(saved=state.server, writes=1, crashes=after.crashes - 1)
                    yield f"{name}, to be forgotten", _plain(_lines_up(doomed, state, after))
            elif state.writes < self._lost:
                yield name, _plain(after._replace(writes=state.writes + 1))

    def _actions(self, state: State) -> Iterator[tuple[str, State]]:
        for number, worker in enumerate(state.workers):
            if worker.mode in ("up", "doubt"):
                yield from self._work(state, number, worker)
                yield from self._talk(state, number, worker)
            yield from self._crash(state, number, worker)
        yield from self._arrive(state)
        if state.saved is not None:
            yield "Redis forgets", self._forget(state, state.saved)

    # -- a worker by itself -------------------------------------------------------------------------------------------

    def _work(self, state: State, number: int, worker: Worker) -> Iterator[tuple[str, State]]:
        in_touch = worker.mode == "up" or "a worker begins in doubt" in self._faults
        if worker.phase == "due" and in_touch:
            yield f"{number} begins {worker.page}", self._begin(state, number, worker)
        elif worker.phase == "loading":
            yield f"{number} ends {worker.page}", _with(state, number, worker._replace(phase="ended", forgotten=False))
        elif worker.phase == "astray":
            yield f"{number} ends {worker.page}", _with(state, number, worker.without())

    def _begin(self, state: State, number: int, worker: Worker) -> State:
        mine = self.rules.keys_of[worker.page]
        wrong, bit = "", 1 << mine[0]
        shaken = worker.forgotten
        for other in state.workers:
            if other.phase in ("loading", "astray") and set(mine) & set(self.rules.keys_of[other.page]):
                excused = other.forgotten or other.mode == "frozen"
                shaken = shaken or excused
                wrong = wrong or ("" if shaken else f"pages {other.page} and {worker.page} load beside each other")
        if state.began & bit and not shaken:
            wrong = wrong or f"page {worker.page} begins before its host has rested"
        began = state.began & ~bit if shaken else state.began | bit
        return _with(state, number, worker._replace(phase="loading"))._replace(began=began, wrong=wrong)

    def _crash(self, state: State, number: int, worker: Worker) -> Iterator[tuple[str, State]]:
        if worker.mode == "frozen":
            # Its timers are past: what it was loading ends at once.
            outlives = "a download outlives its lease" in self._faults
            phase = "ended" if worker.phase == "loading" and not outlives else worker.phase
            forgotten = worker.forgotten and phase != "ended"
            awake = worker._replace(phase=phase, forgotten=forgotten) if phase != "astray" else worker.without()
            yield f"{number} goes on", _with(state, number, awake._replace(mode="doubt"))
        elif worker.mode != "dead" and state.crashes:
            less = state._replace(crashes=state.crashes - 1)
            yield f"{number} is frozen", _with(less, number, worker._replace(mode="frozen"))
            yield f"{number} dies", _with(less, number, Worker("dead"))

    # -- a worker and Redis -------------------------------------------------------------------------------------------

    def _talk(self, state: State, number: int, worker: Worker) -> Iterator[tuple[str, State]]:
        yield from self._compare(state, number, worker)
        late = state.late
        if worker.mode != "up" or (
            late and late.worker == number and late.word in _COMPARISONS and late.number == _NEXT
        ):
            return  # it compares until it is answered, before it says anything else
        if worker.page < 0 and not state.server.leases[number]:
            for page in range(len(state.server.pages)):
                if self.rules.may_take(state.server, page):
                    after = state._replace(server=self.rules.take(state.server, number, page))
                    yield f"{number} takes {page}, the answer is lost", after
                    yield f"{number} takes {page}", _with(after, number, Worker("up", page, "due"))
            yield from self._delay(state, Late(number, "take", -1, _NEXT, True))
        elif worker.phase in _WORDS:
            call = Late(number, _WORDS[worker.phase], worker.page, _NEXT, worker.knows)
            for name, after in self._hear(state, call):
                yield f"{name}, the answer is lost", after
                yield name, self._answered(after, state, call)
            yield from self._delay(state, call)
        elif worker.phase == "read":
            if worker.page == min(1, self._link):
                yield f"{number} fails with {worker.page}", _with(state, number, worker._replace(phase="failed"))
            early = "links are stored after the page is done" in self._faults
            after = _with(state, number, worker._replace(phase="done"))
            if worker.page == 0 and self._link and not early:
                stored = self.rules.admit(state.server, self._link)
                yield f"{number} sends the links of {worker.page}, the answer is lost", state._replace(server=stored)
                after = after._replace(server=stored)
            yield f"{number} is done with {worker.page}", after

    def _delay(self, state: State, call: Late) -> Iterator[tuple[str, State]]:
        if state.crashes and state.late is None:
            yield f"{call.worker}'s {call.word} is late", state._replace(late=call, crashes=state.crashes - 1)

    def _hear(self, state: State, call: Late) -> Iterator[tuple[str, State]]:
        """A settlement reaches Redis."""
        what = f"{call.worker} says {call.word} of {call.page}"
        word, ends = call.word, [QUEUED]
        if word == "ack" and not call.knows and "done is done after a restart" not in self._faults:
            word = "back"
        if word == "fail":
            ends = [QUEUED, QUARANTINED]
        for end in ends:
            server = self.rules.tell(state.server, call.worker, call.number, [(word, call.page)], end)
            yield what if end == QUEUED else f"{what} once too often", state._replace(server=server)

    def _answered(self, after: State, before: State, call: Late) -> State:
        worker = after.workers[call.worker]
        is_mine = call.word == "release" and any(page == call.page for page, _ in after.server.leases[call.worker])
        read = "read" if worker.page in (0, min(1, self._link)) else "done"  # nothing to tell them apart by otherwise
        now = worker._replace(phase=read) if is_mine else worker.without()._replace(knows=worker.knows)
        server = after.server.hear(call.worker, min(after.server.heard[call.worker], _ANSWERED))
        saved, late = after.saved, after.late
        if saved is not None and saved.heard[call.worker] > 0:
            saved = saved.hear(call.worker, saved.heard[call.worker] - 1)
        if late and late.worker == call.worker and late.word not in _COMPARISONS:
            late = late._replace(number=_ANSWERED)
        return _with(after, call.worker, now)._replace(server=server, saved=saved, late=late)

    def _compare(self, state: State, number: int, worker: Worker) -> Iterator[tuple[str, State]]:
        page = -1 if worker.phase == "astray" or (worker.mode == "doubt" and worker.phase == "due") else worker.page
        held = [page] if page >= 0 else []
        if worker.mode == "up" and [one for one, _ in state.server.leases[number]] == held:
            return
        # What is done is not taken anew, only kept until that is told.
        word = "keep" if worker.phase in ("done", "failed") else "compare"
        call = Late(number, word, page, _NEXT, worker.knows)
        after = self._reconcile(state, call)
        yield f"{number} compares, the answer is lost", after
        now = worker._replace(mode="up")
        if worker.phase != "astray":
            is_mine = any(one == page for one, _ in after.server.leases[number])
            if is_mine:
                now = now._replace(forgotten=False)
            elif worker.phase in _WORDS:
                # What it has said is repeated before it says anything else, and changes nothing.
                again = call._replace(word=_WORDS[worker.phase])
                after = self._answered(next(self._hear(after, again))[1], after, again)
                now = after.workers[number]._replace(mode="up")
            else:
                now = now._replace(phase="astray") if worker.phase == "loading" else now.without()
        yield f"{number} compares", _with(after, number, now)
        yield from self._delay(state, call)

    def _reconcile(self, state: State, call: Late) -> State:
        held = [call.page] if call.page >= 0 else []
        wanted = held if call.word == "compare" else []
        server = self.rules.compare(state.server, call.worker, held, wanted, _ANSWERED)
        late = state.late
        if late and late.worker == call.worker and late.word in _COMPARISONS:
            late = late._replace(number=_ANSWERED)
        return state._replace(server=server, late=late)

    def _arrive(self, state: State) -> Iterator[tuple[str, State]]:
        """What others find out, and what comes late."""
        for number, worker in enumerate(state.workers):
            # The lease of one that is up is never over: it is heard of in time.
            over = worker.mode != "up"
            if over and (state.server.leases[number] or state.server.heard[number]) and self._is_seen(state, number):
                yield f"{number} is taken for dead", state._replace(server=self.rules.bury(state.server, number))
        if (call := state.late) is None:
            return
        state = state._replace(late=None)
        if call.word in _COMPARISONS:
            yield f"{call.worker}'s compare arrives", self._reconcile(state, call) if call.number == _NEXT else state
        elif call.word == "take":
            yield f"{call.worker}'s take arrives", state
            for page in range(len(state.server.pages)):
                if self.rules.may_take(state.server, page):
                    server = self.rules.take(state.server, call.worker, page)
                    yield f"{call.worker}'s take of {page} arrives", state._replace(server=server)
        else:
            for name, after in self._hear(state, call):
                yield f"late, {name}", after

    def _is_seen(self, state: State, number: int) -> bool:
        return any(other.mode == "up" for place, other in enumerate(state.workers) if place != number)

    def _forget(self, state: State, saved: Server) -> State:
        workers = tuple(
            worker._replace(
                knows=False,
                forgotten=worker.forgotten
                or (
                    worker.phase in ("due", "loading") and all(page != worker.page for page, _ in saved.leases[number])
                ),
            )
            for number, worker in enumerate(state.workers)
        )
        late = state.late and state.late._replace(knows=False)
        return state._replace(server=saved, workers=workers, began=0, late=late, saved=None, writes=0)


def _with(state: State, number: int, worker: Worker) -> State:
    return state._replace(workers=(*state.workers[:number], worker, *state.workers[number + 1 :]))


def _lines_up(doomed: State, before: State, after: State) -> State:
    """Numbers are told from the next word on: where a step has answered one, those that are saved move down too."""
    assert doomed.saved is not None
    for number, (old, new) in enumerate(zip(before.workers, after.workers, strict=True)):
        if old.phase in _WORDS and new.phase != old.phase and doomed.saved.heard[number] > 0:
            doomed = doomed._replace(saved=doomed.saved.hear(number, doomed.saved.heard[number] - 1))
    return doomed


def _plain(state: State) -> State:
    """The one state that stands for all which differ in nothing that counts: also in the order of the workers."""
    server, saved, late, workers = state.server, state.saved, state.late, state.workers
    heard = tuple(_number(state, number, last) for number, last in enumerate(server.heard))
    server = server._replace(heard=heard)
    if saved is not None:
        saved = saved._replace(heard=tuple(_number(state, number, last) for number, last in enumerate(saved.heard)))
    if not all(worker.knows or worker.phase not in _MATTERS_NOT for worker in workers):
        workers = tuple([one._replace(knows=True) if one.phase in _MATTERS_NOT else one for one in workers])
    began = sum(1 << key for key, letter in enumerate(server.keys) if letter != RESTS and state.began >> key & 1)

    def key(number: int) -> tuple[object, ...]:
        kept = (saved.leases[number], saved.heard[number]) if saved else ()
        is_late = late is not None and late.worker == number
        return workers[number], server.leases[number], server.heard[number], kept, is_late

    order = sorted(range(len(workers)), key=key)
    late = late and late._replace(worker=order.index(late.worker))
    workers, saved = tuple([workers[number] for number in order]), saved and _ordered(saved, order)
    return State(_ordered(server, order), workers, began, late, saved, state.writes, state.crashes, state.wrong)


def _number(state: State, number: int, last: int) -> int:
    """What the number of a worker's last word tells: what is unanswered, and what may still come late."""
    if last == _NEXT and state.workers[number].phase not in _WORDS:
        last = _ANSWERED
    return last if last == _NEXT or (state.late and state.late.worker == number) else 0


def _ordered(server: Server, order: list[int]) -> Server:
    pages, keys, leases, heard = server
    return Server(pages, keys, tuple([leases[number] for number in order]), tuple([heard[number] for number in order]))
