"""The network between workers and Redis: every call and every answer takes its time, and some do not come."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from articlebot_lab.simulation.plan import Fault, Plan
from articlebot_lab.simulation.wire import cut_off

if TYPE_CHECKING:
    from articlebot_lab.simulation.worker import Worker


class Call:
    """Commands on their way, and their answers on the way back."""

    def __init__(
        self, number: int, worker: Worker, commands: list[list[bytes]], answer: asyncio.Future[list[Any]]
    ) -> None:
        self.number, self.worker, self.commands, self.answer = number, worker, commands, answer
        self.executed = False

    def __str__(self) -> str:
        names = " ".join(_name(command) for command in self.commands)
        return f"#{self.number} {self.worker.name} {names}"


class Network:
    """Carries calls and answers.

    Args:
        plan: of the schedule.
        later: calls something after so many seconds.
        execute: lets Redis answer a call; None where it does not run.
        say: writes into the trace.
    """

    def __init__(
        self, plan: Plan, later: Callable[[float, Callable[[], None]], None],
        execute: Callable[[Call], list[Any] | None], now: Callable[[], float], say: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._latency, self._rng = plan.latency, random.Random(f"network {plan.seed}")
        self._later, self._execute, self._now, self._say = later, execute, now, say
        self._sent = 0
        self._open: dict[int, Call] = {}
        # What strikes the next calls of a worker.
        self._planned: defaultdict[str, deque[Fault]] = defaultdict(deque)

    def strike(self, worker: Worker, fault: Fault) -> None:
        """The next call of a worker, or its answer, is lost or late."""
        self._planned[worker.name].append(fault)

    def heal(self) -> None:
        """Nothing more is lost."""
        self._planned.clear()

    def _takes(self) -> float:
        return self._latency * self._rng.random() ** 3 + 1e-5

    def send(self, worker: Worker, commands: list[list[bytes]], answer: asyncio.Future[list[Any]]) -> None:
        """A worker calls."""
        self._sent += 1
        call = Call(self._sent, worker, commands, answer)
        self._open[call.number] = call
        fault = self._planned[worker.name].popleft() if self._planned[worker.name] else None
        takes = self._takes()
        if fault is not None and fault.kind == "lose call":
            self._say(f"{call} is lost")
            if fault.who % 2:
                self._later(takes, lambda: self._cut(call))
            return
        late = fault.seconds if fault is not None and fault.kind == "late call" else 0.0
        self._later(takes + late, lambda: self._arrives(call, fault))

    def _arrives(self, call: Call, fault: Fault | None) -> None:
        if (wait := call.worker.partitioned_until - self._now()) > 0:
            self._later(wait + self._takes(), lambda: self._arrives(call, fault))  # TCP sends it again
            return
        if call.executed or call.number not in self._open:
            return
        replies = self._execute(call)
        if replies is None:
            self._later(self._takes(), lambda: self._cut(call))
            return
        call.executed = True
        if fault is not None and fault.kind == "lose answer":
            self._say(f"the answer of {call} is lost")
            if fault.who % 2:
                self._later(self._takes(), lambda: self._cut(call))
            return
        late = fault.seconds if fault is not None and fault.kind == "late answer" else 0.0
        self._later(self._takes() + late, lambda: self._returns(call, replies))

    def _returns(self, call: Call, replies: list[Any]) -> None:
        if (wait := call.worker.partitioned_until - self._now()) > 0:
            self._later(wait + self._takes(), lambda: self._returns(call, replies))
            return
        if self._open.pop(call.number, None) is not None:
            self._hand_over(call, lambda: call.answer.set_result(replies))

    def _cut(self, call: Call) -> None:
        if self._open.pop(call.number, None) is not None:
            self._hand_over(call, lambda: call.answer.set_exception(cut_off()))

    def _hand_over(self, call: Call, work: Callable[[], None]) -> None:
        def do() -> None:
            if not call.answer.done():
                work()

        worker = call.worker
        if worker.frozen_until > self._now():
            worker.inbox.append(do)
        elif not worker.loop.dead:
            worker.loop.within(do)

    def reset(self) -> None:
        """Redis' process has ended: calls that it has not read are gone, and so is every second answer."""
        for call in list(self._open.values()):
            if not call.executed or call.number % 2:
                self._cut(call)


def _name(command: list[bytes]) -> str:
    return command[0].decode().lower()
